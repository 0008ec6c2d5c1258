// the limits of a run + its ledger → clients that pay, and how the run ends when money is short
import type { SharePassed } from "../budget/budget-ledger.ts";
import {
  chargeUsage,
  createPayingClient,
  DEFAULT_SCOPES,
  tightestScope,
  toLimitedPrice,
} from "../budget/paying-client.ts";
import { toUsd } from "../budget/price.ts";
import { createSpendLimit, type SpendLimit } from "../budget/spend-limit.ts";
import type { LLMClient, ModelProfile } from "../llm/llm-client.ts";
import { toMaxTokens } from "../llm/tool-wire.ts";
import type { TranscriptEntry } from "../session/session-store.ts";
import { type AgentError, toAgentError } from "../types/errors.ts";
import { isJsonObject } from "../types/json.ts";
import type { Usage } from "../types/message.ts";
import { type Ending, stop } from "./end.ts";
import type { RunJournal } from "./journal.ts";
import { type AgentExecutorOptions, isBackground, type RunDetails } from "./options.ts";
import type { RunPauses } from "./pause.ts";

const DOUBTFUL = "The provider reported a usage that cannot be true. The most that the call may cost was counted.";

interface RunMoneyParts {
  readonly journal: RunJournal;
  readonly profile: ModelProfile;
  readonly options: Pick<AgentExecutorOptions, "llm" | "budget">;
  readonly details: RunDetails;
  readonly limitMicroUsd: number | undefined;
}

/** The money of one run: its own limit, the scopes it is charged to, and who hears of it. */
export class RunMoney {
  readonly #given: RunMoneyParts;
  readonly #isBackground: boolean;
  readonly #scopes: readonly string[] | undefined;
  /** Shared by all calls that are made for the run. */
  readonly #limit: SpendLimit | undefined;

  /** Throws `unknown_price` for a model that no limit could hold. */
  constructor(given: RunMoneyParts) {
    const { limitMicroUsd, profile, options } = given;
    this.#given = given;
    this.#isBackground = isBackground(given.details);
    this.#limit = limitMicroUsd === undefined ? undefined : createSpendLimit(limitMicroUsd);
    toLimitedPrice(profile, options.budget, this.#limit);
    const who = { sessionId: given.journal.sessionId, principal: given.details.principal };
    this.#scopes = given.options.budget?.scopesOf?.(who);
  }

  /**
   * The same client under the limits of this run, for whatever calls a model on its behalf. What a call cost is on disk
   * before its caller goes on; who gives `onPaid` writes it down.
   */
  pay(
    client: LLMClient,
    told: { readonly onReserved?: () => void; readonly onPaid?: (costMicroUsd: number) => void } = {},
  ): LLMClient {
    const { journal, options } = this.#given;
    return createPayingClient({
      client,
      budget: options.budget,
      scopes: this.#scopes,
      priority: this.#isBackground ? "background" : "user",
      limit: this.#limit,
      onReserved: told.onReserved,
      onPaid: async ({ costMicroUsd, isDoubtful }) => {
        journal.noteCost(costMicroUsd);
        if (isDoubtful) journal.warn("usage_doubtful", DOUBTFUL);
        this.#tellShares();
        if (told.onPaid) told.onPaid(costMicroUsd);
        else await this.record(costMicroUsd);
      },
    });
  }

  /** Money that is spent already, by a summariser that did not let the run pay for its call. */
  async charge(usage: Usage): Promise<void> {
    const { profile, options, journal } = this.#given;
    const parts = { budget: options.budget, limit: this.#limit, scopes: this.#scopes };
    const cost = await chargeUsage(usage, profile, parts);
    journal.noteCost(cost);
    this.#tellShares();
    await this.record(cost);
  }

  /** What is paid counts on after the program died. A run that is over has told its costs. */
  async record(costMicroUsd: number): Promise<void> {
    const { journal } = this.#given;
    if (costMicroUsd === 0 || !journal.isRecorded) return;
    try {
      await journal.write({ type: "paid", costMicroUsd });
    } catch (thrown) {
      journal.warn("session_write", toAgentError(thrown, { kind: "agent", code: "session_write" }).message);
    }
  }

  /** The next call might be too dear: says so, and how the run ends. */
  async stop(error: AgentError, pauses: RunPauses): Promise<Ending> {
    const { journal, options } = this.#given;
    const { budget } = options;
    const limit = error.code === "run_limit" ? this.#given.limitMicroUsd : undefined;
    const tightest = limit === undefined && budget ? await tightestScope(budget.ledger, this.#scopes) : undefined;
    journal.emit({
      type: "budget",
      level: "stop",
      scope: tightest?.scope ?? "run",
      spentMicroUsd: tightest?.spentMicroUsd ?? journal.metrics().costMicroUsd,
      limitMicroUsd: tightest?.limitMicroUsd ?? limit ?? 0,
    });
    const maxTokens = toMaxTokens(this.#given.details.config ?? {}, this.#given.profile).toLocaleString("en");
    const message = `${error.message} Lower config.maxTokens (now ${maxTokens}) or raise the limit.`;
    // A yes that changed nothing is not asked for again.
    if (budget?.onLimit === "pause" && !this.#isGrantedInVain()) return pauses.forBudget(message);
    return stop("budget", `Stopped at the cost limit. ${message}`);
  }

  /** This run goes on after a pause for money, and still cannot pay for a call. */
  #isGrantedInVain(): boolean {
    const { journal } = this.#given;
    const ours = journal.entries().filter(({ runId }) => runId === journal.runId);
    const isResumed = ours.some((entry) => entry.type === "resume" && isBudgetAnswer(entry, journal.entries()));
    return isResumed && !ours.some(({ type }) => type === "usage");
  }

  /** Nobody reads along with work in the background: the next run of a person tells of what it passed. */
  #tellShares(): void {
    if (this.#isBackground) return;
    const passed = this.#given.options.budget?.ledger.takePassed(this.#scopes ?? DEFAULT_SCOPES) ?? [];
    // Who hears of four fifths need not hear of the half.
    for (const one of new Map(passed.map((share) => [share.scope, share])).values()) {
      const { scope, spentMicroUsd, limitMicroUsd } = one;
      this.#given.journal.emit({ type: "budget", level: "warn", scope, spentMicroUsd, limitMicroUsd });
      this.#given.journal.warn("budget", describeShare(one));
    }
  }
}

/** Not a new message, which closes what waits. */
function isBudgetAnswer(
  { pauseId, resolution }: Extract<TranscriptEntry, { type: "resume" }>,
  entries: readonly TranscriptEntry[],
): boolean {
  if (isJsonObject(resolution) && resolution.kind === "superseded") return false;
  return entries.some((entry) => entry.type === "pause" && entry.pause.id === pauseId && entry.pause.kind === "budget");
}

/** For people. */
function describeShare({ scope, share, spentMicroUsd, limitMicroUsd }: SharePassed): string {
  const purpose = scope === "day" ? "" : ` for "${scope}"`;
  const [spent, limit] = [spentMicroUsd, limitMicroUsd].map(toUsd);
  return `${Math.round(share * 100)} % of the limit of today${purpose} is used: ${spent} of ${limit}.`;
}
