// one message, its pauses answered on the way → events, and a result or an error
import { AgentError } from "../types/errors.ts";
import type { AgentEvent, ExecutionOutcome } from "../types/events.ts";
import type { PauseRecord, Principal, Resolution } from "../types/message.ts";
import { describeIssues, type StandardSchema } from "../types/standard-schema.ts";
import type { AgentExecutor } from "./executor.ts";
import type { RunHandle } from "./run.ts";

type WithoutToken<R> = R extends Resolution ? Omit<R, "token"> : never;

/** Yes or no to an approval; anything else in full, e.g. `{ kind: "answer", value: "Oslo" }`. */
export type PauseReply = boolean | WithoutToken<Resolution>;

/** Gives the answer to a pause; undefined leaves it waiting. */
export type AnswerPause = (pause: PauseRecord) => PauseReply | undefined | Promise<PauseReply | undefined>;

/** What came of a message. */
export interface AgentResult<T = undefined> extends Pick<ExecutionOutcome, "metrics" | "warnings" | "signals"> {
  /** What the model said last. */
  readonly text: string;
  /** The answer as data, where `output` was asked for. */
  readonly output: T;
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

export function toResolution({ token }: Pick<PauseRecord, "token">, answer: PauseReply): Resolution {
  return typeof answer === "boolean" ? { kind: answer ? "approve" : "deny", token } : { ...answer, token };
}

interface AgentStreamParts {
  readonly executor: Pick<AgentExecutor, "resume">;
  readonly run: RunHandle;
  readonly principal: Principal;
  readonly schema?: StandardSchema | undefined;
  readonly onPause?: AnswerPause | undefined;
}

/** A message that is being answered. Goes on whether or not anybody iterates. */
export class AgentStream<T = undefined> implements AsyncIterable<AgentEvent> {
  readonly session: string;
  readonly #given: AgentStreamParts;
  /** The first, then one for each pause that was answered. */
  readonly #runs: RunHandle[];
  readonly #ended: Promise<ExecutionOutcome>;
  #isOver = false;
  /** Another run began, or the last one is over. */
  #next = Promise.withResolvers<void>();

  constructor(given: AgentStreamParts) {
    this.#given = given;
    this.#runs = [given.run];
    this.session = given.run.sessionId;
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
    const { text, metrics, warnings, signals } = outcome;
    const output = (await this.#toOutput(outcome)) as T;
    return { text, output, metrics, warnings, signals, runId, session };
  }

  /** Everything that happens, from the beginning. Leaving the iteration does not cancel the run. */
  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent, void> {
    for (let at = 0; ; at += 1) {
      while (at === this.#runs.length && !this.#isOver) await this.#next.promise;
      const run = this.#runs[at];
      if (!run) return;
      yield* run.events();
    }
  }

  /** Heard before the next model call. `run_over` means nobody heard it: send it as a new message. */
  steer(text: string): "queued" | "run_over" {
    return this.run.steer(text);
  }

  /** May be called twice. */
  cancel(reason?: string): Promise<void> {
    return this.run.cancel(reason);
  }

  async #follow(): Promise<ExecutionOutcome> {
    try {
      for (;;) {
        const outcome = await this.run.outcome;
        if (outcome.status !== "paused") return outcome;
        const answer = await this.#given.onPause?.(outcome.pause);
        if (answer === undefined) return outcome;
        const { executor, principal } = this.#given;
        this.#runs.push(executor.resume(outcome.pause.id, toResolution(outcome.pause, answer), { principal }));
        this.#wake();
      }
    } finally {
      this.#isOver = true;
      this.#wake();
    }
  }

  #wake(): void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers<void>();
    resolve();
  }

  async #toOutput({ structured, ...rest }: Extract<ExecutionOutcome, { status: "finished" }>): Promise<unknown> {
    const { schema } = this.#given;
    if (!schema || structured === undefined) return structured;
    const verdict = await schema["~standard"].validate(structured);
    if (!verdict.issues) return verdict.value;
    const problems = describeIssues(verdict.issues, "answer").join("; ");
    const message = `The answer does not have the shape that was asked for: ${problems}.`;
    const error = { kind: "agent", code: "structured_output", message, retryable: true } as const;
    const { metrics, warnings, signals, text } = rest;
    throw new RunError({ status: "failed", error, text, metrics, warnings, signals }, this.run);
  }
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
