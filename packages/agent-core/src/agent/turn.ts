// transcript → what is sent → the model, again if need be → one complete response

import type { SharePassed } from "../budget/budget-ledger.ts";
import { chargeUsage, createPayingClient, DEFAULT_SCOPES, tightestScope } from "../budget/paying-client.ts";
import type { ContextManager, PreparedContext, PrepareInput } from "../context/context-manager.ts";
import { toView } from "../context/history.ts";
import { reasoningIn } from "../context/pruning.ts";
import type { LLMClient, LLMDelta, LLMResponse, ModelProfile } from "../llm/llm-client.ts";
import { type RetryBudget, withRetries } from "../llm/retry.ts";
import { raceAbort } from "../types/child-abort.ts";
import { AgentError } from "../types/errors.ts";
import type { Usage } from "../types/usage.ts";
import { CONTEXT_EXHAUSTED, type Ending, finish } from "./end.ts";
import type { RunJournal } from "./journal.ts";
import { type AgentExecutorOptions, DEFAULT_TIMERS, isBackground, type RunDetails } from "./options.ts";
import type { RunPauses } from "./pause.ts";
import type { RunEnvironment } from "./tools.ts";

/** What a request of one run is made from. */
export interface RequestSource {
  readonly context: ContextManager;
  readonly env: RunEnvironment;
  input(): Promise<PrepareInput>;
}

/** One call of the model a turn: what is sent, how often it is tried, what it costs. */
export class ModelTurns {
  readonly #journal: RunJournal;
  readonly #signal: AbortSignal;
  readonly #source: RequestSource;
  readonly #options: AgentExecutorOptions;
  readonly #retryBudget: RetryBudget;
  readonly #money: RunMoney;
  readonly #pauses: RunPauses;
  #mustShrink = false;

  constructor(given: {
    readonly journal: RunJournal;
    readonly signal: AbortSignal;
    readonly source: RequestSource;
    readonly options: AgentExecutorOptions;
    readonly retryBudget: RetryBudget;
    readonly money: RunMoney;
    readonly pauses: RunPauses;
  }) {
    this.#journal = given.journal;
    this.#signal = given.signal;
    this.#source = given.source;
    this.#options = given.options;
    this.#retryBudget = given.retryBudget;
    this.#money = given.money;
    this.#pauses = given.pauses;
  }

  /** The model said that its window is full: the next request is smaller. */
  shrinkNext(): void {
    this.#mustShrink = true;
  }

  /** The answer, or why the run ends here. What the provider refuses is mended once a turn. */
  async ask(): Promise<LLMResponse | Ending> {
    const mended = new Set<string>();
    let next: PreparedContext | Ending = await this.#first();
    while ("request" in next) {
      try {
        return await this.#call(next);
      } catch (thrown) {
        next = await this.#mend(thrown, mended);
      }
    }
    return next;
  }

  async #first(): Promise<PreparedContext | Ending> {
    const mustShrink = this.#mustShrink;
    this.#mustShrink = false;
    try {
      return (mustShrink ? await this.#shrink("overflow") : await this.#prepare()) ?? CONTEXT_EXHAUSTED;
    } catch (thrown) {
      if (codeOf(thrown) === "context_overflow") return CONTEXT_EXHAUSTED;
      throw thrown;
    }
  }

  /** Table 1.7.3: each of these once a turn. Throws what cannot be mended. */
  async #mend(thrown: unknown, mended: Set<string>): Promise<PreparedContext | Ending> {
    const code = codeOf(thrown);
    const again = mended.has(code);
    mended.add(code);
    switch (code) {
      case "context_overflow":
        return (again ? undefined : await this.#shrinkSafely("overflow")) ?? CONTEXT_EXHAUSTED;
      case "request_too_large": {
        const smaller = again ? undefined : await this.#shrinkSafely("too_large");
        if (smaller) return smaller;
        throw thrown;
      }
      case "reasoning_binding":
        if (again) throw thrown;
        return this.#dropReasoning();
      case "daily_limit":
      case "run_limit":
        return this.#money.stop(thrown as AgentError, this.#pauses);
      default:
        throw thrown;
    }
  }

