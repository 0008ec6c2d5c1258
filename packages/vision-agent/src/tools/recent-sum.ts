/** What calls of one step ask for together: all are graded before the first is made. What is asked about is not in it. */
export interface RecentSum {
  sum(): number;
  add(amount: number): void;
}

const RECENT_MS = 2000;

/** `now` gives milliseconds since 1970. */
export function createRecentSum(now: () => number): RecentSum {
  let recent: readonly { readonly atMs: number; readonly amount: number }[] = [];
  return {
    sum() {
      const atMs = now();
      recent = recent.filter((one) => atMs - one.atMs < RECENT_MS);
      return recent.reduce((total, one) => total + one.amount, 0);
    },
    add(amount) {
      recent = [...recent, { atMs: now(), amount }];
    },
  };
}
