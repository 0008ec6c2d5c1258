// transcript → what is sent → the model, again if need be → one complete response
import type { ContextManager, PreparedContext, PrepareInput } from "../context/context-manager.ts";
import { toView } from "../context/history.ts";
import { reasoningIn } from "../context/pruning.ts";
import { createDataUrlPieces, DeltaPieces, type SpokenDelta } from "../llm/delta-pieces.ts";
import type { ImageBytes, LLMResponse } from "../llm/llm-client.ts";
import { type RetryBudget, withRetries } from "../llm/retry.ts";
import { raceAbort } from "../types/clock.ts";
import { AgentError } from "../types/errors.ts";
import type { CallIds } from "./call-ids.ts";
import { CONTEXT_EXHAUSTED, type Ending } from "./end.ts";
import type { RunJournal } from "./journal.ts";
import type { RunMoney } from "./money.ts";
import { type AgentExecutorOptions, DEFAULT_TIMERS } from "./options.ts";
import type { RunPauses } from "./pause.ts";
import type { RunEnvironment } from "./tools.ts";

/** What the model calls of one run are made with. */
interface ModelTurnsParts {
  readonly journal: RunJournal;
  readonly signal: AbortSignal;
  readonly context: ContextManager;
  readonly env: RunEnvironment;
  readonly options: AgentExecutorOptions;
  readonly retryBudget: RetryBudget;
  readonly money: RunMoney;
  readonly pauses: RunPauses;
  /** What belongs to the user or the session of this run. */
  readonly artifacts: ImageBytes;
  readonly callIds: CallIds;
  /** What the next request is made from. */
  input(): Promise<PrepareInput>;
}

/** One call of the model a turn: what is sent, how often it is tried, what it costs. */
export class ModelTurns {
  readonly #given: ModelTurnsParts;
  #mustShrink = false;

  constructor(given: ModelTurnsParts) {
    this.#given = given;
  }

  /** The model said that its window is full: the next request is smaller. */
  shrinkNext(): void {
    this.#mustShrink = true;
  }

  /** The answer, or why the run ends here. What the provider refuses is mended once a turn. */
  async ask(): Promise<LLMResponse | Ending> {
    const mended = new Set<string>();
    const mustShrink = this.#mustShrink;
    this.#mustShrink = false;
    const first = await this.#fit(() => (mustShrink ? this.#shrink("overflow") : this.#prepare()));
    let next: PreparedContext | Ending = first ?? CONTEXT_EXHAUSTED;
    while ("request" in next) {
      try {
        return await this.#call(next);
      } catch (thrown) {
        next = await this.#mend(thrown, mended);
      }
    }
    return next;
  }

