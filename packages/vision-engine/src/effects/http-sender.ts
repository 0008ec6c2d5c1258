// request of a sink → web
import { lookup as lookupAddress } from "node:dns";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { HttpRequest, SendRequest } from "../blocks/effects.ts";
import { inputError } from "../errors.ts";
import { isPublicAddress } from "./public-address.ts";

export interface HttpSenderOptions {
  /** Refuses addresses that are not public (this machine, the local network) and redirects. Default false. */
  readonly publicOnly?: boolean;
}

/** Redirects that are followed in a row. */
const MAX_REDIRECTS = 5;
/** Answers are read up to here; sinks need no more. */
const MAX_ANSWER_BYTES = 1_000_000;

/**
 * Like `fetch`, with a body for GET too. The address that a name stands for is checked when the connection is made,
 * so that a name cannot change its meaning in between.
 */
export function createHttpSender({ publicOnly = false }: HttpSenderOptions = {}): SendRequest {
  return async (address, request) => {
    let step: Step = { url: parseAddress(address), request: await encode(request) };
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const response = await sendOnce(step, publicOnly);
      const location = response.headers.get("location");
      if (response.status < 300 || response.status >= 400 || location === null) return response;
      if (publicOnly) throw inputError("redirects are not allowed");
      step = redirected(step, parseAddress(new URL(location, step.url).href), response.status);
    }
    throw inputError(`the server redirects more than ${MAX_REDIRECTS} times`);
  };
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
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw inputError("the address must begin with http:// or https://");
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

async function sendOnce({ url, request }: Step, publicOnly: boolean): Promise<Response> {
  const { method, headers, body, signal } = request;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (publicOnly && isIP(host) !== 0 && !isPublicAddress(host)) throw notPublic(host);
  const length = body === undefined ? {} : { "content-length": String(body.length) };
  const options = { method, headers: { ...headers, ...length }, signal, ...(publicOnly && { lookup: lookupPublic }) };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    send(url, options, resolve)
      .on("error", (error) => reject(plainError(error, signal)))
      .end(body);
  });
  return toResponse(answer);
}

function plainError(error: Error, signal: AbortSignal | undefined): Error {
  const code = (error as NodeJS.ErrnoException).code;
  if (signal?.aborted) return inputError("the server did not answer in time");
  if (code === "ECONNREFUSED") return inputError("the server refused the connection");
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return inputError("no server has this name");
  return error;
}

async function toResponse(answer: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) break;
    chunks.push(chunk);
  }
  const { statusCode = 500, statusMessage = "" } = answer;
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
  const isEmpty = statusCode === 204 || statusCode === 205 || statusCode === 304;
  return new Response(isEmpty ? null : Buffer.concat(chunks), {
    status: statusCode,
    statusText: statusMessage,
    headers,
  });
}

/** Looks a name up and refuses it when any of its addresses is not public. */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookupAddress(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, "");
    const hidden = addresses.find(({ address }) => !isPublicAddress(address));
    if (hidden !== undefined || addresses.length === 0) return callback(notPublic(hostname), "");
    if (options.all === true) return callback(null, addresses);
    callback(null, addresses[0]!.address, addresses[0]!.family);
  });
};

function notPublic(host: string): Error {
  return inputError(`${host} is not a public address`);
}
