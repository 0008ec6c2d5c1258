// text of a sink → object in S3
import { AwsClient } from "aws4fetch";
import type { HttpRequest, SendRequest, StoredObject } from "../blocks/effects.ts";
import { inputError } from "../errors.ts";

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
