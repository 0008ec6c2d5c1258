// worst case of a call → money set aside, or a refusal → what it really cost
import type { Clock } from "../types/clock.ts";
import { type AgentError, agentError } from "../types/errors.ts";
import { findUnknownOption, type KeysOf } from "../types/known-options.ts";
import { tellListener } from "../types/listener.ts";
import { createDayWindows, type DayWindow } from "./day-window.ts";
import type { LedgerRecord, LedgerStore } from "./ledger-store.ts";
import { LedgerSums } from "./ledger-sums.ts";
import { toUsd } from "./price.ts";
import { type Priority, ReservationQueue, type ReservationRequest, type Room } from "./reservation-queue.ts";

/** Money set aside before a call. Exactly one of the two ends it; both may be called twice. */
export interface Reservation {
  readonly id: string;
  /** With what it really cost, in millionths of a dollar. */
  settle(actualMicroUsd: number): Promise<void>;
  /** Nothing was used. */
  release(): Promise<void>;
}

/** How a limit stands today. */
export interface ScopeState {
  readonly scope: string;
  readonly spentMicroUsd: number;
  readonly reservedMicroUsd: number;
  readonly limitMicroUsd: number;
  /** The same for the month, where it has a limit. */
  readonly month?: { readonly spentMicroUsd: number; readonly limitMicroUsd: number };
  /** What spent and reserved together may reach today, by who asks. */
  readonly ceilings: { readonly [P in Priority]: number };
  /** ISO 8601; when the day of its time zone ends. */
  readonly resetsAt: string;
}

/** Half or four fifths of a day's limit are spent. */
export interface SharePassed {
  readonly scope: string;
  /** YYYY-MM-DD in the ledger's time zone. */
  readonly day: string;
  /** 0.5 or 0.8. */
  readonly share: number;
  readonly spentMicroUsd: number;
  readonly limitMicroUsd: number;
}

/** Daily limits, what is spent and what is reserved. */
export type BudgetLedger = Pick<DailyLedger, keyof DailyLedger>;

/** Something that a person may want to know about the money. */
export type BudgetWarning =
  /** Told once per scope, day and share: 0.5, then 0.8. */
  | ({ readonly kind: "share_used" } & SharePassed)
  /** Reservations that a process left behind when it died: their worst case counts as spent. */
  | { readonly kind: "left_behind"; readonly reservations: number; readonly microUsd: number }
  /** Records that could not be read: the sums may be too low. */
  | { readonly kind: "records_lost"; readonly records: number };

/** What a ledger needs: limits, a day and a store. */
export interface BudgetLedgerOptions {
  /** Millionths of a dollar per day, by scope. A scope that is not here cannot be reserved from. */
  readonly limits: { readonly [scope: string]: number };
  /** The same per calendar month, for scopes that have a daily limit, too. Default: none. */
  readonly monthLimits?: { readonly [scope: string]: number } | undefined;
  /** IANA name; the day begins and ends there. */
  readonly timeZone: string;
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly store: LedgerStore;
  /** How long a call waits for money that other calls hold, in order of arrival. Default 60 000; 0 refuses at once. */
  readonly maxWaitMs?: number | undefined;
  /** Share of each limit that only `alert` may use. Default 0.1. Higher: alarms go out longer, chat ends sooner. */
  readonly alertShare?: number | undefined;
  /** Further share that `background` leaves to people. Default 0.1. */
  readonly userShare?: number | undefined;
  /** Must not throw. */
  readonly onWarning?: ((warning: BudgetWarning) => void) | undefined;
}

const LEDGER_KEYS: KeysOf<BudgetLedgerOptions> = {
  limits: true,
  monthLimits: true,
  timeZone: true,
  clock: true,
  store: true,
  maxWaitMs: true,
  alertShare: true,
  userShare: true,
  onWarning: true,
};
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

/** X15: spent + reserved never exceeds the limit, under any concurrency, across crashes. */
class DailyLedger {
  readonly #limits: Map<string, number>;
  readonly #monthLimits: Map<string, number>;
  readonly #clock: Pick<Clock, "now">;
  readonly #store: LedgerStore;
  readonly #keptBack: { readonly [P in Priority]: number };
  readonly #onWarning: (warning: BudgetWarning) => void;
  readonly #dayAt: (nowMs: number) => DayWindow;
  readonly #queue: ReservationQueue;
  #sums = new LedgerSums();
  #loaded: Promise<void> | undefined;
  #passed: readonly SharePassed[] = [];
  #reservations = 0;
  #untidy = 0;

