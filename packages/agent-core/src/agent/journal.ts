// what happens in a run → events for those who watch, lines in the transcript
import { type KeepBytes, takeBytes, takeDataUrls } from "../artifacts/take-bytes.ts";
import { hideEvent, hideOutcome } from "../observability/hide-secrets.ts";
import type { Redactor } from "../observability/redact.ts";
import type { SecretTokens } from "../observability/secret-tokens.ts";
import type { Session, TranscriptEntry } from "../session/session-store.ts";
import type { Clock, IdSource } from "../types/clock.ts";
import { agentError } from "../types/errors.ts";
import type {
  AgentEvent,
  AgentEventBody,
  AgentWarning,
  ExecutionOutcome,
  LoopState,
  Signal,
  WarningCode,
} from "../types/events.ts";
import type { Json } from "../types/json.ts";
import type { ArtifactRef, ImagePart, Message, Part, RunMetrics, Usage } from "../types/message.ts";
import { hideLine, type LineBody } from "./hide-line.ts";
import { toMetrics } from "./run-metrics.ts";

type Counts = { -readonly [Key in keyof RunMetrics]: RunMetrics[Key] };

interface RunJournalOptions {
  readonly runId: string;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
  /** Invariant 3: no event is told that did not pass it. */
  readonly redactor: Pick<Redactor, "display">;
  /** Lines are exact but for the secrets of the host. */
  readonly secrets: SecretTokens;
  /** For the bytes in what a person says, which do not become lines. */
  readonly keepBytes: KeepBytes;
}

/** The memory of one run. Lines are on disk before the event that tells of them. */
export class RunJournal {
  readonly runId: string;
  readonly sessionId: string;
  readonly log: EventLog;
  readonly warnings: AgentWarning[] = [];
  readonly signals: Signal[] = [];
  /** What this run added to the conversation. */
  readonly messages: Message[] = [];
  /** Text of an answer that is not complete yet. */
  partial: { readonly messageId: string; text: string } | undefined;
  turn = 0;
  readonly #options: RunJournalOptions;
  readonly #startedAt: number;
  readonly #counts: Counts = toMetrics([]);
  #state: LoopState = "idle";
  #session: Session | undefined;
  #isRecorded = false;

  constructor(options: RunJournalOptions) {
    this.#options = options;
    this.runId = options.runId;
    this.sessionId = options.sessionId;
    this.#startedAt = options.clock.monotonic();
    this.log = new EventLog({ ...options, now: () => this.now() });
  }

