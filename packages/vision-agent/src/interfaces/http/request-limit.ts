export interface RequestLimitOptions {
  /** Milliseconds, never going back. */
  readonly monotonic: () => number;
  /** Requests at once. */
  readonly burst: number;
  /** Requests that come back each second. */
  readonly perSecond: number;
}

/** A bucket for each client; the least recently seen leave first. */
const MOST_CLIENTS = 10_000;

/** Milliseconds that this client has to wait; 0 lets the request through. */
export function createRequestLimit({ monotonic, burst, perSecond }: RequestLimitOptions): (client: string) => number {
  const buckets = new Map<string, { readonly left: number; readonly atMs: number }>();
  return (client) => {
    const nowMs = monotonic();
    const { left, atMs } = buckets.get(client) ?? { left: burst, atMs: nowMs };
    const filled = Math.min(burst, left + ((nowMs - atMs) / 1000) * perSecond);
    buckets.delete(client);
    buckets.set(client, { left: filled < 1 ? filled : filled - 1, atMs: nowMs });
    const [oldest] = buckets.keys();
    if (buckets.size > MOST_CLIENTS && oldest !== undefined) buckets.delete(oldest);
    return filled < 1 ? Math.ceil(((1 - filled) / perSecond) * 1000) : 0;
  };
}
