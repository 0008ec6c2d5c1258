// time since the first opening → what is wrong with the camera

/** A part of time, in milliseconds since the first opening. */
export interface FaultWindow {
  readonly beginMs: number;
  readonly durationMs: number;
}

export interface FaultPlan {
  /** The camera does not answer. */
  readonly outage?: FaultWindow;
  /** The same picture again and again. */
  readonly freeze?: FaultWindow;
  /** Nearly black. */
  readonly dark?: FaultWindow;
  /** From here on the camera looks elsewhere. */
  readonly bumpMs?: number;
  /** Windows come again after so long; 0 means once. */
  readonly everyMs: number;
}

/** When the window that holds `elapsedMs` began and ends, or `undefined` outside of it. */
export function activeWindow(
  window: FaultWindow | undefined,
  everyMs: number,
  elapsedMs: number,
): { readonly sinceMs: number; readonly untilMs: number } | undefined {
  if (window === undefined || elapsedMs < window.beginMs) return undefined;
  const round = everyMs > 0 ? Math.floor((elapsedMs - window.beginMs) / everyMs) : 0;
  const sinceMs = window.beginMs + round * everyMs;
  const untilMs = sinceMs + window.durationMs;
  return elapsedMs < untilMs ? { sinceMs, untilMs } : undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `500ms`, `10s`, `1.5m`, `1h` in milliseconds; `undefined` when it is not a duration. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit as string] as number);
}

/** `10s@30s`: for 10 seconds, beginning after 30. Without `@` it begins at once. */
export function parseWindow(text: string): FaultWindow | undefined {
  const [duration = "", begin = "0s", ...rest] = text.split("@");
  const [durationMs, beginMs] = [parseDuration(duration), parseDuration(begin)];
  if (durationMs === undefined || beginMs === undefined || rest.length > 0) return undefined;
  return { beginMs, durationMs };
}
