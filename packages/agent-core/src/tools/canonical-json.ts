import { createHash } from "node:crypto";
import type { Json } from "../types/json.ts";

type ReadonlyJson = Json | { readonly [key: string]: Json };

/** JSON with its keys sorted: the same value gives the same text. */
export function canonicalJson(value: ReadonlyJson): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${pairs.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(",")}}`;
}

/** Hex digest of the canonical form. */
export function sha256Of(value: ReadonlyJson): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
