// begin → (hear → ask → judge)* → outcome, and the handle that others hold meanwhile
import { setImmediate } from "node:timers/promises";
import type { LLMResponse } from "../llm/llm-client.ts";
import { type ChildAbort, type Clock, createChildAbort } from "../types/clock.ts";
import { type AgentError, agentError, toAgentError } from "../types/errors.ts";
import type { AgentEvent, AgentEventBody, ExecutionOutcome, StopReason } from "../types/events.ts";
import type { Message } from "../types/message.ts";
import type { CallIds } from "./call-ids.ts";
import { type Ending, LATE, OutcomeWriter, stop } from "./end.ts";
import type { HostReport } from "./host-callbacks.ts";
import { type AskGuard, hearSteering, Inbox } from "./inbox.ts";
import type { RunJournal } from "./journal.ts";
import type { Judge } from "./judge.ts";
import type { ModelTurns } from "./turn.ts";

/** X7: events while it runs, and an outcome that never rejects. */
export type RunHandle = Pick<AgentRun, keyof AgentRun>;

/** What the turns of a run are taken with. */
export interface Loop {
  readonly turns: ModelTurns;
  readonly judge: Judge;
  readonly callIds: CallIds;
  readonly askGuard: AskGuard;
  readonly maxIterations: number;
  /** Before the pause after which this run goes on. */
  readonly earlierSteps: number;
}

/** AI-9: turns until the model is done, somebody is needed, or the stop policy says so. */
async function runLoop(loop: Loop, journal: RunJournal, inbox: Inbox, signal: AbortSignal): Promise<Ending> {
  for (journal.turn = 1; journal.turn <= loop.maxIterations; journal.turn++) {
    signal.throwIfAborted();
    journal.moveTo("preparing", "next turn");
    await hearSteering(inbox, loop.askGuard, journal);
    const answer = await loop.turns.ask();
    if ("kind" in answer) return answer;
    const response = loop.callIds.adopt(answer);
    await recordAnswer(response, journal);
    const ending = await loop.judge.judge(response);
    const isDone = ending?.kind === "finish" && ending.by === "model";
    if (ending && !(isDone && inbox.promote())) return ending;
  }
  journal.turn = loop.maxIterations;
  const steps = loop.earlierSteps + loop.maxIterations;
  return stop("max_iterations", `Stopped after ${steps} ${steps === 1 ? "step" : "steps"}. Send a message to go on.`);
}

const EMPTY_ENDS: ReadonlySet<StopReason> = new Set(["complete", "stop_sequence", "context_exceeded"]);

async function recordAnswer({ message, stopReason, usage }: LLMResponse, journal: RunJournal): Promise<void> {
  // Thoughts without words or calls are no answer, and no wire takes an empty one back.
  const isEmpty = EMPTY_ENDS.has(stopReason) && message.parts.every((part) => part.type === "reasoning");
  if (!isEmpty) await journal.write({ type: "message", message, stopReason });
  journal.emit({ type: "message", message, stopReason, usage });
}

/** How long a run that was told to stop may take to write down what it did. */
const STOP_MS = 10_000;

/** What a run has before its session is open. */
export interface RunParts {
  readonly journal: RunJournal;
  readonly signal: AbortSignal;
  readonly report: HostReport;
  /** The run has so long from now on. */
  startDeadline(ms: number): void;
}

/** A run whose first lines are written. */
export interface Begun {
  readonly loop: Loop;
  /** The run is over before the model was asked. */
  readonly ending?: Ending | undefined;
}

export interface AgentRunOptions {
  readonly journal: RunJournal;
  readonly clock: Clock;
  readonly report: HostReport;
  readonly started: Omit<Extract<AgentEventBody, { type: "run_started" }>, "model">;
  /** The model that is asked. */
  model(): Promise<string>;
  readonly signal?: AbortSignal | undefined;
  /** Why this run may not begin, if so. */
  readonly blockedBy?: AgentError | undefined;
  /** Opens the session and writes what the run begins with. */
  begin(parts: RunParts): Promise<Begun>;
  /** Called once, when the session is free again and before `run_ended`. Must not throw. */
  onRelease(): void;
}