  constructor(options: BudgetLedgerOptions) {
    const { alertShare = 0.1, userShare = 0.1, clock, maxWaitMs = 60_000 } = options;
    const unknown = findUnknownOption(options, LEDGER_KEYS);
    if (unknown !== undefined) throw badBudget(unknown);
    assertOptions(options.limits, alertShare, userShare);
    this.#limits = new Map(Object.entries(options.limits));
    this.#monthLimits = new Map(Object.entries(options.monthLimits ?? {}));
    this.#clock = clock;
    this.#queue = new ReservationQueue({ roomFor: (request) => this.#roomFor(request), clock, maxWaitMs });
    this.#store = options.store;
    this.#keptBack = { alert: 0, user: alertShare, background: alertShare + userShare };
    // Who is told of warnings is the last to be told anything.
    this.#onWarning = (warning) =>
      tellListener(
        () => options.onWarning?.(warning),
        () => undefined,
      );
    this.#dayAt = toDayWindows(options.timeZone);
    for (const [scope, monthMicroUsd] of this.#monthLimits) this.setLimit(scope, { monthMicroUsd });
  }

  /**
   * Waits while the room is only held by other calls. Rejects with an `AgentError` kind `budget`, code `daily_limit`,
   * before anything is used: at once when what is spent leaves no room, else when the wait is over. A signal that fires
   * ends the wait with its own reason.
   */
  async reserve(request: ReservationRequest): Promise<Reservation> {
    const { worstMicroUsd } = request;
    assertAmount(worstMicroUsd);
    const scopes = [...new Set(request.scopes)];
    if (scopes.length === 0) throw badBudget("A reservation names at least one scope.");
    for (const scope of scopes) this.#limitOf(scope);
    await this.#load();
    const { id, written } = await this.#queue.enter({ ...request, scopes }, () => this.#take(scopes, worstMicroUsd));
    try {
      await written;
    } catch (thrown) {
      this.#sums.apply({ type: "release", id });
      this.#queue.wake();
      throw thrown;
    }
    return {
      id,
      settle: async (actual) => {
        assertAmount(actual);
        await this.#end({ type: "settle", id, micro_usd: actual });
      },
      release: () => this.#end({ type: "release", id }),
    };
  }

  #roomFor({ scopes, worstMicroUsd, priority }: ReservationRequest): Room {
    // What costs nothing is never refused: a free model works on when the money is gone.
    if (worstMicroUsd === 0) return "free";
    const { day, endsAtMs } = this.#dayAt(this.#clock.now());
    let room: Room = "free";
    for (const scope of scopes) {
      const limit = this.#limitOf(scope);
      const ceiling = this.#ceilingOn(day, scope, priority);
      const { spentMicroUsd, reservedMicroUsd } = this.#sums.balance(day, scope);
      if (spentMicroUsd + worstMicroUsd > ceiling) {
        const isMonth = ceiling < this.#ceilingOf(limit, priority);
        const left = ceiling - spentMicroUsd;
        return isMonth
          ? this.#monthlyLimit(scope, worstMicroUsd, left)
          : this.#dailyLimit({ scope, limit, worst: worstMicroUsd, left }, endsAtMs);
      }
      if (spentMicroUsd + reservedMicroUsd + worstMicroUsd > ceiling) room = "held";
    }
    return room;
  }

  /** Counted and on its way to the store in one step: the records keep the order of the sums. */
  #take(scopes: readonly string[], micro_usd: number): { readonly id: string; readonly written: Promise<void> } {
    const { day } = this.#dayAt(this.#clock.now());
    const id = `r${++this.#reservations}`;
    const record: LedgerRecord = { type: "reserve", id, day, scopes, micro_usd };
    this.#sums.apply(record);
    return { id, written: this.#append(record) };
  }

  async state(scope: string): Promise<ScopeState> {
    const limitMicroUsd = this.#limitOf(scope);
    await this.#load();
    const { day, endsAtMs } = this.#dayAt(this.#clock.now());
    const ceilingFor = (priority: Priority): number => this.#ceilingOn(day, scope, priority);
    const balance = this.#sums.balance(day, scope);
    const monthLimit = this.#monthLimits.get(scope);
    const spentInMonth = this.#sums.earlierInMonth(day, scope) + balance.spentMicroUsd;
    return {
      scope,
      ...balance,
      limitMicroUsd,
      ...(monthLimit !== undefined && { month: { spentMicroUsd: spentInMonth, limitMicroUsd: monthLimit } }),
      ceilings: { alert: ceilingFor("alert"), user: ceilingFor("user"), background: ceilingFor("background") },
      resetsAt: new Date(endsAtMs).toISOString(),
    };
  }

