// worst case of a call → money set aside, or a refusal → what it really cost
import type { Clock } from "../types/clock.ts";
import { AgentError } from "../types/errors.ts";
import type { BudgetLedger, Priority, Reservation, ScopeState, SharePassed } from "./budget-ledger.ts";
import { createDayWindows, type DayWindow } from "./day-window.ts";
import { LedgerBook } from "./ledger-book.ts";
import type { LedgerRecord, LedgerStore } from "./ledger-store.ts";

/** Something that a person may want to know about the money. */
export type BudgetWarning =
  /** Told once per scope, day and share: 0.5, then 0.8. */
  | ({ readonly kind: "share_used" } & SharePassed)
  /** Reservations that a process left behind when it died: their worst case counts as spent. */
  | { readonly kind: "left_behind"; readonly reservations: number; readonly microUsd: number }
  /** Records that could not be read: the sums may be too low. */
  | { readonly kind: "records_lost"; readonly records: number };

export interface BudgetLedgerOptions {
  /** Millionths of a dollar per day, by scope. A scope that is not here cannot be reserved from. */
  readonly limits: { readonly [scope: string]: number };
  /** IANA name; the day begins and ends there. */
  readonly timeZone: string;
  readonly clock: Pick<Clock, "now">;
  readonly store: LedgerStore;
  /** Share of each limit that only `alert` may use. Default 0.1. Higher: alarms go out longer, chat ends sooner. */
  readonly alertShare?: number;
  /** Further share that `background` leaves to people. Default 0.1. */
  readonly userShare?: number;
  /** Must not throw. */
  readonly onWarning?: (warning: BudgetWarning) => void;
}

const WARNING_SHARES = [0.5, 0.8] as const;
/** The log is written anew after so many records. */
const TIDY_AFTER = 1_000;

/**
 * VA-22: a daily limit that holds. What a call may cost at worst is on record before the call is made, so that neither
 * concurrency nor a crash spends more. Throws `AgentError` kind `invalid`, code `bad_budget` for options that make no sense.
 */
export function createBudgetLedger(options: BudgetLedgerOptions): BudgetLedger {
  return new DailyLedger(options);
}

class DailyLedger implements BudgetLedger {
  readonly #limits: ReadonlyMap<string, number>;
  readonly #clock: Pick<Clock, "now">;
  readonly #store: LedgerStore;
  readonly #keptBack: { readonly [P in Priority]: number };
  readonly #onWarning: (warning: BudgetWarning) => void;
  readonly #dayAt: (nowMs: number) => DayWindow;
  #book = new LedgerBook();
  #loaded: Promise<void> | undefined;
  #passed: readonly SharePassed[] = [];
  #reservations = 0;
  #untidy = 0;

  constructor(options: BudgetLedgerOptions) {
    const { alertShare = 0.1, userShare = 0.1 } = options;
    assertOptions(options.limits, alertShare, userShare);
    this.#limits = new Map(Object.entries(options.limits));
    this.#clock = options.clock;
    this.#store = options.store;
    this.#keptBack = { alert: 0, user: alertShare, background: alertShare + userShare };
    this.#onWarning = options.onWarning ?? (() => undefined);
    this.#dayAt = toDayWindows(options.timeZone);
  }