  /** Throws `AgentError` code `context_overflow` when nothing makes it fit. */
  async #prepare(): Promise<PreparedContext> {
    await this.#source.env.writeNote();
    return this.#commit(await this.#draw());
  }

  /** After the provider refused the size. Undefined when there is nothing left to give. */
  async #shrink(why: "overflow" | "too_large"): Promise<PreparedContext | undefined> {
    this.#journal.moveTo("compacting", why);
    const { context, input } = this.#source;
    const prepared = await raceAbort(context.shrink(await input(), why), this.#signal);
    return prepared && this.#commit(prepared);
  }

  async #shrinkSafely(why: "overflow" | "too_large"): Promise<PreparedContext | undefined> {
    try {
      return await this.#shrink(why);
    } catch (thrown) {
      if (codeOf(thrown) === "context_overflow") return undefined;
      throw thrown;
    }
  }

  /** After the provider refused thinking that it once signed: it stays in the transcript and is no longer sent. */
  async #dropReasoning(): Promise<PreparedContext> {
    const journal = this.#journal;
    const view = toView(journal.entries());
    const edits = reasoningIn(view, 0);
    await journal.write({ type: "view", epoch: view.epoch + 1, edits });
    const parts = edits.length;
    journal.emit({ type: "context", action: "reasoning_dropped", before: parts, after: 0, detail: { parts } });
    journal.warn("reasoning_dropped", "Earlier thinking no longer fits the conversation and was left out.");
    return this.#prepare();
  }

  async #draw(): Promise<PreparedContext> {
    const { context, input } = this.#source;
    return raceAbort(context.prepare(await input()), this.#signal);
  }

  /** Lines are on disk before the request that follows from them is sent. */
  async #commit(prepared: PreparedContext): Promise<PreparedContext> {
    const journal = this.#journal;
    await this.#write(prepared);
    const { spent, paidMicroUsd } = prepared;
    if (spent) {
      journal.noteUsage(spent);
      journal.noteCost(paidMicroUsd ?? (await this.#money.charge(spent)));
    }
    if (!prepared.lines.some((line) => line.type === "compaction")) return prepared;
    journal.count("compactions");
    // A summary has swallowed the notes: the state is told again, whole.
    if (!(await this.#source.env.writeNote())) return prepared;
    const again = await this.#draw();
    const [before, after] = [prepared.report.tokens.total, again.report.tokens.total];
    journal.emit({ type: "context", action: "state_snapshot", before, after });
    await this.#write(again);
    return again;
  }

  async #write({ lines, events }: PreparedContext): Promise<void> {
    for (const line of lines) await this.#journal.write(line);
    for (const event of events) this.#journal.emit(event);
  }

  /** Rejects with an `AgentError` when all attempts failed, money is short, or the signal fired. */
  async #call(prepared: PreparedContext): Promise<LLMResponse> {
    const journal = this.#journal;
    const { retry, clock, random } = this.#options;
    const { response, costMicroUsd } = await withRetries({
      attempt: (number) => this.#attempt(prepared, number),
      onRetry: ({ attempt: number, delayMs, error }) => {
        discardPartial(journal, error.message);
        journal.count("retries");
        journal.emit({ type: "retry", attempt: number, delayMs, error: error.view() });
        journal.moveTo("backing_off", error.code);
      },
      onResume: () => undefined,
      policy: retry ?? {},
      budget: this.#retryBudget,
      clock,
      random: random ?? Math.random,
      signal: this.#signal,
    });
    const { usage, warnings } = response;
    journal.partial = undefined;
    journal.count("invocations");
    journal.noteUsage(usage);
    this.#source.context.learn(prepared.report, usage);
    // Worth nothing without the message after it, which is synced.
    await journal.write({ type: "usage", usage, costMicroUsd }, { sync: false });
    for (const { code, message } of warnings) journal.warn(code, message);
    return response;
  }

  async #attempt(
    { request, report }: PreparedContext,
    number: number,
  ): Promise<{ readonly response: LLMResponse; readonly costMicroUsd: number }> {
    const journal = this.#journal;
    const { ids, clock, timers } = this.#options;
    const messageId = ids.next("msg");
    let costMicroUsd = 0;
    const llm = this.#money.client({
      onReserved: () => {
        journal.moveTo("sending", number === 1 ? "context built" : "trying again");
        journal.emit({ type: "request", model: request.model, context: report, attempt: number });
      },
      onPaid: (cost) => {
        costMicroUsd = cost;
      },
    });
    const context = { signal: this.#signal, clock, messageId, timers: { ...DEFAULT_TIMERS, ...timers }, size: report };
    const stream = llm.stream(request, context);
    const partial = { messageId, text: "" };
    for await (const delta of stream) {
      if (delta.type === "alive") continue;
      journal.partial = partial;
      journal.noteFirstText();
      if (delta.type === "text") partial.text += delta.text;
      emitDelta(delta, messageId, journal);
    }
    return { response: await stream.result(), costMicroUsd };
  }
}

function emitDelta(delta: Exclude<LLMDelta, { type: "alive" }>, messageId: string, journal: RunJournal): void {
  if (delta.type === "tool_args") {
    const { callId, toolName, json } = delta;
    journal.emit({ type: "tool_input_delta", callId, toolName, json });
  } else {
    journal.emit({ type: delta.type === "text" ? "text_delta" : "thinking_delta", messageId, text: delta.text });
  }
}