  emit(body: AgentEventBody): void {
    this.log.emit(this.turn, this.#options.redactor.display(hideEvent(body, this.#options.secrets.hide)));
  }

  /** The same with tokens in place of secrets. */
  hideOutcome(outcome: ExecutionOutcome): ExecutionOutcome {
    return hideOutcome(outcome, this.#options.secrets.hide);
  }

  moveTo(to: LoopState, why: string): void {
    if (this.#state === to) return;
    this.emit({ type: "state", from: this.#state, to, why });
    this.#state = to;
  }

  warn(code: WarningCode, message: string, data?: Json): void {
    this.warnings.push({ code, message });
    this.emit({ type: "warning", code, message, data });
  }

  signal(name: string, data: Json, via: "tool" | "text"): void {
    this.signals.push({ name, data });
    this.emit({ type: "signal", name, data, via });
  }

  useSession(session: Session): void {
    this.#session = session;
    const { skippedLines, quarantinedBytes } = session.damage;
    if (skippedLines === 0 && quarantinedBytes === 0) return;
    this.warn(
      "transcript_repaired",
      `${skippedLines} lines could not be read, ${quarantinedBytes} bytes of a torn end were set aside.`,
    );
  }

  async closeSession(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  /** The transcript knows of this run: what was refused at the door leaves no line. */
  get isRecorded(): boolean {
    return this.#isRecorded && this.#session !== undefined;
  }

  /** The transcript so far, oldest first. */
  entries(): readonly TranscriptEntry[] {
    return this.#session?.entries() ?? [];
  }

  /** `sync: false` for a line that is worth nothing without the one written next. */
  async write(body: LineBody, options?: { readonly sync?: boolean }): Promise<void> {
    if (!this.#session) {
      throw agentError("agent", "session_closed", "The run is over: nothing is written.");
    }
    const line = { v: 1, id: this.#options.ids.next("line"), ts: this.now(), runId: this.runId } as const;
    const hidden = hideLine(body, this.#options.secrets.hide);
    await this.#session.append({ ...line, ...hidden }, options);
    if (hidden.type === "message") this.messages.push(hidden.message);
    if (body.type === "run_started") this.#isRecorded = true;
  }

  newMessage(role: Message["role"], origin: Message["origin"], parts: readonly Part[]): Message {
    return { id: this.#options.ids.next("msg"), role, parts, ts: this.now(), origin };
  }

  /** What a person says: files that were pasted as data URLs are kept apart, and the text refers to them. */
  takeText(text: string): Promise<{ readonly text: string; readonly images: readonly ImagePart[] }> {
    return takeDataUrls(text, (bytes, mimeType) => this.#keep(bytes, mimeType));
  }

  /** The same for an answer that is any JSON. */
  async takeAnswer(value: Json): Promise<{ readonly value: Json; readonly images: readonly ImagePart[] }> {
    if (typeof value === "string") {
      const { text, images } = await this.takeText(value);
      return { value: text, images };
    }
    const taken = await takeBytes(value, (bytes, mimeType) => this.#keep(bytes, mimeType));
    // What stands in the place of bytes is JSON as well.
    return { value: taken.value as Json, images: taken.images.map(({ part }) => part) };
  }

  async #keep(bytes: Uint8Array, mimeType: string): Promise<ArtifactRef> {
    const ref = await this.#options.keepBytes(bytes, mimeType);
    this.emit({ type: "artifact", ref, reason: "input" });
    return ref;
  }

  /** A message of one text. Gives its id. */
  async say(role: Message["role"], origin: Message["origin"], text: string): Promise<string> {
    const said = role === "user" ? await this.takeText(text) : { text, images: [] };
    const message = this.newMessage(role, origin, [...said.images, { type: "text", text: said.text }]);
    await this.write({ type: "message", message });
    return message.id;
  }

  newId(prefix: string): string {
    return this.#options.ids.next(prefix);
  }

  noteFirstText(): void {
    this.#counts.firstTokenMs ??= this.#options.clock.monotonic() - this.#startedAt;
  }

  count(what: "invocations" | "toolCalls" | "retries" | "compactions"): void {
    this.#counts[what] += 1;
  }

  /** Cached input is input too: the three numbers together are what the model read. */
  noteUsage(usage: Usage): void {
    this.#counts.totalInputTokens += usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    this.#counts.totalOutputTokens += usage.outputTokens;
  }

  noteCost(costMicroUsd: number): void {
    this.#counts.costMicroUsd += costMicroUsd;
  }

  metrics(): RunMetrics {
    return { ...this.#counts, wallMs: this.#options.clock.monotonic() - this.#startedAt };
  }

  /** ISO 8601. */
  now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}

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
  readonly #options: EventLogOptions;
  readonly #maxEvents: number;
  #events: AgentEvent[] = [];
  #lastSeq = 0;
  #highestTaken = 0;
  #closed = false;
  #news = Promise.withResolvers<void>();

  constructor(options: EventLogOptions) {
    this.#options = options;
    this.#maxEvents = options.maxEvents ?? 5_000;
  }

  emit(turn: number, body: AgentEventBody): void {
    if (this.#closed) return;
    const isGrown = this.#grow(turn, body);
    if (!isGrown) this.#lastSeq += 1;
    const { runId, sessionId, now, onEvent } = this.#options;
    const event = { v: 1 as const, runId, sessionId, seq: this.#lastSeq, turn, ts: now(), ...body };
    if (!isGrown) this.#events.push(event);
    // In batches, because shifting one at a time is slow.
    if (this.#events.length > this.#maxEvents * 1.25) this.#forget();
    this.#wake();
    // A copy: what is kept is told again to those who come later.
    onEvent?.({ ...event });
  }

  /** Nothing is written after this; readers end when they have read all. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *read(afterSeq = 0): AsyncGenerator<AgentEvent, void> {
    let seen = afterSeq;
    for (;;) {
      // From the end, where those who follow are.
      const event = this.#events[this.#events.findLastIndex(({ seq }) => seq <= seen) + 1];
      if (event) {
        seen = event.seq;
        this.#highestTaken = Math.max(this.#highestTaken, seen);
        yield { ...event };
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
