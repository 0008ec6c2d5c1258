// one message, its pauses answered on the way → events, and a result or an error
import { type ChildAbort, createChildAbort, raceAbort } from "../types/clock.ts";
import { AgentError, agentError, toAgentError } from "../types/errors.ts";
import type { AgentEvent, EventOf, ExecutionOutcome } from "../types/events.ts";
import type { Message, PauseRecord, Principal, Resolution } from "../types/message.ts";
import { isTimeout, LATE } from "./end.ts";
import type { AgentExecutor } from "./executor.ts";
import type { ResumeOptions } from "./options.ts";
import type { RunHandle } from "./run.ts";
import { addMetrics } from "./run-metrics.ts";
import type { AskedOutput } from "./structured-output.ts";
import { textPiecesOf } from "./text-stream.ts";

type WithoutToken<R> = R extends Resolution ? Omit<R, "token"> : never;

/** Yes or no to an approval; anything else in full, e.g. `{ kind: "answer", value: "Oslo" }`. */
export type PauseReply = boolean | WithoutToken<Resolution>;

/** Gives the answer to a pause; undefined leaves it waiting. */
export type AnswerPause = (pause: PauseRecord) => PauseReply | undefined | Promise<PauseReply | undefined>;

/** What came of a message. */
export interface AgentResult<T = undefined> extends Pick<ExecutionOutcome, "metrics" | "warnings" | "signals"> {
  /** What the model said last, or what the tool said that ended the run. */
  readonly text: string;
  readonly by: "model" | "tool";
  /** The answer as data, where `output` was asked for. */
  readonly output: T;
  /** What was added to the conversation: the message, answers with their calls, results. */
  readonly messages: readonly Message[];
  readonly runId: string;
  readonly session: string;
}

/** A run that did not come to an answer: it failed, was stopped or cancelled, or waits for somebody. */
export class RunError extends AgentError {
  /** How it ended, with what it used. */
  readonly outcome: Exclude<ExecutionOutcome, { status: "finished" }>;
  readonly runId: string;
  readonly session: string;

  constructor(outcome: RunError["outcome"], { runId, sessionId }: Pick<RunHandle, "runId" | "sessionId">) {
    super(toErrorParts(outcome));
    this.name = "RunError";
    this.outcome = outcome;
    this.runId = runId;
    this.session = sessionId;
  }
}

/** Throws `AgentError` kind `invalid`, code `bad_resolution`, for anything else that a program in JavaScript gives. */
export function toResolution(pause: Pick<PauseRecord, "token">, answer: PauseReply): Resolution {
  const token: unknown = pause?.token;
  if (typeof token !== "string") {
    throw agentError("invalid", "bad_resolution", "A pause is answered with the pause itself, not with its id.");
  }
  if (typeof answer === "boolean") return { kind: answer ? "approve" : "deny", token };
  if (typeof answer === "object" && typeof answer?.kind === "string") return { ...answer, token };
  const expected = 'true, false or an object such as { kind: "answer", value: "Oslo" }';
  throw agentError("invalid", "bad_resolution", `A pause is answered with ${expected}, not with ${String(answer)}.`);
}

/** What a message is answered with. */
export interface AgentStreamParts {
  readonly executor: Pick<AgentExecutor, "resume">;
  /** Begins the run. It is cancelled by the signal. */
  readonly start: (signal: AbortSignal) => RunHandle;
  readonly principal: Principal;
  readonly asked?: AskedOutput | undefined;
  readonly onPause?: AnswerPause | undefined;
  /** For the runs that follow on a pause. */
  readonly stop?: ResumeOptions["stop"];
  /** The caller's. */
  readonly signal?: AbortSignal | undefined;
  /** Fires when the agent is closed: what waits then is left waiting. */
  readonly closing: AbortSignal;
}

/** A message that is being answered. Goes on whether or not anybody iterates. */
export class AgentStream<T = undefined> implements AsyncIterable<AgentEvent> {
  readonly session: string;
  readonly #given: AgentStreamParts;
  readonly #stop: ChildAbort;
  /** The first, then one for each pause that was answered. */
  readonly #runs: RunHandle[];
  readonly #ended: Promise<ExecutionOutcome>;
  #isOver = false;
  /** Another run began, or the last one is over. */
  #next = Promise.withResolvers<void>();

