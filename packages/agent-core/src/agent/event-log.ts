// what the loop reports → a bounded log that many can read at their own pace
import type { AgentEvent, AgentEventBody, EventBase } from "../types/events.ts";

type Delta = Extract<AgentEvent, { type: "text_delta" | "thinking_delta" | "tool_input_delta" }>;
type DeltaBody = Extract<AgentEventBody, { type: Delta["type"] }>;

export interface EventLogOptions {
  readonly runId: string;
  readonly sessionId: string;
  /** ISO 8601. */
  readonly now: () => string;
  /** Told of each event as it happens, pieces of text one by one. Must not throw. */
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
  /** Beyond this, pieces of text are forgotten first, then the oldest of all. Default 5 000. */
  readonly maxEvents?: number;
}

/**
 * Numbers events densely from 1 and keeps the last ones for replay. Writing never waits for a reader: text that no
 * reader has taken yet grows in place, so that one who is slow gets few large pieces instead of a long queue.
 */
export class EventLog {
  readonly #base: Pick<EventBase, "v" | "runId" | "sessionId">;
  readonly #now: () => string;
  readonly #maxEvents: number;
  readonly #onEvent: EventLogOptions["onEvent"];
  #events: AgentEvent[] = [];
  #lastSeq = 0;
  #highestTaken = 0;
  #closed = false;
  #news = Promise.withResolvers<void>();

  constructor(options: EventLogOptions) {
    this.#base = { v: 1, runId: options.runId, sessionId: options.sessionId };
    this.#now = options.now;
    this.#maxEvents = options.maxEvents ?? 5_000;
    this.#onEvent = options.onEvent;
  }

  emit(turn: number, body: AgentEventBody): void {
    if (this.#closed) return;
    const isGrown = this.#grow(turn, body);
    if (!isGrown) this.#lastSeq += 1;
    const event = { ...this.#base, seq: this.#lastSeq, turn, ts: this.#now(), ...body };
    if (!isGrown) this.#events.push(event);
    // In batches, because shifting one at a time is slow.
    if (this.#events.length > this.#maxEvents * 1.25) this.#forget();
    this.#wake();
    this.#onEvent?.(event);
  }

  /** Nothing is written after this; readers end when they have read all. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *read(afterSeq = 0): AsyncGenerator<AgentEvent, void> {
    let seen = afterSeq;
    for (;;) {
      const event = this.#after(seen);
      if (event) {
        seen = event.seq;
        this.#highestTaken = Math.max(this.#highestTaken, seen);
        yield event;
      } else if (this.#closed) {
        return;
      } else {
        await this.#news.promise;
      }
    }
  }

  /** True when the text could be added to the last event. */
  #grow(turn: number, body: AgentEventBody): boolean {
    const last = this.#events.at(-1);
    if (!last || !isDelta(body) || !isDelta(last) || last.seq <= this.#highestTaken || last.turn !== turn) return false;
    const grown = joinDeltas(last, body);
    if (grown) this.#events[this.#events.length - 1] = grown;
    return grown !== undefined;
  }

  /** Invariant 9: what is whole outlives the pieces it was shown in. */
  #forget(): void {
    const recent = this.#events.length - Math.floor(this.#maxEvents / 2);
    const kept = this.#events.filter((event, index) => index >= recent || !isDelta(event));
    this.#events = kept.slice(-this.#maxEvents);
  }

  /** The first event after this number, found by halving: numbers only grow. */
  #after(seq: number): AgentEvent | undefined {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.seq ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return this.#events[low];
  }

  #wake(): void {
    const { resolve } = this.#news;
    this.#news = Promise.withResolvers<void>();
    resolve();
  }
}

function isDelta(event: AgentEventBody): event is DeltaBody;
function isDelta(event: AgentEvent): event is Delta;
function isDelta(event: AgentEventBody): boolean {
  return event.type === "text_delta" || event.type === "thinking_delta" || event.type === "tool_input_delta";
}

/** Undefined when the two do not belong to the same piece. */
function joinDeltas(last: Delta, next: DeltaBody): Delta | undefined {
  if (last.type === "tool_input_delta") {
    const fits = next.type === last.type && next.callId === last.callId;
    return fits ? { ...last, json: last.json + next.json } : undefined;
  }
  const fits = next.type === last.type && next.messageId === last.messageId;
  return fits ? { ...last, text: last.text + next.text } : undefined;
}
