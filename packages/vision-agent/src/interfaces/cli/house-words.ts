// what the API answers → lines for people
import type { Pause, UsageReport, WatchReport } from "@vision-agent/protocol";
import { toTable } from "./to-table.ts";

/** Day and time as the clock on the wall shows them. */
export function toDate(timestamp: string): string {
  const at = new Date(timestamp);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

export function describeWatches(watches: readonly WatchReport[]): string {
  if (watches.length === 0) return 'Nothing is watched. Say, for example: vision-agent watch add "a person appears"\n';
  const rows = watches.map((watch) => [
    watch.id,
    watch.enabled ? "on" : "paused",
    watch.cameras.join(", "),
    `${watch.fired}×`,
    `${watch.words}${troubleOf(watch)}`,
  ]);
  return toTable([["watch", "", "cameras", "fired", ""], ...rows]);
}

function troubleOf({ pipelines }: WatchReport): string {
  const reasons = pipelines.flatMap(({ camera, reason }) => (reason === undefined ? [] : [`${camera}: ${reason}`]));
  return reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
}

export function describePause({ id, created_at, prompt, choices, calls }: Pause): string {
  const waiting = calls.map(({ tool, arguments: given }) => `  ${tool} ${given}\n`).join("");
  const taken = choices.length === 0 ? "" : `  one of: ${choices.join(", ")}\n`;
  return `${id}  ${toDate(created_at)}\n  ${prompt}\n${waiting}${taken}`;
}

export function describeUsage({ today, days }: UsageReport): string {
  const limit = today.limit_usd === null ? "" : ` of ${toDollars(today.limit_usd)}`;
  const head = `Today ${toDollars(today.cost_usd)}${limit}, ${today.calls} calls.\n`;
  if (days.length === 0) return head;
  const rows = days.map(({ day, calls, input_tokens, output_tokens, cost_usd }) => [
    day,
    String(calls),
    String(input_tokens),
    String(output_tokens),
    toDollars(cost_usd),
  ]);
  return `${head}\n${toTable([["day", "calls", "tokens in", "tokens out", "cost"], ...rows])}`;
}

function toDollars(usd: number): string {
  return `$${usd.toFixed(usd !== 0 && usd < 0.01 ? 4 : 2)}`;
}
