/** Who may use money that is set aside: `alert` the reserved slice too, `background` none beyond its share. */
export type Priority = "user" | "alert" | "background";

/** Money set aside before a call. Exactly one of the two ends it; both may be called twice. */
export interface Reservation {
  readonly id: string;
  /** With what it really cost, in millionths of a dollar. */
  settle(actualMicroUsd: number): Promise<void>;
  /** Nothing was used. */
  release(): Promise<void>;
}

export interface ScopeState {
  readonly scope: string;
  readonly spentMicroUsd: number;
  readonly reservedMicroUsd: number;
  readonly limitMicroUsd: number;
  /** ISO 8601; when the day of its time zone ends. */
  readonly resetsAt: string;
}

/** X15: spent + reserved never exceeds the limit, under any concurrency, across crashes. */
export interface BudgetLedger {
  /** Throws `AgentError` kind `budget`, code `daily_limit` or `run_limit`, before anything is used. */
  reserve(request: {
    readonly scopes: readonly string[];
    readonly worstMicroUsd: number;
    readonly priority: Priority;
  }): Promise<Reservation>;
  state(scope: string): Promise<ScopeState>;
  /** May be called twice. */
  close(): Promise<void>;
}
