// begin → loop → outcome, and the handle that others hold meanwhile
import { type ChildAbort, createChildAbort } from "../types/child-abort.ts";
import { AgentError, toAgentError } from "../types/errors.ts";
import type { AgentEvent, AgentEventBody, ExecutionOutcome } from "../types/events.ts";
import type { RunHandle } from "./agent-executor.ts";
import type { Begun } from "./begin-message.ts";
import { Inbox } from "./inbox.ts";
import { RunEnd } from "./run-end.ts";
import type { RunJournal } from "./run-journal.ts";
import { runLoop } from "./run-loop.ts";
import type { AgentParts, Ending, RunParts } from "./run-scope.ts";

type RunStarted = Extract<AgentEventBody, { type: "run_started" }>;

export interface AgentRunOptions {
  readonly agent: AgentParts;
  readonly journal: RunJournal;
  readonly task: string;
  readonly trigger: RunStarted["trigger"];
  readonly signal?: AbortSignal;
  /** Why this run may not begin, if so. */
  readonly blockedBy?: AgentError;
  /** Opens the session and writes what the run begins with. */
  begin(parts: RunParts): Promise<Begun>;
  /** Called once, when the session is free again and before `run_ended`. Must not throw. */
  onRelease(): void;
}

/** One run, from a message or an answer to its outcome. */
export class AgentRun implements RunHandle {
  readonly runId: string;
  readonly sessionId: string;
  readonly outcome: Promise<ExecutionOutcome>;
  readonly #given: AgentRunOptions;
  readonly #journal: RunJournal;
  readonly #abort: ChildAbort;
  readonly #inbox = new Inbox();
  readonly #end: RunEnd;
  /** Ends the timer of the deadline. */
  readonly #over = new AbortController();

  constructor(given: AgentRunOptions) {
    this.#given = given;
    this.#journal = given.journal;
    this.runId = given.journal.runId;
    this.sessionId = given.journal.sessionId;
    this.#abort = createChildAbort(given.signal);
    this.#end = new RunEnd({ journal: given.journal, inbox: this.#inbox, signal: this.#abort.signal });
    this.outcome = this.#run();
  }

  events(options: { readonly afterSeq?: number } = {}): AsyncIterable<AgentEvent> {
    return this.#journal.log.read(options.afterSeq);
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    return this.#journal.log.read();
  }

  steer(text: string): "queued" | "run_over" {
    return this.#abort.signal.aborted ? "run_over" : this.#inbox.steer(text);
  }

  followUp(text: string): "queued" | "run_over" {
    return this.#abort.signal.aborted ? "run_over" : this.#inbox.followUp(text);
  }

  async cancel(reason = "Stopped on request."): Promise<void> {
    this.#abort.abort(new AgentError({ kind: "cancelled", code: "user", message: reason }));
    await this.outcome;
  }

  async #run(): Promise<ExecutionOutcome> {
    // Gives the caller its handle before anything happens.
    await Promise.resolve();
    const outcome = await this.#work().then(
      (ending) => this.#end.reached(ending),
      (thrown: unknown) => this.#end.broken(thrown),
    );
    this.#over.abort();
    await this.#end.release(outcome);
    this.#given.onRelease();
    const last = this.#end.tell(outcome);
    // Tools that did not listen to the signal yet have no run to report to.
    this.#abort.abort(new AgentError({ kind: "cancelled", code: "run_over", message: "The run is over." }));
    this.#abort.dispose();
    return last;
  }

  async #work(): Promise<Ending> {
    const { agent, journal, task, trigger, blockedBy } = this.#given;
    const { signal } = this.#abort;
    journal.emit({ type: "run_started", task, trigger, model: agent.options.model });
    journal.moveTo("preparing", trigger);
    if (blockedBy) throw blockedBy;
    signal.throwIfAborted();
    const { scope, ending } = await this.#given.begin({
      agent,
      journal,
      inbox: this.#inbox,
      signal,
      startDeadline: (ms) => this.#startDeadline(ms),
    });
    return ending ?? runLoop(scope);
  }

  #startDeadline(ms: number): void {
    this.#given.agent.options.clock.sleep(ms, this.#over.signal).then(
      () =>
        this.#abort.abort(new AgentError({ kind: "timeout", code: "run", message: "The time of this run is over." })),
      (thrown: unknown) => {
        // The run was quicker; anything else is a clock that does not work.
        if (!this.#over.signal.aborted) this.#abort.abort(toAgentError(thrown, { kind: "agent", code: "clock" }));
      },
    );
  }
}