  /**
   * Holds from the next reservation on; what is reserved stays so. What is left undefined stays as it is; null removes
   * the limit of the month. The host keeps it: a ledger made anew has the limits of its options.
   */
  setLimit(
    scope: string,
    change: { readonly dayMicroUsd?: number | undefined; readonly monthMicroUsd?: number | null | undefined },
  ): void {
    this.#limitOf(scope);
    const { dayMicroUsd, monthMicroUsd } = change;
    for (const amount of [dayMicroUsd, monthMicroUsd ?? undefined]) if (amount !== undefined) assertAmount(amount);
    if (dayMicroUsd !== undefined) this.#limits.set(scope, dayMicroUsd);
    if (monthMicroUsd === null) this.#monthLimits.delete(scope);
    else if (monthMicroUsd !== undefined) this.#monthLimits.set(scope, monthMicroUsd);
    this.#queue.wake();
  }

  /** What these scopes passed today and nobody took yet, oldest first: each share is given at most once a day, over restarts too. */
  takePassed(scopes: readonly string[]): readonly SharePassed[] {
    const { day } = this.#dayAt(this.#clock.now());
    const taken = this.#passed.filter((passed) => passed.day === day && scopes.includes(passed.scope));
    this.#passed = this.#passed.filter((passed) => passed.day === day && !scopes.includes(passed.scope));
    return taken;
  }

  /** May be called twice. */
  async close(): Promise<void> {
    await this.#store.close();
  }

  /** Of the day, or what the rest of the month leaves of it. */
  #ceilingOn(day: string, scope: string, priority: Priority): number {
    const ofDay = this.#ceilingOf(this.#limitOf(scope), priority);
    const month = this.#monthLimits.get(scope);
    if (month === undefined) return ofDay;
    return Math.min(ofDay, this.#ceilingOf(month, priority) - this.#sums.earlierInMonth(day, scope));
  }

  #ceilingOf(limit: number, priority: Priority): number {
    return limit - Math.ceil(limit * this.#keptBack[priority]);
  }

  async #end(record: Extract<LedgerRecord, { type: "settle" | "release" }>): Promise<void> {
    if (!this.#sums.reservation(record.id)) return;
    this.#applyAndWarn(record);
    const written = this.#append(record);
    // After the record of the end: the store keeps the order.
    this.#queue.wake();
    await written;
    if (this.#untidy < TIDY_AFTER) return;
    this.#untidy = 0;
    await this.#store.replace(this.#sums.toRecords());
  }

  /** Spending only grows within a day, so each share is passed once. */
  #applyAndWarn(record: Extract<LedgerRecord, { type: "settle" | "release" }>): void {
    const reserved = this.#sums.reservation(record.id);
    if (!reserved) return;
    const { day, scopes } = reserved;
    const before = new Map(scopes.map((scope) => [scope, this.#sums.balance(day, scope).spentMicroUsd]));
    this.#sums.apply(record);
    for (const [scope, spentBefore] of before) {
      const { spentMicroUsd } = this.#sums.balance(day, scope);
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
    this.#sums = new LedgerSums();
    for (const record of records) this.#sums.apply(record);
    if (lost > 0) this.#onWarning({ kind: "records_lost", records: lost });
    const left = this.#sums.openReservations();
    // Whether the dead process made these calls is unknown: they count in full.
    for (const { id, micro_usd } of left) this.#applyAndWarn({ type: "settle", id, micro_usd });
    const microUsd = left.reduce((sum, { micro_usd }) => sum + micro_usd, 0);
    if (left.length > 0) this.#onWarning({ kind: "left_behind", reservations: left.length, microUsd });
    if (records.length > 0) await this.#store.replace(this.#sums.toRecords());
  }

  #limitOf(scope: string): number {
    const limit = this.#limits.get(scope);
    if (limit !== undefined) return limit;
    throw badBudget(`There is no limit for "${scope}"; there is one for ${[...this.#limits.keys()].join(", ")}.`);
  }

  #monthlyLimit(scope: string, worst: number, left: number): AgentError {
    const allowed = `${toUsd(this.#monthLimits.get(scope) ?? 0)} a month for "${scope}"`;
    const room = left > 0 ? `${toUsd(left)} of the ${allowed} is left` : `the ${allowed} are used up`;
    return agentError("budget", "daily_limit", `The next call may cost up to ${toUsd(worst)}; ${room}.`);
  }

  #dailyLimit(
    { scope, limit, worst, left }: { readonly scope: string; limit: number; worst: number; left: number },
    endsAtMs: number,
  ): AgentError {
    const allowed = `${toUsd(limit)} a day for "${scope}"`;
    const room = left > 0 ? `${toUsd(left)} of the ${allowed} is left` : `the ${allowed} are used up`;
    const message = `The next call may cost up to ${toUsd(worst)}; ${room} until ${new Date(endsAtMs).toISOString()}.`;
    return agentError("budget", "daily_limit", message, { retryAfterMs: endsAtMs - this.#clock.now() });
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
  return agentError("invalid", "bad_budget", message, { cause });
}