/** One run, from a message or an answer to its outcome. */
export class AgentRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly outcome: Promise<ExecutionOutcome>;
  readonly #given: AgentRunOptions;
  readonly #journal: RunJournal;
  readonly #abort: ChildAbort;
  readonly #inbox = new Inbox();
  /** Ends the timer of the deadline. */
  readonly #over = new AbortController();

  constructor(given: AgentRunOptions) {
    this.#given = given;
    this.#journal = given.journal;
    this.runId = given.journal.runId;
    this.sessionId = given.journal.sessionId;
    this.#abort = createChildAbort(given.signal);
    this.outcome = this.#run();
  }

  /** What it has added to the conversation so far, oldest first. */
  get messages(): readonly Message[] {
    return this.#journal.messages;
  }

  /** From the first event kept after `afterSeq`, then live to the end. Leaving the iteration does not cancel the run. */
  events(options: { readonly afterSeq?: number } = {}): AsyncIterable<AgentEvent> {
    return this.#journal.log.read(options.afterSeq);
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    return this.#journal.log.read();
  }

  /** Heard before the next model call. `run_over` means nobody heard it: send it as a new message. */
  steer(text: string): "queued" | "run_over" {
    return this.#abort.signal.aborted ? "run_over" : this.#inbox.add(text, "steer");
  }

  /** Heard when the run would otherwise end. */
  followUp(text: string): "queued" | "run_over" {
    return this.#abort.signal.aborted ? "run_over" : this.#inbox.add(text, "follow_up");
  }

  /** May be called twice. */
  async cancel(reason = "Stopped on request."): Promise<void> {
    this.#abort.abort(agentError("cancelled", "user", reason));
    await this.outcome;
  }

  async #run(): Promise<ExecutionOutcome> {
    // Gives the caller its handle before anything happens.
    await Promise.resolve();
    const written = new AbortController();
    const stuck = this.#whenStuck(written.signal);
    const end = new OutcomeWriter(this.#journal, this.#inbox, this.#abort.signal, stuck);
    const outcome = await Promise.race([this.#work(), stuck])
      .then((ending) => end.reached(ending))
      .catch((thrown: unknown) => end.broken(thrown));
    this.#over.abort();
    await end.release(outcome);
    written.abort();
    // Leaves no timer behind.
    if (this.#abort.signal.aborted) await setImmediate();
    this.#given.onRelease();
    const last = end.tell(outcome);
    // Tools that did not listen to the signal yet have no run to report to.
    this.#abort.abort(agentError("cancelled", "run_over", "The run is over."));
    this.#abort.dispose();
    return last;
  }

  async #work(): Promise<Ending> {
    const { started, blockedBy, report } = this.#given;
    const { signal } = this.#abort;
    const [journal, inbox] = [this.#journal, this.#inbox];
    journal.emit({ ...started, model: await this.#given.model() });
    journal.moveTo("preparing", started.trigger);
    if (blockedBy) throw blockedBy;
    signal.throwIfAborted();
    const startDeadline = (ms: number): void => this.#startDeadline(ms);
    const { loop, ending } = await this.#given.begin({ journal, signal, report, startDeadline });
    return ending ?? runLoop(loop, journal, inbox, signal);
  }

  /** Rejects when the run was told to stop and has not written down what it did: its session store hangs. */
  #whenStuck(written: AbortSignal): Promise<never> {
    const message = `The run was told to stop and did not within ${STOP_MS / 1_000} s: a store of this program does not answer.`;
    const stuck = Promise.withResolvers<never>();
    const wait = (): void => {
      this.#given.clock.sleep(STOP_MS, written).then(
        () => stuck.reject(agentError("agent", "host_callback", message)),
        () => undefined, // It was written in time.
      );
    };
    this.#abort.signal.addEventListener("abort", wait, { once: true, signal: written });
    if (this.#abort.signal.aborted) wait();
    // Those who race with it hear of it.
    stuck.promise.catch(() => undefined);
    return stuck.promise;
  }

  #startDeadline(ms: number): void {
    this.#given.clock.sleep(ms, this.#over.signal).then(
      () => this.#abort.abort(agentError("timeout", "run", LATE)),
      (thrown: unknown) => {
        // The run was quicker; anything else is a clock that does not work.
        if (!this.#over.signal.aborted) this.#abort.abort(toAgentError(thrown, { kind: "agent", code: "clock" }));
      },
    );
  }
}