function discardPartial(journal: RunJournal, why: string): void {
  if (!journal.partial) return;
  journal.emit({ type: "discarded", messageId: journal.partial.messageId, why });
  journal.partial = undefined;
}

function codeOf(thrown: unknown): string {
  return thrown instanceof AgentError ? thrown.code : "";
}

/** The money of one run: its own limit, the scopes it is charged to, and who hears of it. */
export class RunMoney {
  readonly #journal: RunJournal;
  readonly #profile: ModelProfile;
  readonly #options: Pick<AgentExecutorOptions, "llm" | "budget">;
  readonly #limitMicroUsd: number | undefined;
  readonly #isBackground: boolean;
  readonly #scopes: readonly string[] | undefined;

  constructor(given: {
    readonly journal: RunJournal;
    readonly profile: ModelProfile;
    readonly options: Pick<AgentExecutorOptions, "llm" | "budget">;
    readonly details: RunDetails;
    readonly limitMicroUsd: number | undefined;
  }) {
    this.#journal = given.journal;
    this.#profile = given.profile;
    this.#options = given.options;
    this.#limitMicroUsd = given.limitMicroUsd;
    this.#isBackground = isBackground(given.details);
    const who = { sessionId: given.journal.sessionId, principal: given.details.principal };
    this.#scopes = given.options.budget?.scopesOf?.(who);
  }

  /** For one attempt. `onPaid` hears its cost. */
  client(told: { readonly onReserved: () => void; readonly onPaid: (costMicroUsd: number) => void }): LLMClient {
    const { llm, budget } = this.#options;
    const limit = this.#limitMicroUsd;
    return createPayingClient({
      client: llm,
      budget,
      scopes: this.#scopes,
      priority: this.#isBackground ? "background" : "user",
      limitMicroUsd: limit === undefined ? undefined : limit - this.#journal.metrics().costMicroUsd,
      onReserved: told.onReserved,
      onPaid: ({ costMicroUsd }) => {
        this.#journal.noteCost(costMicroUsd);
        this.#tellShares();
        told.onPaid(costMicroUsd);
      },
    });
  }

  /** Money that is spent already, such as a summary's. Gives its cost. */
  async charge(usage: Usage): Promise<number> {
    try {
      return await chargeUsage(usage, this.#profile, { budget: this.#options.budget, scopes: this.#scopes });
    } catch (thrown) {
      if (!(thrown instanceof AgentError)) throw thrown;
      this.#journal.warn("budget_overrun", `A summary cost more than was left: ${thrown.message}`);
      return 0;
    }
  }

  /** The next call might be too dear: says so, and how the run ends. */
  async stop(error: AgentError, pauses: RunPauses): Promise<Ending> {
    const { budget } = this.#options;
    const limit = error.code === "run_limit" ? this.#limitMicroUsd : undefined;
    const tightest = limit === undefined && budget ? await tightestScope(budget.ledger, this.#scopes) : undefined;
    this.#journal.emit({
      type: "budget",
      level: "stop",
      scope: tightest?.scope ?? "run",
      spentMicroUsd: tightest?.spentMicroUsd ?? this.#journal.metrics().costMicroUsd,
      limitMicroUsd: tightest?.limitMicroUsd ?? limit ?? 0,
    });
    if (budget?.onLimit === "pause") return pauses.forBudget(error.message);
    return finish("budget", `I stopped because the money for this is used up: ${error.message}`);
  }

  /** Nobody reads along with work in the background: the next run of a person tells of what it passed. */
  #tellShares(): void {
    if (this.#isBackground) return;
    const passed = this.#options.budget?.ledger.takePassed(this.#scopes ?? DEFAULT_SCOPES) ?? [];
    // Who hears of four fifths need not hear of the half.
    for (const one of new Map(passed.map((share) => [share.scope, share])).values()) {
      const { scope, spentMicroUsd, limitMicroUsd } = one;
      this.#journal.emit({ type: "budget", level: "warn", scope, spentMicroUsd, limitMicroUsd });
      this.#journal.warn("budget", describeShare(one));
    }
  }
}

/** For people. */
function describeShare({ scope, share, spentMicroUsd, limitMicroUsd }: SharePassed): string {
  const purpose = scope === "day" ? "" : ` for "${scope}"`;
  const [spent, limit] = [spentMicroUsd, limitMicroUsd].map((microUsd) => `${Number((microUsd / 1e6).toFixed(4))} USD`);
  return `${Math.round(share * 100)} % of the limit of today${purpose} is used: ${spent} of ${limit}.`;
}
