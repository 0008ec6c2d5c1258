// request → web, to allowed addresses only
import { lookup as lookupAddress } from "node:dns";
import { lookup as findAddresses } from "node:dns/promises";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";
import type { HttpRequest, SendRequest } from "../blocks/effects.ts";
import { type EngineError, inputError } from "../errors.ts";
import { addressProblem } from "../sources/source-address.ts";

export interface GuardedFetchOptions {
  /** Which IP addresses may be connected to, after redirects too. Default: all. */
  readonly isAllowed?: (address: string) => boolean;
  /** Redirects that are followed in a row. Default 5. */
  readonly maxRedirects?: number;
  /** Longer answers are refused. Default: the first megabyte is read and the rest left. */
  readonly maxBytes?: number;
  /** For all of it, redirects and answer included. Default: as long as the request's signal allows. */
  readonly timeoutMs?: number;
}

/** `EngineError.type` of what `guardedFetch` refuses by itself. */
export type FetchRefusal = "AddressNotAllowed" | "AnswerTooLarge" | "TimedOut" | "TooManyRedirects" | "UnknownScheme";

const MAX_REDIRECTS = 5;
/** Answers to sinks are read up to here; they need no more. */
const MAX_ANSWER_BYTES = 1_000_000;

/**
 * Like `fetch`, with a body for GET too. The address that a name stands for is checked when the connection is made,
 * so that a name cannot change its meaning in between. Throws `EngineError` kind `input`, its type a `FetchRefusal`.
 */
export async function guardedFetch(
  address: string,
  request: HttpRequest,
  options: GuardedFetchOptions = {},
): Promise<Response> {
  const { maxRedirects = MAX_REDIRECTS, timeoutMs } = options;
  const limit = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
  const given = request.signal === undefined ? [] : [request.signal];
  const signal = limit.length + given.length > 0 ? AbortSignal.any([...limit, ...given]) : undefined;
  const problem = addressProblem(address);
  if (problem !== undefined) throw refusal("AddressNotAllowed", problem);
  let step: Step = { url: parseAddress(address), request: await encode({ ...request, signal }) };
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await sendOnce(step, options);
    const location = response.headers.get("location");
    if (!isRedirect(response.status) || location === null) return response;
    step = redirected(step, parseAddress(new URL(location, step.url).href), response.status);
  }
  const told =
    maxRedirects === 0 ? "redirects are not allowed" : `the server redirects more than ${maxRedirects} times`;
  throw refusal("TooManyRedirects", told);
}

/** Without redirects: who may receive a picture was decided for one address. `publicOnly` refuses this machine and the local network. */
export function createHttpSender({ publicOnly = false }: { readonly publicOnly?: boolean } = {}): SendRequest {
  const options = { maxRedirects: 0, ...(publicOnly && { isAllowed: isPublicAddress }) };
  return (address, request) => guardedFetch(address, request, options);
}

interface Step {
  readonly url: URL;
  readonly request: EncodedRequest;
}

interface EncodedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
}

/** Credentials are not handed to another host; only 307 and 308 send the body again. */
function redirected({ url, request }: Step, next: URL, status: number): Step {
  const { body: _body, ...bare } = request;
  const keepsBody = status === 307 || status === 308;
  const dropped = [...(next.origin === url.origin ? [] : ["authorization"]), ...(keepsBody ? [] : ["content-type"])];
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !dropped.includes(name)));
  if (keepsBody) return { url: next, request: { ...request, headers } };
  return { url: next, request: { ...bare, method: "GET", headers } };
}

