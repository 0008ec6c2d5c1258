// what a route says → bytes on the wire
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Json } from "@vision-agent/protocol";

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  /** The parsed body; `undefined` when it is no JSON. */
  readonly json: Json | undefined;
  /** A key in any of the places the server reads; `undefined` without one. */
  readonly key: string | undefined;
}

export interface FakeAnswer {
  readonly status: number;
  readonly body: Json | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Gzips when the client accepts it, and then forgets the content type, as the describe routes do. */
  readonly forgetfulGzip?: true;
}

export type FakeRoute = (request: Request) => FakeAnswer | Promise<FakeAnswer>;

/** A refusal, thrown from any depth of a route. */
export class FakeRefusal extends Error {
  readonly answer: FakeAnswer;

  constructor(answer: FakeAnswer) {
    super(`answer ${answer.status}`);
    this.answer = answer;
  }
}

export function ok(body: Json | Uint8Array, headers?: Readonly<Record<string, string>>): FakeAnswer {
  return headers === undefined ? { status: 200, body } : { status: 200, body, headers };
}

export function failure(status: number, message: string, more: Readonly<Record<string, Json>> = {}): FakeAnswer {
  return { status, body: { message, ...more } };
}

export function detail(status: number, text: string, headers?: Readonly<Record<string, string>>): FakeAnswer {
  const body = { detail: text };
  return headers === undefined ? { status, body } : { status, body, headers };
}

export function writeAnswer(request: Pick<Request, "headers">, answer: FakeAnswer, response: ServerResponse): void {
  const headers: Record<string, string> = {
    server: "uvicorn",
    "x-inference-engine": "inference-models",
    "x-request-id": randomUUID().replaceAll("-", ""),
    ...answer.headers,
  };
  let bytes: Uint8Array = answer.body instanceof Uint8Array ? answer.body : Buffer.from(JSON.stringify(answer.body));
  if (answer.forgetfulGzip && String(request.headers["accept-encoding"] ?? "").includes("gzip")) {
    bytes = gzipSync(bytes);
    headers["content-encoding"] = "gzip";
  } else {
    headers["content-type"] ??= "application/json";
  }
  headers["content-length"] = String(bytes.byteLength);
  response.writeHead(answer.status, headers).end(bytes);
}
