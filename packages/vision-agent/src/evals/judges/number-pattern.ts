import type { NumberPattern } from "../expectation.ts";

export function fitsNumber(pattern: NumberPattern, value: number | undefined): boolean {
  if (value === undefined) return false;
  if (typeof pattern === "number") return Math.abs(value - pattern) < 1e-6;
  return value >= (pattern.from ?? Number.NEGATIVE_INFINITY) && value <= (pattern.to ?? Number.POSITIVE_INFINITY);
}

export function describeNumber(pattern: NumberPattern): string {
  if (typeof pattern === "number") return String(pattern);
  return [
    pattern.from === undefined ? "" : `at least ${pattern.from}`,
    pattern.to === undefined ? "" : `at most ${pattern.to}`,
  ]
    .filter((part) => part !== "")
    .join(" and ");
}
