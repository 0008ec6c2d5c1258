// what the loop reports → a bounded log that many can read at their own pace
import type { AgentEvent, AgentEventBody, EventBase } from "../types/events.ts";

type Delta = Extract<AgentEvent, { type: "text_delta" | "thinking_delta" }>;

export interface EventLogOptions {
  readonly runId: string;
  readonly sessionId: string;
  /** ISO 8601. */
  readonly now: () => string;
  /** Oldest events beyond this are forgotten. Default 5 000. */
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
  #events: AgentEvent[] = [];
  #lastSeq = 0;
  #highestTaken = 0;
  #closed = false;
  #news = Promise.withResolvers<void>();

  constructor(options: EventLogOptions) {
    this.#base = { v: 1, runId: options.runId, sessionId: options.sessionId };
    this.#now = options.now;
    this.#maxEvents = options.maxEvents ?? 5_000;
  }

  emit(turn: number, body: AgentEventBody): void {
    if (this.#closed) return;
    if (!this.#grow(turn, body)) {
      this.#lastSeq += 1;
      this.#events.push({ ...this.#base, seq: this.#lastSeq, turn, ts: this.#now(), ...body });
    }
    // Dropped in batches, because shifting one at a time is slow.
    if (this.#events.length > this.#maxEvents * 1.25) this.#events = this.#events.slice(-this.#maxEvents);
    this.#wake();
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
    if (!last || !isDelta(body) || !isDelta(last) || last.seq <= this.#highestTaken) return false;
    if (last.type !== body.type || last.messageId !== body.messageId || last.turn !== turn) return false;
    this.#events[this.#events.length - 1] = { ...last, text: last.text + body.text };
    return true;
  }

  /** Sequence numbers are dense, so the place is known. */
  #after(seq: number): AgentEvent | undefined {
    const first = this.#events[0]?.seq ?? 1;
    return this.#events[Math.max(0, seq + 1 - first)];
  }

  #wake(): void {
    const { resolve } = this.#news;
    this.#news = Promise.withResolvers<void>();
    resolve();
  }
}

function isDelta<T extends AgentEventBody>(event: T): event is T & Pick<Delta, "type" | "messageId" | "text"> {
  return event.type === "text_delta" || event.type === "thinking_delta";
}