  async reserve(request: Parameters<BudgetLedger["reserve"]>[0]): Promise<Reservation> {
    assertAmount(request.worstMicroUsd);
    const scopes = [...new Set(request.scopes)];
    if (scopes.length === 0) throw badBudget("A reservation names at least one scope.");
    const limits = scopes.map((scope) => ({ scope, limit: this.#limitOf(scope) }));
    await this.#load();
    // From here to `apply` nothing is awaited: no other reservation gets in between.
    const { day, endsAtMs } = this.#dayAt(this.#clock.now());
    for (const { scope, limit } of limits) {
      if (!this.#fits({ day, scope, limit, ...request })) throw this.#dailyLimit(scope, limit, endsAtMs);
    }
    const id = `r${++this.#reservations}`;
    const record: LedgerRecord = { type: "reserve", id, day, scopes, micro_usd: request.worstMicroUsd };
    this.#book.apply(record);
    try {
      await this.#append(record);
    } catch (thrown) {
      this.#book.apply({ type: "release", id });
      throw thrown;
    }
    return { id, settle: (actual) => this.#settle(id, actual), release: () => this.#end({ type: "release", id }) };
  }

  async state(scope: string): Promise<ScopeState> {
    const limitMicroUsd = this.#limitOf(scope);
    await this.#load();
    const { day, endsAtMs } = this.#dayAt(this.#clock.now());
    return { scope, ...this.#book.balance(day, scope), limitMicroUsd, resetsAt: new Date(endsAtMs).toISOString() };
  }

  takePassed(scopes: readonly string[]): readonly SharePassed[] {
    const { day } = this.#dayAt(this.#clock.now());
    const taken = this.#passed.filter((passed) => passed.day === day && scopes.includes(passed.scope));
    this.#passed = this.#passed.filter((passed) => passed.day === day && !scopes.includes(passed.scope));
    return taken;
  }

  async close(): Promise<void> {
    await this.#store.close();
  }

  #fits(wanted: { day: string; scope: string; limit: number; worstMicroUsd: number; priority: Priority }): boolean {
    // What costs nothing is never refused: a free model works on when the money is gone.
    if (wanted.worstMicroUsd === 0) return true;
    const { spentMicroUsd, reservedMicroUsd } = this.#book.balance(wanted.day, wanted.scope);
    const ceiling = wanted.limit - Math.ceil(wanted.limit * this.#keptBack[wanted.priority]);
    return spentMicroUsd + reservedMicroUsd + wanted.worstMicroUsd <= ceiling;
  }

  async #settle(id: string, actualMicroUsd: number): Promise<void> {
    assertAmount(actualMicroUsd);
    await this.#end({ type: "settle", id, micro_usd: actualMicroUsd });
  }

  async #end(record: Extract<LedgerRecord, { type: "settle" | "release" }>): Promise<void> {
    if (!this.#book.reservation(record.id)) return;
    this.#applyAndWarn(record);
    await this.#append(record);
    if (this.#untidy < TIDY_AFTER) return;
    this.#untidy = 0;
    await this.#store.replace(this.#book.toRecords());
  }

  /** Spending only grows within a day, so each share is passed once. */
  #applyAndWarn(record: Extract<LedgerRecord, { type: "settle" | "release" }>): void {
    const reserved = this.#book.reservation(record.id);
    if (!reserved) return;
    const { day, scopes } = reserved;
    const before = new Map(scopes.map((scope) => [scope, this.#book.balance(day, scope).spentMicroUsd]));
    this.#book.apply(record);
    for (const [scope, spentBefore] of before) {
      const { spentMicroUsd } = this.#book.balance(day, scope);
      const limitMicroUsd = this.#limits.get(scope) ?? 0;
      for (const share of WARNING_SHARES) {
        const mark = limitMicroUsd * share;
        if (spentBefore >= mark || spentMicroUsd < mark) continue;
        const passed: SharePassed = { scope, day, share, spentMicroUsd, limitMicroUsd };
        this.#passed = [...this.#passed, passed];
        this.#onWarning({ kind: "share_used", ...passed });
      }
    }
  }

  async #append(record: LedgerRecord): Promise<void> {
    this.#untidy++;
    await this.#store.append(record);
  }

  #load(): Promise<void> {
    this.#loaded ??= this.#replay().catch((thrown: unknown) => {
      this.#loaded = undefined;
      throw thrown;
    });
    return this.#loaded;
  }

  async #replay(): Promise<void> {
    const { records, lost } = await this.#store.load();
    this.#book = new LedgerBook();
    for (const record of records) this.#book.apply(record);
    if (lost > 0) this.#onWarning({ kind: "records_lost", records: lost });
    const left = this.#book.openReservations();
    // Whether the dead process made these calls is unknown: they count in full.
    for (const { id, micro_usd } of left) this.#applyAndWarn({ type: "settle", id, micro_usd });
    const microUsd = left.reduce((sum, { micro_usd }) => sum + micro_usd, 0);
    if (left.length > 0) this.#onWarning({ kind: "left_behind", reservations: left.length, microUsd });
    if (records.length > 0) await this.#store.replace(this.#book.toRecords());
  }

  #limitOf(scope: string): number {
    const limit = this.#limits.get(scope);
    if (limit !== undefined) return limit;
    throw badBudget(`There is no limit for "${scope}"; there is one for ${[...this.#limits.keys()].join(", ")}.`);
  }

  #dailyLimit(scope: string, limit: number, endsAtMs: number): AgentError {
    const resetsAt = new Date(endsAtMs).toISOString();
    return new AgentError({
      kind: "budget",
      code: "daily_limit",
      message: `The limit of ${limit / 1e6} USD a day for "${scope}" leaves no room for this call until ${resetsAt}.`,
      retryAfterMs: endsAtMs - this.#clock.now(),
    });
  }
}

function assertOptions(limits: BudgetLedgerOptions["limits"], alertShare: number, userShare: number): void {
  for (const limit of Object.values(limits)) assertAmount(limit);
  const isShare = (share: number): boolean => share >= 0 && share <= 1;
  if (isShare(alertShare) && isShare(userShare) && isShare(alertShare + userShare)) return;
  throw badBudget("The shares kept for alerts and people are between 0 and 1, and together not more than 1.");
}

function assertAmount(microUsd: number): void {
  if (Number.isSafeInteger(microUsd) && microUsd >= 0) return;
  throw badBudget(`An amount is a whole number of millionths of a dollar, not ${microUsd}.`);
}

function toDayWindows(timeZone: string): (nowMs: number) => DayWindow {
  try {
    return createDayWindows(timeZone);
  } catch (thrown) {
    throw badBudget(`There is no time zone "${timeZone}".`, thrown);
  }
}

function badBudget(message: string, cause?: unknown): AgentError {
  return new AgentError({ kind: "invalid", code: "bad_budget", message, cause });
}
