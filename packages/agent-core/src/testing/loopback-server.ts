// an HTTP server on 127.0.0.1 that tests start and stop
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { deliversAnswer, type LoopbackFault, sendStream, type WireStream } from "./fault-plan.ts";

type StatusFault = Extract<LoopbackFault, { kind: "status" }>;

/** One request as it came. */
export interface Incoming {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** Of the whole body. */
  readonly bytes: number;
}

/** A refusal: a status and what the wire's error body holds. */
export interface WireProblem {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly code?: string;
}

/** What every loopback server has, whatever its wire. */
export interface Loopback<R> {
  readonly url: string;
  readonly apiKey: string;
  /** Bodies that asked for an answer, refused ones included. */
  readonly requests: readonly R[];
  /** What it refused requests for. */
  readonly refusals: readonly WireProblem[];
  /** Connections that the client has not closed. */
  openConnections(): Promise<number>;
  /** May be called twice. */
  close(): Promise<void>;
}

/** How one wire checks and answers. */
export interface LoopbackWire<R, S> {
  /** Where answers are asked for. */
  readonly path: string;
  readonly script: readonly S[] | ((request: R, number: number) => S);
  readonly faults: readonly (LoopbackFault | undefined)[];
  /** Undefined when all is well. */
  check(incoming: Incoming): WireProblem | undefined;
  /** `number` counts requests from 1. */
  encode(reply: S, request: R, number: number): WireStream;
  toErrorBody(problem: WireProblem): object;
  /** Other addresses: a JSON answer, or undefined when there is none. */
  side(incoming: Incoming): object | undefined;
}

/** Listens on a free port of the loopback interface. */
export async function openLoopback<R, S>(apiKey: string, wire: LoopbackWire<R, S>): Promise<Loopback<R>> {
  const requests: R[] = [];
  const refusals: WireProblem[] = [];
  let answered = 0;
  const refuse = (response: ServerResponse, problem: WireProblem): void => {
    refusals.push(problem);
    sendJson(response, problem.status, wire.toErrorBody(problem));
  };

  const answerSide = (incoming: Incoming, response: ServerResponse): void => {
    const problem = wire.check(incoming);
    const reply = problem ? undefined : wire.side(incoming);
    if (reply) sendJson(response, 200, reply);
    else refuse(response, problem ?? { status: 404, type: "not_found_error", message: "no such address" });
  };

  const nextReply = (request: R, fault: LoopbackFault | undefined): S | undefined => {
    const { script } = wire;
    const reply = typeof script === "function" ? script(request, answered + 1) : script[answered];
    if (deliversAnswer(fault)) answered += 1;
    return reply;
  };

  const answer = async (incoming: Incoming, response: ServerResponse): Promise<void> => {
    if (incoming.method !== "POST" || incoming.path !== wire.path) return answerSide(incoming, response);
    const request = incoming.body as R;
    const number = requests.push(request);
    const fault = wire.faults[number - 1];
    if (fault?.kind === "status")
      return sendJson(response, fault.status, wire.toErrorBody(toProblem(fault)), fault.headers);
    if (fault?.kind === "body") return sendText(response, fault.contentType, fault.text);
    const problem = wire.check(incoming);
    if (problem) return refuse(response, problem);
    const reply = nextReply(request, fault);
    if (reply) return sendStream(response, wire.encode(reply, request, number), fault);
    sendJson(response, 500, wire.toErrorBody({ status: 500, type: "api_error", message: "the script is over" }));
  };

  const server = await listen(answer);
  return { ...server, apiKey, requests, refusals };
}

async function listen(
  answer: (incoming: Incoming, response: ServerResponse) => Promise<void>,
): Promise<Pick<Loopback<never>, "url" | "openConnections" | "close">> {
  const server = createServer((message, response) => {
    const read = async (): Promise<void> => {
      const pieces: Buffer[] = [];
      for await (const piece of message) pieces.push(piece as Buffer);
      const text = Buffer.concat(pieces).toString("utf8");
      await answer(
        {
          method: message.method ?? "GET",
          path: (message.url ?? "/").split("?")[0] ?? "/",
          headers: message.headers,
          body: text === "" ? {} : JSON.parse(text),
          bytes: text.length,
        },
        response,
      );
    };
    read().catch((thrown: unknown) => response.destroy(thrown instanceof Error ? thrown : undefined));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    openConnections: () =>
      new Promise((done, fail) => server.getConnections((error, count) => (error ? fail(error) : done(count)))),
    close() {
      closing ??= new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      });
      return closing;
    },
  };
}

function toProblem({ status, type = "api_error", message = "on purpose", code }: StatusFault): WireProblem {
  return { status, type, message, code };
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: { readonly [name: string]: string } = {},
): void {
  response.writeHead(status, {
    "content-type": "application/json",
    // A connection that is kept alive would count as one that the client forgot.
    connection: "close",
    "request-id": "req_json",
    "x-request-id": "req_json",
    ...headers,
  });
  response.end(JSON.stringify(body));
}

function sendText(response: ServerResponse, contentType: string, text: string): void {
  response.writeHead(200, { "content-type": contentType });
  response.end(text);
}
