// one request → one whole answer, or an error; nothing is repeated here
import { type Agent, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { ClientError } from "../errors.ts";

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

/** Rejects with Node's own error when there is no answer, with the signal's reason when it fires, `protocol` when too large. */
export async function exchange(request: Exchange): Promise<WholeAnswer> {
  const { status, headers, bytes } = await receive(request);
  if (headers["content-encoding"] !== "gzip") return { status, headers, body: bytes.toString("utf8") };
  const plain = await unzip(bytes, { maxOutputLength: request.maxBytes }).catch((cause: Error) => {
    throw new ClientError({ kind: "protocol", message: "The answer cannot be unpacked.", cause });
  });
  return { status, headers, body: plain.toString("utf8") };
}

function receive({ url, method, headers, body: text, agent, signal, maxBytes }: Exchange) {
  // As bytes once: Node writes a large text more slowly, and needs its length in bytes anyway.
  const body = text === undefined ? undefined : Buffer.from(text);
  return new Promise<{ status: number; headers: IncomingMessage["headers"]; bytes: Buffer }>((done, fail) => {
    const start = url.protocol === "https:" ? requestHttps : requestHttp;
    const outgoing = start(url, {
      method,
      agent,
      headers: body === undefined ? headers : { ...headers, "content-length": body.length },
    });
    const stop = (): void => {
      outgoing.destroy();
      leave(() => fail(signal.reason));
    };
    const leave = (settle: () => void): void => {
      signal.removeEventListener("abort", stop);
      settle();
    };
    outgoing.on("error", (error) => leave(() => fail(error)));
    outgoing.on("response", (incoming) => {
      const chunks: Buffer[] = [];
      let received = 0;
      incoming.on("data", (chunk: Buffer) => {
        received += chunk.length;
        if (received > maxBytes) {
          outgoing.destroy();
          leave(() =>
            fail(new ClientError({ kind: "protocol", message: `The answer is larger than ${maxBytes} bytes.` })),
          );
        } else chunks.push(chunk);
      });
      incoming.on("error", (error) => leave(() => fail(error)));
      incoming.on("end", () =>
        leave(() =>
          done({ status: incoming.statusCode ?? 0, headers: incoming.headers, bytes: Buffer.concat(chunks) }),
        ),
      );
    });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    outgoing.end(body);
  });
}
