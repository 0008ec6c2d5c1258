// how the loop ended → the last lines, the outcome
import { AgentError, toAgentError } from "../types/errors.ts";
import type { ExecutionOutcome, RunStopReason } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import { type PauseRecord, textOf } from "../types/message.ts";
import type { LineBody } from "./hide-line.ts";
import type { Inbox } from "./inbox.ts";
import type { RunJournal } from "./journal.ts";

/** For people, when a run ends by its deadline. */
export const LATE = "The run exceeded its time limit.";

/** How the loop ends. */
export type Ending =
  | { readonly kind: "finish"; readonly by: "tool"; readonly text: string; readonly structured?: Json | undefined }
  | {
      readonly kind: "finish";
      readonly by: "model";
      readonly text: string;
      readonly messageId: string;
      readonly structured?: Json | undefined;
    }
  | Stop
  | { readonly kind: "pause"; readonly pause: PauseRecord }
  | { readonly kind: "cancel"; readonly reason: string }
  /** The same message was answered before. */
  | { readonly kind: "repeat"; readonly outcome: ExecutionOutcome };

export interface Stop {
  readonly kind: "stop";
  readonly reason: RunStopReason;
  readonly message: string;
  /** The answer as far as it came. Default: there is none, and the outcome has the model's last words. */
  readonly answer?: { readonly text: string; readonly messageId: string } | undefined;
}

export function stop(reason: RunStopReason, message: string, answer?: Stop["answer"]): Stop {
  return { kind: "stop", reason, message, answer };
}

export const CONTEXT_EXHAUSTED: Stop = stop(
  "context_exhausted",
  "This message and what was said before are too long for the model. Send a shorter one, or begin a new conversation with it.",
);

/** Turns whatever happened into one outcome. Nothing here rejects. */
export class OutcomeWriter {
  readonly #journal: RunJournal;
  readonly #inbox: Inbox;
  readonly #signal: AbortSignal;
  readonly #stuck: Promise<never>;
  #isRepeat = false;

  /** `stuck` rejects when a run that was told to stop has had its time to write down what it did. */
  constructor(journal: RunJournal, inbox: Inbox, signal: AbortSignal, stuck: Promise<never>) {
    this.#stuck = stuck;
    this.#journal = journal;
    this.#inbox = inbox;
    this.#signal = signal;
  }

