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

/** X15: spent + reserved never exceeds the limit, under any concurrency, across crashes. */
export interface BudgetLedger {
  /** Throws `AgentError` kind `budget`, code `daily_limit` or `run_limit`, before anything is used. */
  reserve(request: {
    readonly scopes: readonly string[];
    readonly worstMicroUsd: number;
    readonly priority: Priority;
  }): Promise<Reservation>;
  state(scope: string): Promise<ScopeState>;
  /** What these scopes passed today and nobody took yet, oldest first: each share is given at most once a day, over restarts too. */
  takePassed(scopes: readonly string[]): readonly SharePassed[];
  /** May be called twice. */
  close(): Promise<void>;
}