  /** Undefined when nothing makes it fit. */
  async #fit(make: () => Promise<PreparedContext | undefined>): Promise<PreparedContext | undefined> {
    try {
      return await make();
    } catch (thrown) {
      if (codeOf(thrown) === "context_overflow") return undefined;
      throw thrown;
    }
  }

  /** Each of these once a turn. Throws what cannot be mended. */
  async #mend(thrown: unknown, mended: Set<string>): Promise<PreparedContext | Ending> {
    const code = codeOf(thrown);
    const again = mended.has(code);
    mended.add(code);
    switch (code) {
      case "context_overflow":
        return (again ? undefined : await this.#fit(() => this.#shrink("overflow"))) ?? CONTEXT_EXHAUSTED;
      case "request_too_large": {
        const smaller = again ? undefined : await this.#fit(() => this.#shrink("too_large"));
        if (smaller) return smaller;
        throw thrown;
      }
      case "reasoning_binding":
        if (again) throw thrown;
        return this.#dropReasoning();
      case "daily_limit":
      case "run_limit":
        return this.#given.money.stop(thrown as AgentError, this.#given.pauses);
      default:
        throw thrown;
    }
  }

  /** Throws `AgentError` code `context_overflow` when nothing makes it fit. */
  async #prepare(): Promise<PreparedContext> {
    await this.#given.env.writeNote();
    return this.#commit(await this.#draw());
  }

  /** After the provider refused the size. Undefined when there is nothing left to give. */
  async #shrink(why: "overflow" | "too_large"): Promise<PreparedContext | undefined> {
    const { journal, context, signal } = this.#given;
    journal.moveTo("compacting", why);
    const prepared = await raceAbort(context.shrink(await this.#given.input(), why), signal);
    return prepared && this.#commit(prepared);
  }

  /** After the provider refused thinking that it once signed: it stays in the transcript and is no longer sent. */
  async #dropReasoning(): Promise<PreparedContext> {
    const { journal } = this.#given;
    const view = toView(journal.entries());
    const edits = reasoningIn(view, 0);
    await journal.write({ type: "view", epoch: view.epoch + 1, edits });
    const parts = edits.length;
    journal.emit({ type: "context", action: "reasoning_dropped", before: parts, after: 0, detail: { parts } });
    journal.warn("reasoning_dropped", "Earlier thinking no longer fits the conversation and was left out.");
    return this.#prepare();
  }

  async #draw(): Promise<PreparedContext> {
    const { context, signal } = this.#given;
    return raceAbort(context.prepare(await this.#given.input()), signal);
  }

  /** Lines are on disk before the request that follows from them is sent. */
  async #commit(prepared: PreparedContext): Promise<PreparedContext> {
    const { journal } = this.#given;
    await this.#write(prepared);
    const { spent, isPaid } = prepared;
    if (spent) {
      journal.noteUsage(spent);
      if (!isPaid) await this.#given.money.charge(spent);
    }
    if (!prepared.lines.some((line) => line.type === "compaction")) return prepared;
    journal.count("compactions");
    // A summary has swallowed the notes: the state is told again, whole.
    if (!(await this.#given.env.writeNote())) return prepared;
    const again = await this.#draw();
    const [before, after] = [prepared.report.tokens.total, again.report.tokens.total];
    journal.emit({ type: "context", action: "state_snapshot", before, after });
    await this.#write(again);
    return again;
  }

  async #write({ lines, events }: PreparedContext): Promise<void> {
    // What is shown is only told: the request does not depend on that line.
    for (const line of lines) await this.#given.journal.write(line, { sync: line.type !== "vision_context" });
    for (const event of events) this.#given.journal.emit(event);
  }

  /** Rejects with an `AgentError` when all attempts failed, money is short, or the signal fired. */
  async #call(prepared: PreparedContext): Promise<LLMResponse> {
    const { journal, options, retryBudget: budget, signal } = this.#given;
    const { retry: policy, clock, random = Math.random } = options;
    const { response, costMicroUsd } = await withRetries({
      attempt: (number) => this.#attempt(prepared, number),
      onRetry: ({ attempt: number, delayMs, error }) => {
        if (journal.partial) {
          journal.emit({ type: "discarded", messageId: journal.partial.messageId, why: error.message });
        }
        journal.partial = undefined;
        journal.count("retries");
        journal.emit({ type: "retry", attempt: number, delayMs, error: error.view() });
        journal.moveTo("backing_off", error.code);
      },
      policy,
      budget,
      clock,
      random,
      signal,
    });
    const { usage, warnings } = response;
    journal.partial = undefined;
    journal.count("invocations");
    journal.noteUsage(usage);
    this.#given.context.learn(prepared.report, usage);
    // Worth nothing without the message after it, which is synced.
    await journal.write({ type: "usage", usage, costMicroUsd }, { sync: false });
    for (const { code, message } of warnings) journal.warn(code, message);
    return response;
  }

  async #attempt(
    { request, report }: PreparedContext,
    number: number,
  ): Promise<{ readonly response: LLMResponse; readonly costMicroUsd: number }> {
    const { journal, options, signal, artifacts } = this.#given;
    const { ids, clock, timers } = options;
    const messageId = ids.next("msg");
    let costMicroUsd = 0;
    const llm = this.#given.money.pay(options.llm, {
      onReserved: () => {
        journal.moveTo("sending", number === 1 ? "context built" : "trying again");
        journal.emit({ type: "request", model: request.model, context: report, attempt: number });
      },
      onPaid: (cost) => {
        costMicroUsd = cost;
      },
    });
    const context = { signal, clock, messageId, timers: { ...DEFAULT_TIMERS, ...timers }, size: report, artifacts };
    const stream = llm.stream(request, context);
    const partial = { messageId, text: "" };
    const pieces = new DeltaPieces(createDataUrlPieces);
    const show = (deltas: readonly SpokenDelta[]): void => {
      for (const delta of deltas) emitDelta(delta, messageId, this.#given);
    };
    try {
      for await (const delta of stream) {
        if (delta.type === "alive") continue;
        journal.partial = partial;
        journal.noteFirstText();
        if (delta.type === "text") partial.text += delta.text;
        show(pieces.take(delta));
      }
      show(pieces.rest());
      return { response: await stream.result(), costMicroUsd };
    } catch (thrown) {
      await this.#given.money.record(costMicroUsd);
      throw thrown;
    }
  }
}

function emitDelta(
  delta: SpokenDelta,
  messageId: string,
  { journal, callIds }: Pick<ModelTurnsParts, "journal" | "callIds">,
): void {
  if (delta.type === "tool_args") {
    const { callId, toolName, json } = delta;
    journal.emit({ type: "tool_input_delta", callId: callIds.next(callId), toolName, json });
  } else {
    journal.emit({ type: delta.type === "text" ? "text_delta" : "thinking_delta", messageId, text: delta.text });
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof AgentError ? thrown.code : "";
}