  constructor(given: AgentStreamParts) {
    this.#given = given;
    this.#stop = createChildAbort(given.signal);
    const first = given.start(this.#stop.signal);
    this.#runs = [first];
    this.session = first.sessionId;
    this.#ended = this.#follow();
    // Told to those who await `result()`; nobody has to.
    this.#ended.catch(() => undefined);
  }

  /** The run that is going on, or was last. */
  get run(): RunHandle {
    return this.#runs.at(-1) as RunHandle;
  }

  /** Rejects with a `RunError`, or with what `onPause` threw. */
  async result(): Promise<AgentResult<T>> {
    const outcome = await this.#ended;
    const { runId, sessionId: session } = this.run;
    if (outcome.status !== "finished") throw new RunError(outcome, this.run);
    const { text, by, structured, metrics, warnings, signals } = outcome;
    const { asked } = this.#given;
    const output = (asked ? asked.toValue(structured) : structured) as T;
    const messages = this.#runs.flatMap((run) => run.messages);
    return { text, by, output, messages, metrics, warnings, signals, runId, session };
  }

  /**
   * Everything that happens, from the beginning to one `run_ended`. A pause that `onPause` answers is told by `paused` and
   * `resumed`. Leaving the iteration does not cancel the run.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent, void> {
    let seqBefore = 0;
    for (let at = 0; ; at += 1) {
      let last: EventOf<"run_ended"> | undefined;
      for await (const event of this.#runs[at]?.events() ?? []) {
        if (event.type === "run_ended") last = event;
        else if (at === 0 || event.type !== "run_started") yield { ...event, seq: seqBefore + event.seq };
      }
      while (at + 1 === this.#runs.length && !this.#isOver) await this.#next.promise;
      if (at + 1 === this.#runs.length) {
        if (last) yield { ...last, seq: seqBefore + last.seq, outcome: await this.#ended.catch(() => last.outcome) };
        return;
      }
      seqBefore += last?.seq ?? 0;
    }
  }

  /**
   * The words of the model as they come, a blank line between messages; with `output`, those of the answer that is taken.
   * Throws as `result()` does when the run ends without an answer, and `AgentError` code `text_discarded` when an attempt
   * broke off and the next one says something else: then what came is void and `result()` has the answer.
   */
  async *textStream(): AsyncGenerator<string, void> {
    yield* textPiecesOf(this, this.#given.asked !== undefined);
    await this.result();
  }

  /** Heard before the next model call. `run_over` means nobody heard it: send it as a new message. */
  steer(text: string): "queued" | "run_over" {
    return this.run.steer(text);
  }

  /** Also while it waits for `onPause`: what waited is denied. May be called twice. */
  async cancel(reason = "Stopped on request."): Promise<void> {
    this.#stop.abort(agentError("cancelled", "user", reason));
    await this.#ended.catch(() => undefined);
  }

  async #follow(): Promise<ExecutionOutcome> {
    const legs: ExecutionOutcome[] = [];
    try {
      for (;;) {
        const outcome = await this.run.outcome;
        legs.push(outcome);
        if (outcome.status !== "paused" || !this.#given.onPause) return addUp(legs);
        const resolution = await this.#ask(outcome.pause, this.#given.onPause);
        if (!resolution) return addUp(legs);
        const { executor, principal, stop, asked: { output, checkOutput } = {} } = this.#given;
        // A pause that is given up has to be closed although everything is cancelled.
        const signal = resolution.kind === "abandon" ? {} : { signal: this.#stop.signal };
        this.#runs.push(
          executor.resume(outcome.pause.id, resolution, { principal, stop, output, checkOutput, ...signal }),
        );
        this.#wake();
        if (resolution.kind === "abandon" && this.#stop.signal.aborted) {
          return addUp([...legs, toAborted(await this.run.outcome, this.#stop.signal.reason)]);
        }
      }
    } finally {
      this.#isOver = true;
      this.#stop.dispose();
      this.#wake();
    }
  }

  /** Undefined leaves it waiting. A cancelled run gives up what it waits for. */
  async #ask(pause: PauseRecord, answer: AnswerPause): Promise<Resolution | undefined> {
    const { closing } = this.#given;
    const { signal } = this.#stop;
    try {
      const reply = await raceAbort(Promise.resolve(answer(pause)), AbortSignal.any([signal, closing]));
      signal.throwIfAborted();
      return reply === undefined || closing.aborted ? undefined : toResolution(pause, reply);
    } catch (thrown) {
      if (signal.aborted) return { kind: "abandon", token: pause.token };
      if (closing.aborted) return undefined;
      throw thrown;
    }
  }

  #wake(): void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers<void>();
    resolve();
  }
}

/** How the last leg ended, with what all of them used. */
function addUp(legs: readonly ExecutionOutcome[]): ExecutionOutcome {
  const last = legs.at(-1) as ExecutionOutcome;
  if (legs.length === 1) return last;
  const metrics = legs.map((leg) => leg.metrics).reduce(addMetrics);
  return {
    ...last,
    metrics,
    warnings: legs.flatMap(({ warnings }) => warnings),
    signals: legs.flatMap(({ signals }) => signals),
  };
}

/** A run that was given up because the caller cancelled it ends as any other that was cancelled. */
function toAborted(outcome: ExecutionOutcome, reason: unknown): ExecutionOutcome {
  if (outcome.status !== "cancelled") return outcome;
  const { metrics, warnings, signals } = outcome;
  const totals = { metrics, warnings, signals };
  if (isTimeout(reason)) return { ...totals, status: "stopped", reason: "deadline", message: LATE, text: "" };
  return {
    ...totals,
    status: "cancelled",
    reason: toAgentError(reason, { kind: "cancelled", code: "aborted" }).message,
  };
}

function toErrorParts(outcome: RunError["outcome"]): ConstructorParameters<typeof AgentError>[0] {
  switch (outcome.status) {
    case "failed":
      return outcome.error;
    case "cancelled":
      return { kind: "cancelled", code: "cancelled", message: outcome.reason };
    case "paused": {
      const { prompt } = outcome.pause;
      const advice = "Pass onPause, or answer it with agent.resume(error.outcome.pause, …).";
      return { kind: "agent", code: "paused", message: `The run waits for an answer: ${prompt} ${advice}` };
    }
    case "stopped": {
      const kinds: { readonly [reason: string]: "timeout" | "budget" } = { deadline: "timeout", budget: "budget" };
      return { kind: kinds[outcome.reason] ?? "agent", code: outcome.reason, message: outcome.message };
    }
  }
}
