import { type ReactNode, useEffect, useState } from "react";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "just now", "12 s ago", "4 min ago", "3 h ago", "2 days ago". A clock that runs ahead says "just now". */
export function relativeTime(atMs: number, nowMs: number): string {
  const past = nowMs - atMs;
  if (past < SECOND) return "just now";
  if (past < MINUTE) return `${Math.floor(past / SECOND)} s ago`;
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min ago`;
  if (past < DAY) return `${Math.floor(past / HOUR)} h ago`;
  const days = Math.floor(past / DAY);
  return days === 1 ? "1 day ago" : `${days} days ago`;
}

/** "12 ms", "0.4 s", "12 s", "2 min 5 s". */
export function durationWords(ms: number): string {
  if (ms < SECOND / 10) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  const seconds = Math.round(ms / SECOND);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** "12 s ago", with the exact time on hover. */
export function TimeAgo({ at }: { readonly at: string }): ReactNode {
  const now = useNow(1000);
  const atMs = Date.parse(at);
  return (
    <time dateTime={at} title={new Date(atMs).toLocaleString()}>
      {relativeTime(atMs, now)}
    </time>
  );
}

/** The time in milliseconds, renewed every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
