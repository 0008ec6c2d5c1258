// options of the application → ways out for sinks

import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { appendFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import type { Effects, FilePlace, HttpRequest, Mail, SendRequest, StoredObject } from "../blocks/effects.ts";
import { inputError } from "../errors.ts";
import { createBrokerConnections } from "./broker-connections.ts";
import { createHttpSender, publicAddressOf } from "./guarded-fetch.ts";

export interface EffectsOptions {
  /** Folder that `local_file_sink` may write below; absent forbids it. */
  readonly filesFolder?: string;
  /** Sinks reach public addresses only, and web requests follow no redirects. Default false. */
  readonly publicAddressesOnly?: boolean;
  /** Certificate (PEM) of your own mail server. */
  readonly mailCa?: string;
  /** Address of a service that speaks S3, instead of Amazon's. */
  readonly s3Endpoint?: string;
  /** For blocks that send through Roboflow. */
  readonly roboflow?: { readonly apiUrl: string; readonly apiKey: string };
  /** No sink does anything. Default false. */
  readonly sinksDisabled?: boolean;
  /** Told when something that was sent in the background failed. Must not throw. */
  readonly onFailure?: (sentence: string) => void;
  /** Asked before a picture leaves through a sink; a rejection is a no. Absent allows all. */
  readonly allowPicture?: Effects["allowPicture"];
}

/** Effects that hold connections. */
export interface OpenEffects extends Effects {
  /** Waits for what is being sent, then closes connections. May be called twice. */
  close(): Promise<void>;
}

export function createEffects(options: EffectsOptions = {}): OpenEffects {
  const publicOnly = options.publicAddressesOnly ?? false;
  const http = createHttpSender({ publicOnly });
  const brokers = createBrokerConnections({ publicOnly });
  const working = new Set<Promise<void>>();
  return {
    http,
    mail: createMailer({ publicOnly, ...(options.mailCa !== undefined && { ca: options.mailCa }) }),
    connectBroker: brokers.connect,
    // An endpoint that the owner has set may be in the owner's network.
    putObject: createObjectStore({
      http: options.s3Endpoint === undefined ? http : createHttpSender(),
      pause,
      endpoint: options.s3Endpoint,
    }),
    cooldowns: new Map(),
    ...(options.filesFolder !== undefined && { files: createFileFolder(options.filesFolder) }),
    ...(options.roboflow !== undefined && { roboflow: roboflowProxy(createHttpSender(), options.roboflow) }),
    ...(options.allowPicture !== undefined && { allowPicture: options.allowPicture }),
    sinksDisabled: options.sinksDisabled,
    background(work) {
      const told = work.then((failure) => {
        if (failure !== undefined) options.onFailure?.(failure);
      });
      working.add(told);
      void told.finally(() => working.delete(told));
    },
    async close() {
      await Promise.all(working);
      await brokers.close();
    },
  };
}

function roboflowProxy(
  http: NonNullable<Effects["http"]>,
  { apiUrl, apiKey }: NonNullable<EffectsOptions["roboflow"]>,
): NonNullable<Effects["roboflow"]> {
  return async (endpoint, payload) => {
    const response = await http(`${apiUrl}/${endpoint}?api_key=${encodeURIComponent(apiKey)}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(payload),
      signal: AbortSignal.timeout(30_000),
    });
    await response.body?.cancel();
    if (!response.ok) throw inputError(`Roboflow answered ${response.status}`);
  };
}

export interface MailerOptions {
  /** Certificate (PEM) to trust besides the well-known ones. */
  readonly ca?: string;
  /** How long a server may keep silent. Default 30 seconds. */
  readonly timeoutMs?: number;
  /** Refuses servers on this machine and in the local network. Default false. */
  readonly publicOnly?: boolean;
}

/** Ports on which encryption begins after the greeting; everywhere else it is there from the start. */
const STARTTLS_PORTS = [25, 587, 2525];

/** Delivers to all receivers; those of the blind copy are named nowhere. */
export function createMailer({
  ca,
  timeoutMs = 30_000,
  publicOnly = false,
}: MailerOptions = {}): (mail: Mail) => Promise<void> {
  return async ({ server, from, to, cc, bcc, subject, body, attachments }) => {
    const { host } = server;
    const address = publicOnly ? await publicAddressOf(host) : host;
    const startsPlain = STARTTLS_PORTS.includes(server.port);
    // Loaded when the first mail goes: most workflows send none.
    const { createTransport } = await import("nodemailer");
    const transport = createTransport({
      host: address,
      port: server.port,
      secure: !startsPlain,
      requireTLS: startsPlain,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      tls: { ...(ca !== undefined && { ca }), ...(isIP(host) === 0 && { servername: host }) },
      ...(server.login !== undefined && { auth: { user: server.login.user, pass: server.login.password } }),
    });
    try {
      await transport.sendMail({
        from,
        to: [...to],
        cc: [...cc],
        bcc: [...bcc],
        subject,
        ...(body.kind === "html" ? { html: body.content } : { text: body.content }),
        attachments: attachments.map(({ name, content, cid }) => ({
          filename: name,
          content: Buffer.from(content),
          ...(cid !== undefined && { cid, contentDisposition: "inline" as const }),
        })),
      });
    } finally {
      transport.close();
    }
  };
}

/** Writes below `folder` only, whichever way a path or a link takes. Relative paths begin there. */
export function createFileFolder(folder: string): FilePlace {
  const root = resolve(folder);
  const locate = (path: string): string => {
    const whole = resolve(root, path);
    if (isWithin(whole, root) && isWithin(realPathOf(whole), realPathOf(root))) return whole;
    throw inputError(`"${path}" lies outside of the folder that sinks may write to. Take one below ${root}.`);
  };
  return {
    locate,
    async write(path, content, mode) {
      const whole = locate(path);
      await mkdir(dirname(whole), { recursive: true });
      if (mode === "append") await appendFile(whole, content);
      else await writeWhole(whole, content);
    },
  };
}

/** Whether a path is a folder or lies below it; both may be relative to the same place. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The path with the links of its existing part followed. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    return resolve(realPathOf(dirname(path)), path.slice(dirname(path).length + 1));
  }
}

/** Beside its place first, then moved there: nobody ever reads half a file. */
async function writeWhole(path: string, content: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(draft, content, { flag: "wx" });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

export interface ObjectStoreOptions {
  readonly http: SendRequest;
  /** Address of the service. Default: that of Amazon in the region of the object. */
  readonly endpoint?: string;
  /** Waits before trying again. */
  readonly pause: (ms: number) => Promise<void>;
}

const DEFAULT_REGION = "us-east-1";
const RETRIES = 3;
const FIRST_PAUSE_MS = 1000;
const TIMEOUT_MS = 60_000;

/** Tries again when the service is busy or cannot be reached, not when it says no. */
export function createObjectStore({
  http,
  endpoint,
  pause,
}: ObjectStoreOptions): (object: StoredObject) => Promise<void> {
  return async (object) => {
    for (let attempt = 0; ; attempt++) {
      const failure = await put(object, http, endpoint);
      if (failure === undefined) return;
      if (!failure.isPassing || attempt === RETRIES) throw failure.error;
      await pause(FIRST_PAUSE_MS * 2 ** attempt);
    }
  };
}

interface Failure {
  readonly error: unknown;
  /** Might go well another time. */
  readonly isPassing: boolean;
}

async function put(
  object: StoredObject,
  http: SendRequest,
  endpoint: string | undefined,
): Promise<Failure | undefined> {
  const { url, request } = await signed(object, endpoint);
  let response: Response;
  try {
    response = await http(url, request);
  } catch (error) {
    return { error, isPassing: true };
  }
  const answer = await response.text();
  if (response.ok) return undefined;
  return { error: refusalOf(response.status, answer), isPassing: response.status >= 500 || response.status === 429 };
}

async function signed(
  object: StoredObject,
  endpoint: string | undefined,
): Promise<{ url: string; request: HttpRequest }> {
  const { bucket, key, content, contentType, credentials, region = DEFAULT_REGION } = object;
  const client = new AwsClient({ ...credentials, region, service: "s3" });
  const path = key.split("/").map(encodeURIComponent).join("/");
  const base = endpoint ?? `https://s3.${region}.amazonaws.com`;
  const body = Uint8Array.from(new TextEncoder().encode(content));
  const url = `${base}/${encodeURIComponent(bucket)}/${path}`;
  const { headers } = await client.sign(url, { method: "PUT", body, headers: { "content-type": contentType } });
  const request = { method: "PUT" as const, headers: Object.fromEntries(headers), body };
  return { url, request: { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) } };
}

function refusalOf(status: number, xml: string): Error {
  const code = /<Code>([^<]*)<\/Code>/.exec(xml)?.[1] ?? String(status);
  const reason = /<Message>([^<]*)<\/Message>/.exec(xml)?.[1] ?? "the service gave no reason";
  return inputError(`An error occurred (${code}) when calling the PutObject operation: ${reason}`);
}
