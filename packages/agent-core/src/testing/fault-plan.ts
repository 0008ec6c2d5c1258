// an answer as events of the wire + what goes wrong → bytes on a socket
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";

/** What goes wrong with one request. Events are counted from 1. */
export type LoopbackFault =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly type?: string;
      readonly code?: string;
      readonly message?: string;
      readonly headers?: { readonly [name: string]: string };
    }
  /** The headers come so much later. */
  | { readonly kind: "delay"; readonly ms: number }
  /** Sends nothing more and keeps the connection. With 0 not even the headers come. */
  | { readonly kind: "stall"; readonly afterEvent: number }
  /** The socket goes, after an event or in the middle of one. */
  | { readonly kind: "drop"; readonly afterEvent: number }
  | { readonly kind: "drop"; readonly afterByte: number }
  /** Ends in good order, too early. */
  | { readonly kind: "eof"; readonly afterEvent: number }
  | { readonly kind: "error_event"; readonly afterEvent: number; readonly type: string; readonly message?: string }
  /** All is sent, one byte at a time. */
  | { readonly kind: "bytes" }
  /** All is sent, one event at a time with a wait between. */
  | { readonly kind: "drip"; readonly everyMs: number }
  /** All is sent, this event twice. */
  | { readonly kind: "duplicate"; readonly event: number }
  /** All is sent, with an event of a type that nobody knows. */
  | { readonly kind: "unknown_event"; readonly afterEvent: number }
  | { readonly kind: "pings"; readonly afterEvent: number; readonly count: number }
  | { readonly kind: "gzip" }
  | { readonly kind: "body"; readonly contentType: string; readonly text: string };

/** Faults that come instead of an answer, before it is looked up. */
export type EarlyFault = Extract<LoopbackFault, { kind: "status" | "body" }>;
type StreamFault = Exclude<LoopbackFault, EarlyFault>;

/** One answer, encoded for its wire. */
export interface WireStream {
  readonly headers: { readonly [name: string]: string };
  readonly events: readonly string[];
  readonly ping: string;
  readonly unknown: string;
  error(type: string, message: string): string;
}

const WHOLE: ReadonlySet<string> = new Set(["delay", "bytes", "drip", "duplicate", "unknown_event", "pings", "gzip"]);

/** Whether the client gets all of its answer in spite of it. */
export function deliversAnswer(fault: LoopbackFault | undefined): boolean {
  return !fault || WHOLE.has(fault.kind);
}

export async function sendStream(response: ServerResponse, stream: WireStream, fault?: StreamFault): Promise<void> {
  if (fault?.kind === "stall" && fault.afterEvent === 0) return;
  if (fault?.kind === "delay") await wait(fault.ms);
  const isZipped = fault?.kind === "gzip";
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    ...(isZipped ? { "content-encoding": "gzip" } : {}),
    ...stream.headers,
  });
  response.flushHeaders();
  const text = toText(stream, fault);
  if (isZipped) await write(response, gzipSync(text));
  else if (fault?.kind === "bytes") for (const byte of Buffer.from(text)) await write(response, Buffer.of(byte));
  else if (fault?.kind === "drip") await dripEvents(response, stream.events, fault.everyMs);
  else if (text !== "") await write(response, toBytes(text, fault));
  await end(response, fault);
}

/** What is sent, cut and filled as the fault says. */
function toText(stream: WireStream, fault: StreamFault | undefined): string {
  const { events } = stream;
  const cut = fault && "afterEvent" in fault ? fault.afterEvent : events.length;
  const before = events.slice(0, cut).join("");
  const after = events.slice(cut).join("");
  switch (fault?.kind) {
    case "stall":
    case "eof":
    case "drop":
      return before;
    case "error_event":
      return before + stream.error(fault.type, fault.message ?? "on purpose");
    case "unknown_event":
      return before + stream.unknown + after;
    case "pings":
      return before + stream.ping.repeat(fault.count) + after;
    case "duplicate":
      return events.flatMap((event, index) => (index + 1 === fault.event ? [event, event] : [event])).join("");
    default:
      return events.join("");
  }
}

function toBytes(text: string, fault: StreamFault | undefined): Buffer {
  const bytes = Buffer.from(text);
  return fault?.kind === "drop" && "afterByte" in fault ? bytes.subarray(0, fault.afterByte) : bytes;
}

async function dripEvents(response: ServerResponse, events: readonly string[], everyMs: number): Promise<void> {
  for (const event of events) {
    await write(response, event);
    await wait(everyMs);
  }
}

async function end(response: ServerResponse, fault: StreamFault | undefined): Promise<void> {
  if (fault?.kind === "stall") return;
  if (fault?.kind !== "drop") {
    response.end();
    return;
  }
  // What was written must leave before the socket goes.
  await wait(5);
  response.destroy();
}

function wait(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

/** Resolves also when the reader has gone. */
function write(response: ServerResponse, piece: string | Buffer): Promise<void> {
  return new Promise((done) => {
    response.write(piece, () => done());
  });
}
