import type { IdSource } from "../types/clock.ts";

/** `run_1`, `msg_1`, `msg_2` … */
export function createCountingIds(): IdSource {
  const counts = new Map<string, number>();
  return {
    next(prefix) {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return `${prefix}_${count}`;
    },
  };
}
