// what happens in a run → events for those who watch, lines in the transcript
import type { Redactor } from "../observability/redact.ts";
import type { Session, TranscriptEntry } from "../session/session-store.ts";
import type { Clock, IdSource } from "../types/clock.ts";
import { AgentError } from "../types/errors.ts";
import type { AgentEvent, AgentEventBody, AgentWarning, LoopState, Signal, WarningCode } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import type { Message, Part } from "../types/message.ts";
import type { RunMetrics, Usage } from "../types/usage.ts";
import { EventLog } from "./event-log.ts";

type Counts = { -readonly [Key in keyof RunMetrics]: RunMetrics[Key] };
type BodyOf<Entry> = Entry extends TranscriptEntry ? Omit<Entry, "v" | "id" | "ts" | "runId"> : never;
/** A line without what every line has. */
export type LineBody = BodyOf<TranscriptEntry>;

/** The memory of one run. Lines are on disk before the event that tells of them. */
export class RunJournal {
  readonly runId: string;
  readonly sessionId: string;
  readonly log: EventLog;
  readonly warnings: AgentWarning[] = [];
  readonly signals: Signal[] = [];
  /** Text of an answer that is not complete yet. */
  partial: { readonly messageId: string; text: string } | undefined;
  turn = 0;
  readonly #clock: Clock;
  readonly #ids: IdSource;
  readonly #startedAt: number;
  readonly #counts: Counts;
  /** Invariant 3: nothing is told or written that did not pass it. */
  readonly #redactor: Redactor;
  #state: LoopState = "idle";
  #session: Session | undefined;
  #isRecorded = false;

  constructor(options: {
    readonly runId: string;
    readonly sessionId: string;
    readonly clock: Clock;
    readonly ids: IdSource;
    readonly onEvent?: ((event: AgentEvent) => void) | undefined;
    readonly redactor: Redactor;
  }) {
    this.runId = options.runId;
    this.sessionId = options.sessionId;
    this.#clock = options.clock;
    this.#ids = options.ids;
    this.#redactor = options.redactor;
    this.#startedAt = options.clock.monotonic();
    this.#counts = { ...NO_COUNTS };
    const { runId, sessionId, onEvent } = options;
    this.log = new EventLog({ runId, sessionId, onEvent, now: () => this.now() });
  }

  emit(body: AgentEventBody): void {
    this.log.emit(this.turn, this.#redactor.record(body));
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

  get hasSession(): boolean {
    return this.#session !== undefined;
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
      throw new AgentError({ kind: "agent", code: "session_closed", message: "The run is over: nothing is written." });
    }
    const line = { v: 1, id: this.#ids.next("line"), ts: this.now(), runId: this.runId } as const;
    await this.#session.append({ ...line, ...this.#redactor.record(body) }, options);
    if (body.type === "run_started") this.#isRecorded = true;
  }

  newMessage(role: Message["role"], origin: Message["origin"], parts: readonly Part[]): Message {
    return { id: this.#ids.next("msg"), role, parts, ts: this.now(), origin };
  }

  newId(prefix: string): string {
    return this.#ids.next(prefix);
  }

  noteFirstText(): void {
    this.#counts.firstTokenMs ??= this.#clock.monotonic() - this.#startedAt;
  }

  noteRetry(): void {
    this.#counts.retries += 1;
  }

  noteToolCall(): void {
    this.#counts.toolCalls += 1;
  }

  noteCompaction(): void {
    this.#counts.compactions += 1;
  }

  /** Cached input is input too: the three numbers together are what the model read. */
  noteUsage(usage: Usage, costMicroUsd: number): void {
    this.#counts.totalInputTokens += usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    this.#counts.totalOutputTokens += usage.outputTokens;
    this.noteCost(costMicroUsd);
  }

  noteInvocation(): void {
    this.#counts.invocations += 1;
  }

  noteCost(costMicroUsd: number): void {
    this.#counts.costMicroUsd += costMicroUsd;
  }

  metrics(): RunMetrics {
    return { ...this.#counts, wallMs: this.#clock.monotonic() - this.#startedAt };
  }

  /** ISO 8601. */
  now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

const NO_COUNTS: RunMetrics = {
  totalInputTokens: 0,
  totalOutputTokens: 0,
  invocations: 0,
  toolCalls: 0,
  retries: 0,
  compactions: 0,
  costMicroUsd: 0,
  wallMs: 0,
};
