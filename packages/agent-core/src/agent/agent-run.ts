// prepare → (call → execute)* → finish
import { withoutReasoning } from "../context/history.ts";
import type { LLMResponse, SystemBlock } from "../llm/llm-client.ts";
import type { ToolExecutor } from "../tools/tool-executor.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import { type ChildAbort, createChildAbort, raceAbort } from "../types/child-abort.ts";
import { AgentError, toAgentError } from "../types/errors.ts";
import type { AgentEvent, ExecutionOutcome, FinishReason } from "../types/events.ts";
import type { ExecuteInput, RunHandle } from "./agent-executor.ts";
import { callModel } from "./call-model.ts";
import { type AgentExecutorOptions, DEFAULT_STOP, type StopPolicy } from "./executor-options.ts";
import { createLoopDetector, type LoopDetector } from "./loop-detector.ts";
import { prepareRun } from "./prepare-run.ts";
import type { RunJournal } from "./run-journal.ts";
import { refuseCalls, runTools } from "./run-tools.ts";

type Finish = { readonly reason: FinishReason; readonly text: string; readonly messageId?: string };

export interface AgentRunOptions {
  readonly input: ExecuteInput;
  readonly options: AgentExecutorOptions;
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly journal: RunJournal;
  /** Why this run may not begin, if so. */
  readonly blockedBy?: AgentError;
  /** Called once, when the session is free again and before `run_ended`. Must not throw. */
  onRelease(): void;
}

/** One run, from a message to its outcome. */
export class AgentRun implements RunHandle {
  readonly runId: string;
  readonly sessionId: string;
  readonly outcome: Promise<ExecutionOutcome>;
  readonly #given: AgentRunOptions;
  readonly #journal: RunJournal;
  readonly #abort: ChildAbort;
  readonly #stop: StopPolicy;
  readonly #detector: LoopDetector;
  #steering: string[] = [];
  #hears = true;
  #dropsReasoning = false;

  constructor(given: AgentRunOptions) {
    this.#given = given;
    this.#journal = given.journal;
    this.runId = given.journal.runId;
    this.sessionId = given.journal.sessionId;
    this.#abort = createChildAbort(given.input.signal);
    this.#stop = { ...DEFAULT_STOP, ...given.options.stop };
    this.#detector = createLoopDetector(this.#stop.maxRepeats);
    this.outcome = this.#run();
  }

  events(options: { readonly afterSeq?: number } = {}): AsyncIterable<AgentEvent> {
    return this.#journal.log.read(options.afterSeq);
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    return this.#journal.log.read();
  }

