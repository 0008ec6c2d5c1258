// a request → money set aside → the call → what it really cost
import type { Priority, Reservation, ScopeState, SharePassed } from "../budget/budget-ledger.ts";
import { costMicroUsd, worstCaseMicroUsd } from "../budget/price.ts";
import { requirePrice } from "../budget/require-price.ts";
import type { PreparedContext } from "../context/context-manager.ts";
import type { ModelProfile, Price } from "../llm/llm-client.ts";
import { AgentError } from "../types/errors.ts";
import type { Message } from "../types/message.ts";
import type { Principal } from "../types/principal.ts";
import { NO_USAGE, type Usage } from "../types/usage.ts";
import type { RunBudgetOptions } from "./executor-options.ts";
import type { RunJournal } from "./run-journal.ts";
import type { StopPolicy } from "./stop-policy.ts";

const DEFAULT_SCOPES: readonly string[] = ["day"];
const DEFAULT_MAX_TOKENS = 16_000;
const CHARS_PER_TOKEN = 3;

/** What the gate needs to know of a run. */
export interface PaidRun {
  readonly journal: RunJournal;
  readonly profile: ModelProfile;
  readonly stop: StopPolicy;
  readonly settings: { readonly principal: Principal; readonly origin?: Message["origin"] };
}

/** The money of one call. */
export interface CallMoney {
  /** Text was shown and is void: the provider bills it all the same. */
  waste(shownChars: number): void;
  /** Gives the cost in millionths of a dollar. */
  settle(usage: Usage): Promise<number>;
  /** The call failed. Gives what its attempts have cost, as far as can be told. */
  abandon(): Promise<number>;
}

/** Guards the budget for all runs of an executor. */
export class CallGate {
  readonly #budget: RunBudgetOptions | undefined;

  constructor(budget: RunBudgetOptions | undefined) {
    this.#budget = budget;
  }

  /** Throws `AgentError` kind `budget` before anything is used. */
  async open(prepared: PreparedContext, run: PaidRun): Promise<CallMoney> {
    const price = this.#priceOf(run.profile);
    const worst = price === undefined ? 0 : worstCaseOf(prepared, run.profile, price);
    assertRunLimit(worst, run);
    const reservation = await this.#reserve(worst, run);
    let wasted = 0;
    const close = async (actual: number): Promise<number> => {
      if (actual > 0) await reservation?.settle(actual);
      else await reservation?.release();
      this.#tellShares(run);
      return actual;
    };
    return {
      waste: (shownChars) => {
        wasted += estimateCost(prepared, shownChars, price);
      },
      settle: (usage) => close(wasted + (price === undefined ? 0 : costMicroUsd(usage, price))),
      abandon: () => close(wasted),
    };
  }

  /** Money that is spent already, such as a summary's. Gives its cost. */
  async book(usage: Usage, run: PaidRun): Promise<number> {
    const price = this.#priceOf(run.profile);
    const cost = price === undefined ? 0 : costMicroUsd(usage, price);
    if (cost === 0) return 0;
    try {
      const reservation = await this.#reserve(cost, run, "alert");
      await reservation?.settle(cost);
    } catch (thrown) {
      if (!(thrown instanceof AgentError)) throw thrown;
      run.journal.warn("budget_overrun", `A summary cost more than was left: ${thrown.message}`);
    }
    return cost;
  }

  /** The scope that has least room left, for the event that tells of a stop. */
  async tightest(run: PaidRun): Promise<ScopeState | undefined> {
    const states = await this.#states(run);
    return states.sort((a, b) => roomOf(a) - roomOf(b))[0];
  }

  #priceOf({ id, price }: ModelProfile): Price | undefined {
    if (!this.#budget) return price;
    const { assumePrice } = this.#budget;
    return requirePrice({ model: id, ...(price && { price }), ...(assumePrice && { assumePrice }) });
  }

  async #reserve(worstMicroUsd: number, run: PaidRun, priority?: Priority): Promise<Reservation | undefined> {
    return this.#budget?.ledger.reserve({
      scopes: this.#scopesOf(run),
      worstMicroUsd,
      priority: priority ?? priorityOf(run),
    });
  }

  #scopesOf({ journal, settings }: PaidRun): readonly string[] {
    const who = { sessionId: journal.sessionId, principal: settings.principal };
    return this.#budget?.scopesOf?.(who) ?? DEFAULT_SCOPES;
  }

  async #states(run: PaidRun): Promise<ScopeState[]> {
    const { ledger } = this.#budget ?? {};
    return ledger ? Promise.all(this.#scopesOf(run).map((name) => ledger.state(name))) : [];
  }

  /** Nobody reads along with work in the background: the next run of a person tells of what it passed. */
  #tellShares(run: PaidRun): void {
    if (priorityOf(run) === "background") return;
    const passed = this.#budget?.ledger.takePassed(this.#scopesOf(run)) ?? [];
    // Who hears of four fifths need not hear of the half.
    for (const one of new Map(passed.map((share) => [share.scope, share])).values()) {
      const { scope, spentMicroUsd, limitMicroUsd } = one;
      run.journal.emit({ type: "budget", level: "warn", scope, spentMicroUsd, limitMicroUsd });
      run.journal.warn("budget", describeShare(one));
    }
  }
}

/** For people. */
function describeShare({ scope, share, spentMicroUsd, limitMicroUsd }: SharePassed): string {
  const purpose = scope === "day" ? "" : ` for "${scope}"`;
  const [spent, limit] = [spentMicroUsd, limitMicroUsd].map((microUsd) => `${Number((microUsd / 1e6).toFixed(4))} USD`);
  return `${Math.round(share * 100)} % of the limit of today${purpose} is used: ${spent} of ${limit}.`;
}

function assertRunLimit(worst: number, { stop, journal }: PaidRun): void {
  const limit = stop.maxCostMicroUsd;
  if (limit === undefined || journal.metrics().costMicroUsd + worst <= limit) return;
  throw new AgentError({
    kind: "budget",
    code: "run_limit",
    message: "The next call might cost more than this run may.",
  });
}

function worstCaseOf({ report, request }: PreparedContext, profile: ModelProfile, price: Price): number {
  const asked = request.config?.maxTokens ?? 0;
  const maxTokens = asked > 0 ? asked : Math.min(profile.maxOutput, DEFAULT_MAX_TOKENS);
  return worstCaseMicroUsd(report, maxTokens, request.cache, price);
}

/** For output that came without a report of its usage. */
function estimateCost({ report }: PreparedContext, shownChars: number, price: Price | undefined): number {
  if (price === undefined) return 0;
  const outputTokens = Math.ceil(shownChars / CHARS_PER_TOKEN);
  return costMicroUsd({ ...NO_USAGE, inputTokens: report.tokens.total, outputTokens, estimated: true }, price);
}

function priorityOf({ settings }: PaidRun): Priority {
  return settings.origin === "job" || settings.origin === "heartbeat" ? "background" : "user";
}

function roomOf(state: ScopeState): number {
  return state.limitMicroUsd - state.spentMicroUsd - state.reservedMicroUsd;
}
