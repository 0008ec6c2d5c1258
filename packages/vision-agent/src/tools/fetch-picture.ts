// http(s) address → the bytes there, from the public internet only
import { lookup } from "node:dns";
import { get as getHttp, type IncomingMessage } from "node:http";
import { get as getHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress } from "@vision-agent/vision-engine";
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

/**
 * Throws a sentence without credentials. The address that was checked is the one that is connected to: a name
 * that points somewhere else the second time gains nothing.
 */
export async function fetchPicture(url: URL, options: FetchPictureOptions): Promise<Uint8Array> {
  const limit = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([options.signal, limit]);
  try {
    let address = url;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      const answer = await ask(address, { ...options, signal });
      if (answer.kind === "bytes") return answer.bytes;
      address = answer.to;
    }
    throw refusal(url, `it redirects more than ${MOST_REDIRECTS} times`);
  } catch (thrown) {
    options.signal.throwIfAborted();
    if (thrown instanceof Refusal) throw thrown;
    const reason = limit.aborted ? `it took longer than ${options.timeoutMs / 1000} s` : "it is not reached";
    throw refusal(url, reason, thrown);
  }
}

class Refusal extends Error {}

function refusal(url: URL, reason: string, cause?: unknown): Refusal {
  return new Refusal(`The picture at ${withoutCredentials(url.href)} cannot be had: ${reason}.`, { cause });
}

type Answer = { readonly kind: "bytes"; readonly bytes: Uint8Array } | { readonly kind: "moved"; readonly to: URL };

async function ask(url: URL, options: FetchPictureOptions): Promise<Answer> {
  if (url.protocol !== "http:" && url.protocol !== "https:") throw refusal(url, "only http and https are read");
  const { isAllowed = isPublicAddress } = options;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // For an address in numbers nobody is asked.
  if (isIP(host) !== 0 && !isAllowed(host)) throw refusal(url, NOT_ALLOWED);
  const response = await open(url, { signal: options.signal, lookup: guardedLookup(url, isAllowed) });
  const { statusCode = 0, headers } = response;
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
    response.destroy();
    return { kind: "moved", to: new URL(headers.location, url) };
  }
  if (statusCode !== 200) {
    response.destroy();
    throw refusal(url, `the server answered ${statusCode}`);
  }
  return { kind: "bytes", bytes: await readAll(url, response, options.maxBytes) };
}

const NOT_ALLOWED =
  "it lies on this machine or in a local network, and only registered cameras are read there; add it to CAMERAS.md, or give the file";

function guardedLookup(url: URL, isAllowed: (address: string) => boolean): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, "");
      if (!found.every(({ address }) => isAllowed(address))) return done(refusal(url, NOT_ALLOWED), "");
      const [first] = found;
      if (options.all) return done(null, found);
      return done(null, first?.address ?? "", first?.family);
    });
  };
}

function open(
  url: URL,
  options: { readonly signal: AbortSignal; readonly lookup: LookupFunction },
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const get = url.protocol === "https:" ? getHttps : getHttp;
  get(url, { ...options, headers: { accept: "image/*" } }, resolve).once("error", reject);
  return promise;
}

async function readAll(url: URL, response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const piece of response) {
    total += (piece as Uint8Array).length;
    if (total > maxBytes) throw refusal(url, `it is larger than ${Math.floor(maxBytes / 1e6)} MB`);
    pieces.push(piece as Uint8Array);
  }
  return Buffer.concat(pieces);
}
