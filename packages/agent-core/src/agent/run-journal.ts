// what happens in a run → events for those who watch, lines in the transcript
import { toMessages } from "../context/history.ts";
import type { Session, TranscriptEntry } from "../session/session-store.ts";
import type { Clock, IdSource } from "../types/clock.ts";
import { AgentError } from "../types/errors.ts";
import type { AgentEventBody, LoopState, StopReason } from "../types/events.ts";
import type { Message, Part } from "../types/message.ts";
import type { RunMetrics, Usage } from "../types/usage.ts";
import { EventLog } from "./event-log.ts";

type Counts = { -readonly [Key in keyof RunMetrics]: RunMetrics[Key] };

/** The memory of one run. Lines are on disk before the event that tells of them. */
export class RunJournal {
  readonly runId: string;
  readonly sessionId: string;
  readonly log: EventLog;
  readonly warnings: string[] = [];
  /** Text of an answer that is not complete yet. */
  partial: { readonly messageId: string; text: string } | undefined;
  turn = 0;
  readonly #clock: Clock;
  readonly #ids: IdSource;
  readonly #startedAt: number;
  readonly #counts: Counts;
  #state: LoopState = "idle";
  #session: Session | undefined;

  constructor(options: {
    readonly runId: string;
    readonly sessionId: string;
    readonly clock: Clock;
    readonly ids: IdSource;
  }) {
    this.runId = options.runId;
    this.sessionId = options.sessionId;
    this.#clock = options.clock;
    this.#ids = options.ids;
    this.#startedAt = options.clock.monotonic();
    this.#counts = { totalInputTokens: 0, totalOutputTokens: 0, invocations: 0, toolCalls: 0, retries: 0, wallMs: 0 };
    this.log = new EventLog({ runId: options.runId, sessionId: options.sessionId, now: () => this.#now() });
  }

  emit(body: AgentEventBody): void {
    this.log.emit(this.turn, body);
  }

  moveTo(to: LoopState, why: string): void {
    if (this.#state === to) return;
    this.emit({ type: "state", from: this.#state, to, why });
    this.#state = to;
  }

  warn(code: string, message: string): void {
    this.warnings.push(`${code}: ${message}`);
    this.emit({ type: "warning", code, message });
  }

  useSession(session: Session): void {
    this.#session = session;
  }

  async closeSession(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  get hasSession(): boolean {
    return this.#session !== undefined;
  }

  newMessage(role: Message["role"], origin: Message["origin"], parts: readonly Part[]): Message {
    return { id: this.#ids.next("msg"), role, parts, ts: this.#now(), origin };
  }

  async appendMessage(message: Message, stopReason?: StopReason): Promise<void> {
    await this.#append({
      ...this.#line(),
      type: "message",
      message,
      ...(stopReason === undefined ? {} : { stopReason }),
    });
  }

  async appendStart(task: string): Promise<void> {
    await this.#append({ ...this.#line(), type: "run_started", task });
  }

  async appendEnd(status: string, reason: string): Promise<void> {
    await this.#append({ ...this.#line(), type: "run_ended", status, reason });
  }

  /** The whole conversation, ready to send (AI-10). */
  messages(): readonly Message[] {
    return toMessages(this.#session?.entries() ?? []);
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

  /** Cached input is input too: the three numbers together are what the model read. */
  noteUsage(usage: Usage): void {
    this.#counts.invocations += 1;
    this.#counts.totalInputTokens += usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    this.#counts.totalOutputTokens += usage.outputTokens;
  }

  metrics(): RunMetrics {
    return { ...this.#counts, wallMs: this.#clock.monotonic() - this.#startedAt };
  }

  async #append(entry: TranscriptEntry): Promise<void> {
    if (!this.#session) {
      throw new AgentError({
        kind: "agent",
        code: "session_closed",
        message: "The run is over; nothing can be written.",
      });
    }
    await this.#session.append(entry);
  }

  #line(): { readonly v: 1; readonly id: string; readonly ts: string; readonly runId: string } {
    return { v: 1, id: this.#ids.next("line"), ts: this.#now(), runId: this.runId };
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}
