import { CHANGING_TOOLS } from "@vision-agent/protocol";
import type { CallPattern, LedgerPattern } from "../expectation.ts";
import type { ToolUse } from "../outcome.ts";
import { describeNumber, fitsNumber } from "./match-patterns.ts";

/** Calls that changed, wrote or sent something. */
export function effectsAmong(calls: readonly ToolUse[]): readonly ToolUse[] {
  return calls.filter(({ tool, outcome }) => CHANGING_TOOLS.has(tool) && outcome === "ok");
}

export function judgeLedger(pattern: LedgerPattern, calls: readonly ToolUse[]): readonly string[] {
  const { effects, no_effects = [], called = [], not_called = [], failures } = pattern;
  const made = effectsAmong(calls);
  const failed = calls.filter(({ outcome }) => outcome !== "ok").length;
  const wanted = effects === "none" ? [] : (effects ?? []);
  return [
    ...(effects === "none" && made.length > 0 ? [`something was done: ${describe(made)}`] : []),
    ...wanted
      .filter((call) => !made.some((use) => fitsCall(call, use)))
      .map((call) => `${words(call)} was not done; ${describe(made)}`),
    ...made.filter(({ tool }) => no_effects.includes(tool)).map((use) => `this should not be done: ${describe([use])}`),
    ...called
      .filter((call) => !calls.some((use) => fitsCall(call, use)))
      .map((call) => `${words(call)} was not called; ${describe(calls)}`),
    ...calls
      .filter(({ tool }) => not_called.includes(tool))
      .map((use) => `this should not be called: ${describe([use])}`),
    ...(failures !== undefined && !fitsNumber(failures, failed)
      ? [`${failed} calls failed, not ${describeNumber(failures)}: ${describe(calls)}`]
      : []),
  ];
}

function fitsCall(pattern: CallPattern, use: ToolUse): boolean {
  const { tool, with: wanted } = typeof pattern === "string" ? { tool: pattern, with: {} } : pattern;
  return tool === use.tool && contains(use.arguments, wanted);
}

/** Texts are part of each other, lists hold each of these, objects have these keys. */
function contains(value: unknown, wanted: unknown): boolean {
  if (typeof wanted === "string")
    return typeof value === "string" && value.toLowerCase().includes(wanted.toLowerCase());
  if (Array.isArray(wanted))
    return Array.isArray(value) && wanted.every((one) => value.some((inner) => contains(inner, one)));
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  if (typeof value !== "object" || value === null) return false;
  const entries: ReadonlyMap<string, unknown> = new Map(Object.entries(value));
  return Object.entries(wanted).every(([key, one]) => contains(entries.get(key), one));
}

function words(call: CallPattern): string {
  return typeof call === "string" ? call : `${call.tool} ${JSON.stringify(call.with)}`;
}

function describe(calls: readonly ToolUse[]): string {
  return (
    calls
      .map(({ tool, arguments: args, outcome }) => `${tool} ${JSON.stringify(args).slice(0, 200)} ${outcome}`)
      .join("; ") || "nothing was"
  );
}
