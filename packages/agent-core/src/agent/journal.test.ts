import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentEvent, AgentEventBody } from "../types/events.ts";
import { EventLog } from "./journal.ts";

describe("EventLog", () => {
  it("lets everyone read from the beginning to the end, also after it", async () => {
    const log = newLog();
    const early = collect(log.read());
    log.emit(1, warning("a"));
    log.emit(1, warning("b"));
    log.close();
    expect((await early).map(({ seq }) => seq)).toEqual([1, 2]);
    expect((await collect(log.read(1))).map(({ seq }) => seq)).toEqual([2]);
    expect(await collect(log.read(99))).toEqual([]);
  });

  it("SC-18 passes text on piece by piece to one who keeps up", async () => {
    const log = newLog();
    const reader = log.read();
    const pieces: string[] = [];
    for (const text of ["a", "b", "c"]) {
      log.emit(1, delta(text));
      const { value } = await reader.next();
      if (value?.type === "text_delta") pieces.push(value.text);
    }
    expect(pieces).toEqual(["a", "b", "c"]);
  });

  it("joins text that nobody has taken, within a message", async () => {
    const log = newLog();
    for (let piece = 0; piece < 10_000; piece++) log.emit(1, delta("x"));
    log.emit(1, delta("y", "m2"));
    log.close();
    const events = await collect(log.read());
    expect(events.map((event) => (event.type === "text_delta" ? event.text.length : 0))).toEqual([10_000, 1]);
  });

  it("forgets the oldest beyond its bound and goes on from the first it has", async () => {
    const log = newLog(100);
    for (let count = 0; count < 1_000; count++) log.emit(1, warning("w"));
    log.close();
    const events = await collect(log.read());
    expect(events.length).toBeGreaterThanOrEqual(100);
    expect(events.length).toBeLessThanOrEqual(125);
    expect(events.at(-1)?.seq).toBe(1_000);
  });

  it("takes nothing after it was closed, and a reader who left disturbs nobody", async () => {
    const log = newLog();
    log.emit(1, warning("a"));
    for await (const _ of log.read()) break;
    log.emit(1, warning("b"));
    log.close();
    log.emit(1, warning("c"));
    expect(await collect(log.read())).toHaveLength(2);
  });

  it("invariant 9: numbers are dense, and replay after k joined to what was seen up to k is the whole", async () => {
    const body = fc.oneof(
      fc.constant(warning("w")),
      fc.string({ minLength: 1, maxLength: 3 }).map((text) => delta(text)),
      fc.constant("read" as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(body, { maxLength: 30 }), fc.nat(30), async (script, k) => {
        const { log, seen } = await play(script);
        const text = script.map((step) => (step !== "read" && step.type === "text_delta" ? step.text : "")).join("");
        expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
        expect(seen.map((event) => (event.type === "text_delta" ? event.text : "")).join("")).toBe(text);
        const replay = await collect(log.read(k));
        expect([...seen.filter(({ seq }) => seq <= k), ...replay]).toEqual(seen);
      }),
      { numRuns: 200, seed: 9 },
    );
  });
});

/** Writes and reads by turns, then reads to the end. */
async function play(script: readonly (AgentEventBody | "read")[]): Promise<{
  readonly log: EventLog;
  readonly seen: readonly AgentEvent[];
}> {
  const log = newLog();
  const reader = log.read();
  const seen: AgentEvent[] = [];
  const pending: Promise<unknown>[] = [];
  for (const step of script) {
    if (step !== "read") {
      log.emit(1, step);
      await Promise.resolve();
    } else {
      pending.push(reader.next().then(({ value }) => value && seen.push(value)));
    }
  }
  log.close();
  await Promise.all(pending);
  for await (const event of reader) seen.push(event);
  return { log, seen };
}

function newLog(maxEvents?: number): EventLog {
  const now = (): string => "2026-01-01T00:00:00.000Z";
  return new EventLog({ runId: "r", sessionId: "s", now, maxEvents });
}

function warning(message: string): AgentEventBody {
  return { type: "warning", code: "budget", message };
}

function delta(text: string, messageId = "m1"): Extract<AgentEventBody, { type: "text_delta" }> {
  return { type: "text_delta", messageId, text } as Extract<AgentEventBody, { type: "text_delta" }>;
}

async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
