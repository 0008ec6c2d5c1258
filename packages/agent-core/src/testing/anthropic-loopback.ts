// a strict stand-in for the Messages API on 127.0.0.1
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { findWireProblem, type WireProblem, type WireRequest } from "./wire-checks.ts";
import { type LoopbackReply, toWireEvents, type WireEvent } from "./wire-reply.ts";

/** What goes wrong with one request. Events are counted from 1, `message_start` first. */
export type LoopbackFault =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly type?: string;
      readonly message?: string;
      readonly headers?: { readonly [name: string]: string };
    }
  /** Sends nothing more and keeps the connection. With 0 not even the headers come. */
  | { readonly kind: "stall"; readonly afterEvent: number }
  | { readonly kind: "drop"; readonly afterEvent: number }
  | { readonly kind: "eof"; readonly afterEvent: number }
  | { readonly kind: "error_event"; readonly afterEvent: number; readonly type: string; readonly message?: string }
  /** All is sent, one byte at a time. */
  | { readonly kind: "bytes" }
  | { readonly kind: "body"; readonly contentType: string; readonly text: string };

/** What the server says, and what goes wrong. */
export interface LoopbackOptions {
  /** Answers in order, or a function of the request and its number (from 1). */
  readonly script: readonly LoopbackReply[] | ((request: WireRequest, number: number) => LoopbackReply);
  /** By request, first is 0. A request that fails on purpose does not use up an answer. */
  readonly faults?: readonly (LoopbackFault | undefined)[];
  /** Default `test-key`. */
  readonly apiKey?: string;
}

/** A server that runs until it is closed. */
export interface AnthropicLoopback {
  readonly url: string;
  readonly apiKey: string;
  /** Bodies that came, refused ones included. */
  readonly requests: readonly WireRequest[];
  /** What it refused requests for. */
  readonly refusals: readonly WireProblem[];
  /** Connections that the client has not closed. */
  openConnections(): Promise<number>;
  /** May be called twice. */
  close(): Promise<void>;
}

/** Listens on a free port of the loopback interface. */
export async function startAnthropicLoopback(options: LoopbackOptions): Promise<AnthropicLoopback> {
  const { script, faults = [], apiKey = "test-key" } = options;
  const requests: WireRequest[] = [];
  const refusals: WireProblem[] = [];
  let answered = 0;

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(incoming);
    requests.push(body);
    const fault = faults[requests.length - 1];
    if (fault?.kind === "status") return sendProblem(response, toProblem(fault), fault.headers);
    if (fault?.kind === "body") return sendBody(response, fault.contentType, fault.text);
    const problem = incoming.url?.startsWith("/v1/messages")
      ? findWireProblem(incoming.headers, body, apiKey)
      : { status: 404, type: "not_found_error", message: "no such address" };
    if (problem) {
      refusals.push(problem);
      return sendProblem(response, problem);
    }
    const reply = typeof script === "function" ? script(body, answered + 1) : script[answered];
    if (!fault || fault.kind === "bytes") answered += 1;
    if (!reply) return sendProblem(response, { status: 500, type: "api_error", message: "the script is over" });
    await sendEvents(response, toWireEvents(reply, body, requests.length), fault, requests.length);
  };

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((thrown: unknown) =>
      response.destroy(thrown instanceof Error ? thrown : undefined),
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    apiKey,
    requests,
    refusals,
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

async function readBody(incoming: IncomingMessage): Promise<WireRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString("utf8") || "{}") as WireRequest;
}

function toProblem(fault: Extract<LoopbackFault, { kind: "status" }>): WireProblem {
  return { status: fault.status, type: fault.type ?? "api_error", message: fault.message ?? "on purpose" };
}

function sendProblem(
  response: ServerResponse,
  { status, type, message }: WireProblem,
  headers: { readonly [name: string]: string } = {},
): void {
  response.writeHead(status, { "content-type": "application/json", "request-id": "req_problem", ...headers });
  response.end(JSON.stringify({ type: "error", error: { type, message }, request_id: "req_problem" }));
}

function sendBody(response: ServerResponse, contentType: string, text: string): void {
  response.writeHead(200, { "content-type": contentType });
  response.end(text);
}

async function sendEvents(
  response: ServerResponse,
  events: readonly WireEvent[],
  fault: Exclude<LoopbackFault, { kind: "status" | "body" }> | undefined,
  number: number,
): Promise<void> {
  const cut = fault && "afterEvent" in fault ? fault.afterEvent : events.length;
  if (fault?.kind === "stall" && cut === 0) return;
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "request-id": `req_${number}`,
  });
  response.flushHeaders();
  const first = events.slice(0, cut).map(encode).join("");
  if (fault?.kind === "bytes") {
    for (const byte of Buffer.from(first)) await write(response, Buffer.of(byte));
  } else if (first !== "") {
    await write(response, first);
  }
  await sendFault(response, fault);
}

async function sendFault(
  response: ServerResponse,
  fault: Exclude<LoopbackFault, { kind: "status" | "body" }> | undefined,
): Promise<void> {
  switch (fault?.kind) {
    case "stall":
      return;
    case "drop":
      // What was written must leave before the socket goes.
      await new Promise((done) => setTimeout(done, 5));
      response.destroy();
      return;
    case "error_event": {
      const error = { type: fault.type, message: fault.message ?? "on purpose" };
      response.end(encode({ event: "error", data: { type: "error", error, request_id: "req_fault" } }));
      return;
    }
    default:
      response.end();
  }
}

function encode({ event, data }: WireEvent): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Resolves also when the reader has gone. */
function write(response: ServerResponse, piece: string | Buffer): Promise<void> {
  return new Promise((done) => {
    response.write(piece, () => done());
  });
}
