// one request → one whole answer, or an error; nothing is repeated here
import { once } from "node:events";
import { type Agent, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { clientError } from "../errors.ts";

const unzip = promisify(gunzip);

export interface Exchange {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  /** Also with GET: servers read one there. */
  readonly body?: string;
  readonly agent: Agent;
  /** Ends the request at once, whatever has arrived. */
  readonly signal: AbortSignal;
  readonly maxBytes: number;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Rejects with Node's own error when there is no answer, also when the signal fires, `protocol` when too large. */
export async function exchange(request: Exchange): Promise<WholeAnswer> {
  const { status, headers, bytes } = await receive(request);
  if (headers["content-encoding"] !== "gzip") return { status, headers, body: bytes.toString("utf8") };
  const plain = await unzip(bytes, { maxOutputLength: request.maxBytes }).catch((cause: Error) => {
    throw clientError("protocol", "The answer cannot be unpacked.", { cause });
  });
  return { status, headers, body: plain.toString("utf8") };
}

async function receive({ url, method, headers, body: text, agent, signal, maxBytes }: Exchange) {
  // As bytes once: Node writes a large text more slowly, and needs its length in bytes anyway.
  const body = text === undefined ? undefined : Buffer.from(text);
  const outgoing = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
    method,
    agent,
    signal,
    headers: body === undefined ? headers : { ...headers, "content-length": body.length },
  });
  const answered = once(outgoing, "response");
  outgoing.end(body);
  const [incoming] = (await answered) as [IncomingMessage];
  // What breaks from here on is told by the answer itself.
  outgoing.on("error", () => undefined);
  const chunks: Buffer[] = [];
  let received = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (received > maxBytes) {
      throw clientError("protocol", `The answer is larger than ${maxBytes} bytes.`);
    }
    chunks.push(chunk);
  }
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, bytes: Buffer.concat(chunks) };
}