  steer(text: string): "queued" | "run_over" {
    if (!this.#hears || this.#abort.signal.aborted) return "run_over";
    this.#steering.push(text);
    return "queued";
  }

  async cancel(reason = "Stopped on request."): Promise<void> {
    this.#abort.abort(new AgentError({ kind: "cancelled", code: "user", message: reason }));
    await this.outcome;
  }

  async #run(): Promise<ExecutionOutcome> {
    // Gives the caller its handle before anything happens.
    await Promise.resolve();
    const outcome = await this.#work().then(
      (finish) => this.#finished(finish),
      (thrown: unknown) => this.#broken(thrown),
    );
    return this.#end(outcome);
  }

  async #work(): Promise<Finish> {
    const { input, options, blockedBy } = this.#given;
    this.#journal.emit({ type: "run_started", task: input.text, trigger: "message", model: options.model });
    this.#journal.moveTo("preparing", "a message came");
    if (blockedBy) throw blockedBy;
    this.#abort.signal.throwIfAborted();
    await prepareRun(input, options, this.#journal, this.#abort.signal);
    const system = await raceAbort(options.prompt.system(), this.#abort.signal);
    for (let turn = 1; turn <= this.#stop.maxIterations; turn++) {
      this.#journal.turn = turn;
      const finish = await this.#turn(system);
      if (finish) return finish;
    }
    return {
      reason: "max_iterations",
      text: `I stopped after ${this.#stop.maxIterations} steps without coming to an end. Tell me to go on if you want more.`,
    };
  }

  /** One call of the model and what follows from it. Undefined means go on. */
  async #turn(system: readonly SystemBlock[]): Promise<Finish | undefined> {
    const journal = this.#journal;
    this.#abort.signal.throwIfAborted();
    journal.moveTo("preparing", "next turn");
    await this.#hearSteering();
    const response = await this.#call(system);
    if (response === "context_overflow") return CONTEXT_EXHAUSTED;
    await journal.appendMessage(response.message, response.stopReason);
    const { message, stopReason, usage } = response;
    journal.emit({ type: "message", message, stopReason, usage });
    const finish = await this.#judge(response);
    if (finish?.reason === "complete" && this.#steering.length > 0) return undefined;
    return finish;
  }

  async #call(system: readonly SystemBlock[]): Promise<LLMResponse | "context_overflow"> {
    const { input, options, registry } = this.#given;
    this.#journal.moveTo("sending", "context built");
    const messages = this.#journal.messages();
    const request = {
      model: options.model,
      system,
      messages: this.#dropsReasoning ? withoutReasoning(messages) : messages,
      tools: registry.listTools(),
      ...(input.config === undefined ? {} : { config: input.config }),
    };
    try {
      return await callModel(request, options, this.#journal, this.#abort.signal);
    } catch (thrown) {
      const code = thrown instanceof AgentError ? thrown.code : "";
      if (code === "context_overflow") return "context_overflow";
      if (code !== "reasoning_binding" || this.#dropsReasoning) throw thrown;
    }
    // Something before the thinking is no longer as it was; without it the conversation can go on.
    this.#dropsReasoning = true;
    this.#journal.warn("reasoning_dropped", "Earlier thinking no longer fits the conversation and was left out.");
    return this.#call(system);
  }

  /** Table 1.7.4 of stop reasons. */
  async #judge(response: LLMResponse): Promise<Finish | undefined> {
    const { toolCalls, content, message, stopReason } = response;
    switch (stopReason) {
      case "refusal":
      case "content_filter":
        return { reason: stopReason, text: "The model declined to answer this." };
      case "max_tokens":
        await refuseCalls(toolCalls, "Not executed: the answer was cut at the length limit.", this.#journal);
        return { reason: "max_output_tokens", text: content || CUT, ...(content ? { messageId: message.id } : {}) };
      case "context_exceeded":
        await refuseCalls(toolCalls, "Not executed: the conversation became too long.", this.#journal);
        return CONTEXT_EXHAUSTED;
      case "pause":
        return undefined;
      case "tool_use":
      case "complete":
      case "stop_sequence":
        if (toolCalls.length > 0) return this.#execute(response);
        return { reason: "complete", text: content, messageId: message.id };
    }
  }

  async #execute({ toolCalls }: LLMResponse): Promise<Finish | undefined> {
    const { input, executor } = this.#given;
    const journal = this.#journal;
    journal.moveTo("executing_tools", `${toolCalls.length} calls`);
    const run = {
      signal: this.#abort.signal,
      runId: this.runId,
      sessionId: this.sessionId,
      principal: input.principal,
      onArtifact: (ref: Extract<AgentEvent, { type: "artifact" }>["ref"]) =>
        journal.emit({ type: "artifact", ref, reason: "tool" }),
    };
    const steps = await runTools(toolCalls, executor, run, journal);
    this.#abort.signal.throwIfAborted();
    const repeated = this.#detector.note(steps);
    if (repeated === undefined) return undefined;
    const text = `I stopped because "${repeated}" gave the same result to the same call ${this.#stop.maxRepeats} times.`;
    return { reason: "loop_detected", text };
  }

  async #hearSteering(): Promise<void> {
    const messageIds = await this.#writeSteering();
    if (messageIds.length > 0) this.#journal.emit({ type: "steered", messageIds });
  }

  async #writeSteering(): Promise<readonly string[]> {
    const messageIds: string[] = [];
    for (const text of this.#steering.splice(0)) {
      const message = this.#journal.newMessage("user", "steer", [{ type: "text", text }]);
      await this.#journal.appendMessage(message);
      messageIds.push(message.id);
    }
    return messageIds;
  }

  async #finished({ reason, text, messageId }: Finish): Promise<ExecutionOutcome> {
    this.#hears = false;
    const journal = this.#journal;
    try {
      if (reason !== "complete") journal.warn(reason, text === "" ? CUT : text);
      journal.emit({ type: "response", text, messageId: messageId ?? (await this.#say(text)) });
    } catch (thrown) {
      return this.#broken(thrown);
    }
    journal.moveTo("complete", reason);
    return { status: "finished", finish: reason, summary: text, ...this.#totals() };
  }

  /** A sentence of our own in the assistant's place, so that the transcript tells why it ended. */
  async #say(text: string): Promise<string> {
    const message = this.#journal.newMessage("assistant", "core", [{ type: "text", text }]);
    await this.#journal.appendMessage(message);
    return message.id;
  }

  async #broken(thrown: unknown): Promise<ExecutionOutcome> {
    this.#hears = false;
    const { signal } = this.#abort;
    const partial = this.#journal.partial?.text;
    const kept = partial ? { partial } : {};
    if (signal.aborted) {
      const { message } = toAgentError(signal.reason, { kind: "cancelled", code: "aborted" });
      await this.#keepPartial();
      this.#journal.moveTo("cancelled", message);
      return { status: "cancelled", reason: message, ...kept, ...this.#totals() };
    }
    const error = toAgentError(thrown, { kind: "agent", code: "unexpected" });
    this.#journal.emit({ type: "error", error: error.view(), stopsRun: true });
    this.#journal.moveTo(error.kind === "timeout" ? "timeout" : "error", error.code);
    return { status: "failed", error: error.view(), ...kept, ...this.#totals() };
  }

  /** What was shown before a cancel stays in the conversation. */
  async #keepPartial(): Promise<void> {
    const partial = this.#journal.partial;
    if (!partial?.text || !this.#journal.hasSession) return;
    const message = this.#journal.newMessage("assistant", "model", [{ type: "text", text: partial.text }]);
    await this.#attempt(() => this.#journal.appendMessage({ ...message, id: partial.messageId }));
  }

  /** The session is free before anyone hears that the run is over. */
  async #end(outcome: ExecutionOutcome): Promise<ExecutionOutcome> {
    const journal = this.#journal;
    if (journal.hasSession) {
      await this.#attempt(() => this.#keepSteering());
      await this.#attempt(() => journal.appendEnd(outcome.status, reasonOf(outcome)));
      await this.#attempt(() => journal.closeSession());
    }
    this.#given.onRelease();
    const last = { ...outcome, ...this.#totals() };
    journal.emit({ type: "run_ended", outcome: last });
    journal.log.close();
    // Tools that did not listen to the signal yet have no run to report to.
    this.#abort.abort(new AgentError({ kind: "cancelled", code: "run_over", message: "The run is over." }));
    this.#abort.dispose();
    return last;
  }

  /** What was queued and not heard waits in the transcript for the next run. */
  async #keepSteering(): Promise<void> {
    const { length: unheard } = await this.#writeSteering();
    if (unheard > 0) this.#journal.warn("steering_unheard", `${unheard} messages will be heard in the next run.`);
  }

  /** The end of a run goes on although the disk does not. */
  async #attempt(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (thrown) {
      const error = toAgentError(thrown, { kind: "agent", code: "session_write" });
      this.#journal.warn(error.code, error.message);
    }
  }

  #totals(): Pick<ExecutionOutcome, "metrics" | "warnings"> {
    return { metrics: this.#journal.metrics(), warnings: [...this.#journal.warnings] };
  }
}

const CUT = "The answer was cut at the length limit.";
const CONTEXT_EXHAUSTED: Finish = {
  reason: "context_exhausted",
  text: "This conversation has become too long for the model. Start a new one to go on.",
};

function reasonOf(outcome: ExecutionOutcome): string {
  if (outcome.status === "finished") return outcome.finish;
  return outcome.status === "failed" ? outcome.error.code : outcome.reason;
}