function parseAddress(address: string): URL {
  // `http:host` would do for a browser, and be shown as something else.
  if (/^https?:\/\//i.test(address) && URL.canParse(address)) return new URL(address);
  throw refusal("UnknownScheme", "the address must begin with http:// or https://");
}

/** Forms as bytes, with the header that tells what they are. */
async function encode({ method, body, headers = {}, signal }: HttpRequest): Promise<EncodedRequest> {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const request = { method, headers: named, signal };
  if (body === undefined) return request;
  const encoded = new Response(body);
  const contentType = encoded.headers.get("content-type");
  const typed = contentType === null ? named : { "content-type": contentType, ...named };
  return { ...request, headers: typed, body: new Uint8Array(await encoded.arrayBuffer()) };
}

async function sendOnce({ url, request }: Step, { isAllowed, maxBytes }: GuardedFetchOptions): Promise<Response> {
  const { method, headers, body, signal } = request;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // For an address in numbers no name server is asked.
  if (isAllowed !== undefined && isIP(host) !== 0 && !isAllowed(host)) throw notAllowed(host);
  const length = body === undefined ? {} : { "content-length": String(body.length) };
  const lookup = isAllowed === undefined ? {} : { lookup: guardedLookup(isAllowed) };
  const options = { method, headers: { ...headers, ...length }, signal, ...lookup };
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const send = url.protocol === "https:" ? requestHttps : requestHttp;
      send(url, options, resolve).on("error", reject).end(body);
    });
    return await toResponse(answer, maxBytes);
  } catch (error) {
    throw signal?.aborted ? refusal("TimedOut", "the server did not answer in time") : plainError(error, "server");
  }
}

/** Why a connection failed, in words; `peer` is who should have answered. */
export function plainError(error: unknown, peer: "server" | "broker"): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ECONNREFUSED") return inputError(`the ${peer} refused the connection`);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return inputError(`no ${peer} has this name`);
  return error;
}

async function toResponse(answer: IncomingMessage, maxBytes: number | undefined): Promise<Response> {
  const { statusCode = 500, statusMessage = "" } = answer;
  const chunks: Buffer[] = [];
  let size = 0;
  // What a redirect says besides its address is not read.
  for await (const chunk of isRedirect(statusCode) ? [] : answer) {
    size += chunk.length;
    if (maxBytes !== undefined && size > maxBytes) throw refusal("AnswerTooLarge", "the answer is too large");
    if (size > (maxBytes ?? MAX_ANSWER_BYTES)) break;
    chunks.push(chunk);
  }
  answer.destroy();
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
  const isEmpty = statusCode === 204 || statusCode === 205 || statusCode === 304;
  return new Response(isEmpty ? null : Buffer.concat(chunks), {
    status: statusCode,
    statusText: statusMessage,
    headers,
  });
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Looks a name up and refuses it when any of its addresses is not allowed. */
function guardedLookup(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookupAddress(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "");
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) {
        return callback(notAllowed(hostname), "");
      }
      if (options.all === true) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

/** Where a name leads, when that is public: connections go to this very address. Throws `EngineError` kind `input`. */
export async function publicAddressOf(host: string): Promise<string> {
  const found = isIP(host) === 0 ? await findAddresses(host, { all: true }) : [{ address: host }];
  const [first] = found;
  if (first === undefined || !found.every(({ address }) => isPublicAddress(address))) throw notAllowed(host);
  return first.address;
}

function notAllowed(host: string): EngineError {
  return refusal("AddressNotAllowed", `${host} is not a public address, and this program may reach public ones only`);
}

function refusal(type: FetchRefusal, message: string): EngineError {
  return inputError(message, type);
}

/** Of IPv4: this machine, local networks, and what is set aside for other uses. */
const NOT_PUBLIC = networks(
  "ipv4",
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24",
  "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3",
);
/** Of IPv6 only what is given out to the public, less the ranges that wrap an IPv4 address. */
const PUBLIC_V6 = networks("ipv6", "2000::/3");
const WRAPPED_V6 = networks("ipv6", "2001::/23 2001:db8::/32 2002::/16");

function networks(family: "ipv4" | "ipv6", ...lines: readonly string[]): BlockList {
  const list = new BlockList();
  for (const [network, bits] of lines
    .join(" ")
    .split(" ")
    .map((text) => text.split("/"))) {
    list.addSubnet(network!, Number(bits), family);
  }
  return list;
}

/** Whether an IP address belongs to the public internet. Text that is no address does not. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !NOT_PUBLIC.check(address, "ipv4");
    case 6:
      return PUBLIC_V6.check(address, "ipv6") && !WRAPPED_V6.check(address, "ipv6");
    default:
      return false;
  }
}
