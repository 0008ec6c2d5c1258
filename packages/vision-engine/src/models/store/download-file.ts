// URL → checked file, continued where it broke off

import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type EngineError, modelError } from "../../errors.ts";

/** What is going on while a model is made ready. `fetching` has bytes; the others are short. */
export type FetchPhase = "waiting" | "fetching" | "checking" | "converting";

/** One report on the way to a model. */
export interface FetchProgress {
  readonly phase: FetchPhase;
  /** What is being fetched, for people. */
  readonly name: string;
  readonly bytesDone: number;
  /** Absent while nobody knows. */
  readonly bytesTotal?: number;
}

/** How to follow and stop a fetch. */
export interface FetchOptions {
  /** Called often; must not throw. */
  readonly onProgress?: (progress: FetchProgress) => void;
  readonly signal?: AbortSignal;
}

const DISK: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full. Make room and try again",
  EDQUOT: "the disk quota is used up. Make room and try again",
  EACCES: "it may not be written to. Change its permissions or choose another folder",
  EPERM: "it may not be written to. Change its permissions or choose another folder",
  EROFS: "it is read-only. Choose another folder",
};

/** A failure of the disk in words; everything else as it is. */
export function toStoreError(cause: unknown, folder: string): unknown {
  const why = DISK[codeOf(cause) ?? ""];
  return why === undefined ? cause : modelError(`The model folder ${folder} cannot be used: ${why}.`, cause);
}

const NETWORK: ReadonlySet<string> = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "ETIMEDOUT",
  "EPIPE",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_SOCKET",
]);

/** Whether the other side could not be reached, or the line broke. */
export function isNetworkFailure(error: unknown): boolean {
  return NETWORK.has(codeOf(error) ?? "");
}

/** The system's code of an error or of what caused it. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  return codeOf(error.cause);
}

/** What a file must hash to, written as its source writes it. */
export interface Checksum {
  readonly algorithm: "sha256" | "sha512" | "md5";
  readonly encoding: "hex" | "base64";
  readonly value: string;
}

export async function matchesChecksum(file: string, checksum: Checksum, signal?: AbortSignal): Promise<boolean> {
  const hash = createHash(checksum.algorithm);
  await pipeline(createReadStream(file), hash, { signal });
  return hash.digest(checksum.encoding) === checksum.value;
}

/** The network, as far as the store needs it. */
export type Fetch = typeof globalThis.fetch;

export interface DownloadRequest extends FetchOptions {
  readonly fetch: Fetch;
  readonly url: string;
  /** For people; the address may hold a secret. */
  readonly name: string;
  /** Where the file goes. */
  readonly file: string;
  /** Where it grows; what broke off stays there and is continued. Same disk as `file`. */
  readonly part: string;
  /** Absent: the source gives none. */
  readonly checksum?: Checksum | undefined;
}

/** A broken line is taken up again so many times. */
const TRIES = 3;

/** Throws `EngineError` kind `model` that says what to do. */
export async function downloadFile(request: DownloadRequest): Promise<void> {
  const { file, part, name, checksum, signal, onProgress } = request;
  const continued = (await sizeOf(part)) > 0;
  await receiveAll(request);
  onProgress?.({ phase: "checking", name, bytesDone: await sizeOf(part) });
  if (checksum !== undefined && !(await matchesChecksum(part, checksum, signal))) {
    await rm(part, { force: true });
    // The file may have changed since the first part was fetched.
    if (continued) return downloadFile(request);
    throw modelError(
      `What was fetched as ${name} is not the file that was expected (wrong checksum). Try again; if it stays so, the source has changed.`,
    );
  }
  await rename(part, file);
}

async function receiveAll(request: DownloadRequest): Promise<void> {
  for (let left = TRIES; ; left--) {
    try {
      return await receive(request);
    } catch (error) {
      request.signal?.throwIfAborted();
      if (!isNetworkFailure(error)) throw error;
      if (left > 1) continue;
      throw modelError(
        `${request.name} cannot be fetched: the server is not reached. Check the connection and try again; it continues where it broke off.`,
        error,
      );
    }
  }
}

async function receive(request: DownloadRequest): Promise<void> {
  const { fetch, url, part, name, signal, onProgress } = request;
  const before = await sizeOf(part);
  const response = await fetch(url, { headers: before > 0 ? { range: `bytes=${before}-` } : {}, signal });
  if (response.status === 416 && before > 0) {
    // Nothing is left to fetch when the part is as long as the whole.
    if (response.headers.get("content-range")?.endsWith(`/${before}`)) return;
    await rm(part, { force: true });
    return receive(request);
  }
  if (!response.ok || response.body === null) throw refusal(name, response.status);
  const append = response.status === 206;
  const length = Number(response.headers.get("content-length") ?? Number.NaN);
  let bytesDone = append ? before : 0;
  const total = Number.isFinite(length) ? { bytesTotal: bytesDone + length } : {};
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytesDone += chunk.length;
      onProgress?.({ phase: "fetching", name, bytesDone, ...total });
      done(null, chunk);
    },
  });
  await pipeline(Readable.fromWeb(response.body), meter, createWriteStream(part, { flags: append ? "a" : "w" }));
}

/** What an answer other than the file means. */
export function refusal(name: string, status: number): EngineError {
  const why = REFUSALS[status] ?? (status >= 500 ? "The server has a fault; try again later." : "Look at the address.");
  return modelError(`${name} cannot be fetched: the server answered ${status}. ${why}`);
}

const REFUSALS: Readonly<Record<number, string>> = {
  401: "Check the API key.",
  402: "The workspace has no credits left.",
  403: "The API key has no right to it, or the workspace is paused.",
  404: "It does not exist there, or the API key cannot see it. Check the id.",
  423: "The use of the API is paused for this workspace.",
  429: "Too many requests; try again in a minute.",
};

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
