import type { ClassPattern, LinePattern, NumberPattern, PicturePlace, ZonePattern } from "../expectation.ts";

/** Patterns that nothing fits, and things that fit nowhere. */
export interface Matched<Pattern, Thing> {
  readonly unmet: readonly Pattern[];
  readonly left: readonly Thing[];
}

/**
 * Gives each pattern a thing of its own, to as many as can have one. What is needed goes before what is optional,
 * and things are taken in their order.
 */
export function matchPatterns<Pattern extends { readonly optional: boolean }, Thing>(
  patterns: readonly Pattern[],
  things: readonly Thing[],
  fits: (pattern: Pattern, thing: Thing) => boolean,
): Matched<Pattern, Thing> {
  const ordered = patterns.toSorted((one, other) => Number(one.optional) - Number(other.optional));
  const owner = new Map<Thing, Pattern>();
  const place = (pattern: Pattern, tried: Set<Thing>): boolean =>
    things.some((thing) => {
      if (tried.has(thing) || !fits(pattern, thing)) return false;
      tried.add(thing);
      const before = owner.get(thing);
      // Whoever holds it may have another one.
      if (before !== undefined && !place(before, tried)) return false;
      owner.set(thing, pattern);
      return true;
    });
  const unmet = ordered.filter((pattern) => !place(pattern, new Set()) && !pattern.optional);
  return { unmet, left: things.filter((thing) => !owner.has(thing)) };
}

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

/** Upper and lower case are the same. */
export function fitsClasses(pattern: ClassPattern, classes: readonly string[]): boolean {
  const found = lower(classes);
  const { all = [], any, only } = Array.isArray(pattern) ? { all: pattern, only: pattern } : pattern;
  const allowed = only && lower(only);
  return (
    lower(all).every((name) => found.includes(name)) &&
    (any === undefined || lower(any).some((name) => found.includes(name))) &&
    (allowed === undefined || (found.every((name) => allowed.includes(name)) && isNarrow(found, allowed)))
  );
}

/** No class named means all, and that is more than what is allowed. */
function isNarrow(found: readonly string[], allowed: readonly string[]): boolean {
  return found.length > 0 || allowed.length === 0;
}

function lower(names: readonly string[]): readonly string[] {
  return names.map((name) => name.toLowerCase());
}

/** How far apart the ends may be across the direction, as a share of the length. */
const SLANT = 0.25;

export function fitsLine(pattern: LinePattern, line: readonly PicturePlace[] | undefined): boolean {
  if (pattern === "none") return line === undefined;
  const { through, runs, within } = pattern;
  const [start, end] = line ?? [];
  if (start === undefined || end === undefined) return false;
  return (
    (through === undefined || distanceTo(through, start, end) <= within) &&
    (runs === undefined || directionOf(start, end) === runs)
  );
}

function directionOf([x1, y1]: PicturePlace, [x2, y2]: PicturePlace): "horizontal" | "vertical" | "slanted" {
  const [across, down] = [Math.abs(x2 - x1), Math.abs(y2 - y1)];
  if (down <= across * SLANT) return "horizontal";
  return across <= down * SLANT ? "vertical" : "slanted";
}

function distanceTo([x, y]: PicturePlace, [x1, y1]: PicturePlace, [x2, y2]: PicturePlace): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / length));
  return Math.hypot(x - x1 - along * dx, y - y1 - along * dy);
}

export function fitsZone(pattern: ZonePattern, zone: readonly PicturePlace[] | undefined): boolean {
  if (pattern === "none") return zone === undefined;
  const { holds, leaves_out } = pattern;
  if (zone === undefined || zone.length < 3) return false;
  return holds.every((place) => isInside(place, zone)) && !leaves_out.some((place) => isInside(place, zone));
}

/** By the number of edges that a ray to the right crosses. */
function isInside([x, y]: PicturePlace, zone: readonly PicturePlace[]): boolean {
  const crossed = zone.filter(([x1, y1], index) => {
    const [x2, y2] = zone[(index + 1) % zone.length]!;
    return y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1;
  });
  return crossed.length % 2 === 1;
}
