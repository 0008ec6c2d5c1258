// http(s) address → the bytes there, from the public internet only
import { EngineError, type FetchRefusal, guardedFetch, isPublicAddress } from "@vision-agent/vision-engine";
import { withoutCredentials } from "../workspace/camera-address.ts";

export interface FetchPictureOptions {
  readonly maxBytes: number;
  /** For all of it, redirects included. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Which IP addresses may be asked. Default: the public internet. */
  readonly isAllowed?: (address: string) => boolean;
}

const MOST_REDIRECTS = 3;

/** Throws a sentence without credentials. */
export async function fetchPicture(url: URL, options: FetchPictureOptions): Promise<Uint8Array> {
  const { signal, isAllowed = isPublicAddress, maxBytes, timeoutMs } = options;
  const request = { method: "GET", headers: { accept: "image/*" }, signal } as const;
  const limits = { isAllowed, maxBytes, timeoutMs, maxRedirects: MOST_REDIRECTS };
  const response = await guardedFetch(url.href, request, limits).catch((cause: unknown) => {
    signal.throwIfAborted();
    const type = cause instanceof EngineError ? cause.type : undefined;
    throw refusal(url, reasonsOf(options)[type as FetchRefusal] ?? "it is not reached", cause);
  });
  if (response.status !== 200) throw refusal(url, `the server answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

function reasonsOf({ maxBytes, timeoutMs }: FetchPictureOptions): Readonly<Record<FetchRefusal, string>> {
  return {
    AddressNotAllowed:
      "it lies on this machine or in a local network, and only registered cameras are read there; add it to CAMERAS.md, or give the file",
    AnswerTooLarge: `it is larger than ${Math.floor(maxBytes / 1e6)} MB`,
    TimedOut: `it took longer than ${timeoutMs / 1000} s`,
    TooManyRedirects: `it redirects more than ${MOST_REDIRECTS} times`,
    UnknownScheme: "only http and https are read",
  };
}

function refusal(url: URL, reason: string, cause?: unknown): Error {
  return new Error(`The picture at ${withoutCredentials(url.href)} cannot be had: ${reason}.`, { cause });
}
