import { backOffMs } from "../client-clock.ts";
import type { ClientError } from "../errors.ts";

/** How often each failure may be met before giving up. */
const LIMITS = { network: 2, 429: 3, 500: 1, 502: 3, 503: 3, 504: 3 } as const;
const DELAYS = { baseMs: 400, maxMs: 8_000 };

/** One for each call, for it counts: milliseconds to wait before the next try; undefined: give up. */
export function createRetryDelays(options: {
  /** False: it is never sent again. */
  readonly repeats: boolean;
  readonly random: () => number;
}): (failure: ClientError) => number | undefined {
  const met = new Map<keyof typeof LIMITS, number>();
  return (failure) => {
    const cause = causeOf(failure);
    const { retryAfterMs } = failure;
    if (!options.repeats || cause === undefined) return undefined;
    // Without the header the server means something that another try does not mend.
    if (cause === 503 && retryAfterMs === undefined) return undefined;
    const times = (met.get(cause) ?? 0) + 1;
    met.set(cause, times);
    if (times > LIMITS[cause]) return undefined;
    return Math.max(retryAfterMs ?? 0, backOffMs(times, { ...DELAYS, random: options.random }));
  };
}

/** Seconds or a date, as the header may have either. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function causeOf({ kind, status }: ClientError): keyof typeof LIMITS | undefined {
  if (kind === "network") return "network";
  return status === 429 || status === 500 || status === 502 || status === 503 || status === 504 ? status : undefined;
}
