// version of a document → whether this engine speaks it
import type { Findings } from "./findings.ts";

/** The version of the language that this engine speaks. */
export const ENGINE_VERSION = "1.17.0";

/** A document asks for its version or a later one of the same major number; one that asks for none gets this. */
export function checkVersion(version: unknown, findings: Findings): void {
  if (version === undefined || version === null || version === "") return;
  const place = { property: "version", didYouMean: "1.0" };
  const asked = typeof version === "string" ? parseVersion(version) : undefined;
  if (asked === undefined) {
    findings.add("definition", `"version" is a text like "1.0", not ${JSON.stringify(version)}.`, place);
  } else if (!contains(asked)) {
    const message = `The workflow asks for version ${version}; this engine speaks ${ENGINE_VERSION}.`;
    findings.add("version", message, place);
  }
}

function parseVersion(text: string): readonly number[] | undefined {
  if (!/^\s*v?\d+(\.\d+)*\s*$/i.test(text)) return undefined;
  return text.trim().replace(/^v/i, "").split(".").map(Number);
}

function contains(asked: readonly number[]): boolean {
  const own = ENGINE_VERSION.split(".").map(Number);
  if (asked[0] !== own[0]) return false;
  for (let at = 1; at < Math.max(asked.length, own.length); at++) {
    const difference = (asked[at] ?? 0) - (own[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return true;
}
