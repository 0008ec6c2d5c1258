// a condition → why it can never be true
import type { WatchCondition } from "@vision-agent/protocol";
import { keyText } from "./same-wish.ts";

type Part = Extract<WatchCondition, { kind: "all" | "any" }>["of"][number];

/** How many of the same things a part asks for. */
interface Bounds {
  readonly key: string;
  readonly least: number;
  readonly most: number;
}

/** Of what must hold at once. Undefined when it can be. */
export function contradictionIn(condition: WatchCondition): string | undefined {
  if (condition.kind !== "all" && condition.kind !== "any") return undefined;
  const inside = condition.of.map(contradictionIn).find((problem) => problem !== undefined);
  if (inside !== undefined || condition.kind === "any") return inside;
  const parts = condition.of.flatMap((part) => (part.kind === "all" ? part.of : [part]));
  return denialIn(parts) ?? countsIn(parts);
}

function denialIn(parts: readonly Part[]): string | undefined {
  const said = new Set(parts.map(keyText));
  const denied = parts.some((part) => part.kind === "not" && said.has(keyText(part.of)));
  return denied
    ? "all asks for something and for its opposite at once, which can never be: take one of them out."
    : undefined;
}

function countsIn(parts: readonly Part[]): string | undefined {
  const bounds = parts.flatMap(boundsOf);
  for (const { key } of bounds) {
    const same = bounds.filter((one) => one.key === key);
    const least = Math.max(...same.map((one) => one.least));
    const most = Math.min(...same.map((one) => one.most));
    if (least > most) {
      return `all asks for at least ${least} and at most ${most} of the same at once, which can never be: use any, or change one of them.`;
    }
  }
  return undefined;
}

function boundsOf(part: Part): readonly Bounds[] {
  if (part.kind === "absent") return [{ key: keyText({ what: part.what, zone: part.zone }), least: 0, most: 0 }];
  if (part.kind === "count") {
    const { what, zone, at_least: least = 0, at_most: most = Number.POSITIVE_INFINITY } = part;
    return [{ key: keyText({ what, zone }), least, most }];
  }
  // Not for a while may be: now, but not for long.
  if (part.kind !== "not" || part.of.kind !== "count" || part.of.for_seconds > 0) return [];
  const { what, zone, at_least, at_most } = part.of;
  const least = at_most === undefined ? 0 : at_most + 1;
  const most = at_least === undefined ? Number.POSITIVE_INFINITY : at_least - 1;
  return [{ key: keyText({ what, zone }), least, most }];
}