  async reached(ending: Ending): Promise<ExecutionOutcome> {
    this.#inbox.close();
    switch (ending.kind) {
      case "finish":
        return this.#finished(ending);
      case "stop":
        return this.#stopped(ending);
      case "pause":
        return { status: "paused", pause: ending.pause, ...this.#totals() };
      case "cancel":
        this.#journal.moveTo("cancelled", ending.reason);
        return { status: "cancelled", reason: ending.reason, ...this.#totals() };
      case "repeat":
        this.#isRepeat = true;
        this.#journal.moveTo("complete", "this message was answered before");
        return ending.outcome;
    }
  }

  async broken(thrown: unknown): Promise<ExecutionOutcome> {
    this.#inbox.close();
    const reason: unknown = this.#signal.aborted ? this.#signal.reason : undefined;
    if (isTimeout(reason)) return this.#late();
    const said = this.#lastText();
    const kept = said === "" ? {} : { text: said };
    const isHostFailure = reason instanceof AgentError && reason.code === "host_callback";
    if (this.#signal.aborted && !isHostFailure) {
      const { message } = toAgentError(reason, { kind: "cancelled", code: "aborted" });
      await this.#keepPartial();
      this.#journal.moveTo("cancelled", message);
      return { status: "cancelled", reason: message, ...kept, ...this.#totals() };
    }
    const error = toAgentError(isHostFailure ? reason : thrown, { kind: "agent", code: "unexpected" });
    this.#journal.emit({ type: "error", error: error.view(), stopsRun: true });
    this.#journal.moveTo(error.kind === "timeout" ? "timeout" : "error", error.code);
    return { status: "failed", error: error.view(), ...kept, ...this.#totals() };
  }

  /** The session is free before anyone hears that the run is over. */
  async release(outcome: ExecutionOutcome): Promise<void> {
    await this.#attempt(() => this.#keepUnheard());
    if (this.#journal.isRecorded && !this.#isRepeat) await this.#attempt(() => this.#writeEnd(outcome));
    await this.#attempt(() => this.#journal.closeSession());
  }

  /** The last event. */
  tell(outcome: ExecutionOutcome): ExecutionOutcome {
    const last = this.#journal.hideOutcome(this.#isRepeat ? outcome : { ...outcome, ...this.#totals() });
    try {
      this.#journal.emit({ type: "run_ended", outcome: last });
    } finally {
      this.#journal.log.close();
    }
    return last;
  }

  #finished(ending: Extract<Ending, { kind: "finish" }>): ExecutionOutcome {
    const { by, text, structured } = ending;
    if (ending.by === "model") this.#journal.emit({ type: "response", text, messageId: ending.messageId });
    this.#journal.moveTo("complete", `ended by the ${by}`);
    const found = structured === undefined ? {} : { structured };
    return { status: "finished", by, text, ...found, ...this.#totals() };
  }

  #stopped({ reason, message, answer }: Stop): ExecutionOutcome {
    if (answer?.text) this.#journal.emit({ type: "response", ...answer });
    this.#journal.moveTo(reason === "deadline" ? "timeout" : "complete", reason);
    return { status: "stopped", reason, message, text: answer?.text ?? this.#lastText(), ...this.#totals() };
  }

  async #late(): Promise<ExecutionOutcome> {
    await this.#keepPartial();
    return this.#stopped(stop("deadline", LATE, this.#journal.partial));
  }

  /** What the model said last in this run, complete or not. */
  #lastText(): string {
    const { partial, runId } = this.#journal;
    if (partial?.text) return partial.text;
    const said = this.#journal.entries().flatMap((entry) => {
      const isOurs = entry.type === "message" && entry.runId === runId && entry.message.origin === "model";
      return isOurs ? [textOf(entry.message.parts)] : [];
    });
    return said.findLast((text) => text !== "") ?? "";
  }

  /** What was shown before the end stays in the conversation. */
  async #keepPartial(): Promise<void> {
    const { partial, isRecorded } = this.#journal;
    if (!partial?.text || !isRecorded) return;
    await this.#attempt(() => {
      const message = this.#journal.newMessage("assistant", "model", [{ type: "text", text: partial.text }]);
      return this.#journal.write({ type: "message", message: { ...message, id: partial.messageId } });
    });
  }

  /** Never lost: what was queued and not heard waits in the transcript for the next run, or goes back to its sender. */
  async #keepUnheard(): Promise<void> {
    const texts = [...this.#inbox.takeUnheard()];
    if (texts.length === 0) return;
    const isKept = this.#journal.isRecorded;
    const fate = isKept ? "will be heard in the next run" : "were not heard: send them again";
    this.#journal.warn("steering_unheard", `${texts.length} messages ${fate}.`, { texts });
    for (const text of isKept ? texts : []) await this.#journal.say("user", "steer", text);
  }

  async #writeEnd(outcome: ExecutionOutcome): Promise<void> {
    const { runId } = this.#journal;
    const started = this.#journal.entries().findLast((entry) => entry.type === "run_started" && entry.runId === runId);
    const hasKey = started?.type === "run_started" && started.settings?.dedupeKey !== undefined;
    const message = outcome.status === "stopped" ? { message: outcome.message } : {};
    const { costMicroUsd } = this.#journal.metrics();
    const paid = costMicroUsd > 0 ? { costMicroUsd } : {};
    const end: LineBody = { type: "run_ended", status: outcome.status, reason: reasonOf(outcome), ...message, ...paid };
    await this.#journal.write(hasKey ? { ...end, outcome: { ...outcome, ...this.#totals() } } : end);
  }

  /** The end of a run goes on although the disk does not. */
  async #attempt(step: () => Promise<void>): Promise<void> {
    try {
      await Promise.race([step(), this.#stuck]);
    } catch (thrown) {
      this.#journal.warn("session_write", toAgentError(thrown, { kind: "agent", code: "session_write" }).message);
    }
  }

  #totals(): Pick<ExecutionOutcome, "metrics" | "warnings" | "signals"> {
    const { warnings, signals } = this.#journal;
    return { metrics: this.#journal.metrics(), warnings: [...warnings], signals: [...signals] };
  }
}

/** Our own deadline, or an `AbortSignal.timeout()` of the caller. */
export function isTimeout(reason: unknown): boolean {
  if (reason instanceof AgentError) return reason.kind === "timeout";
  return reason instanceof DOMException && reason.name === "TimeoutError";
}

function reasonOf(outcome: ExecutionOutcome): string {
  switch (outcome.status) {
    case "finished":
      return outcome.by;
    case "stopped":
      return outcome.reason;
    case "paused":
      return outcome.pause.kind;
    case "failed":
      return outcome.error.code;
    case "cancelled":
      return outcome.reason;
  }
}
