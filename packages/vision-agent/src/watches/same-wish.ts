// a request as it is kept, and whether two of them ask for the same
import { type SimpleCondition, type WatchedThings, type WatchRequest, weekdaySchema } from "@vision-agent/protocol";

/** The same wish, with nothing in it twice. */
export function withoutRepeats<T extends WatchRequest>(request: T): T {
  const { classes, days, modes } = request;
  return {
    ...request,
    classes: distinct(classes),
    ...(days && { days: [...new Set(days)] }),
    ...(modes && { modes: [...new Set(modes)] }),
  };
}

/** Whether two watches tell of the same: cameras, things, condition and times, however they are written. */
export function isSameWish(one: WatchRequest, other: WatchRequest): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf(request: WatchRequest): string {
  const { cameras, condition, active_hours, days = [], dates, modes = [] } = request;
  const everyDay = new Set(days).size === weekdaySchema.options.length;
  return keyText({
    cameras,
    condition: plain(condition, request),
    times: { active_hours, days: everyDay ? [] : days, dates, modes },
  });
}

/** The same text for the same thing, whatever the order of keys, names and parts. */
export function keyText(value: unknown): string {
  return JSON.stringify(sorted(value, ""));
}

/** What each part looks for stands in it, as it is judged. */
function plain(value: unknown, own: WatchedThings): unknown {
  if (Array.isArray(value)) return value.map((one) => plain(one, own));
  if (typeof value !== "object" || value === null) return value;
  const { names: _, ...fields } = value as Readonly<Record<string, unknown>>;
  const inner = Object.fromEntries(Object.entries(fields).map(([key, one]) => [key, plain(one, own)]));
  const isSimple = typeof inner.kind === "string" && inner.kind !== "output" && !("of" in inner) && !("steps" in inner);
  if (!isSimple) return inner;
  const { what, other } = value as Extract<SimpleCondition, { kind: "near" }>;
  return { ...inner, what: thingsOf(what ?? own, own), ...(other && { other: thingsOf(other, own) }) };
}

function thingsOf(things: WatchedThings, own: WatchedThings): WatchedThings {
  const { classes, min_confidence, min_size, max_size, colour, model_id = own.model_id } = things;
  return { classes, min_confidence, min_size, max_size, colour, model_id };
}

/** Their order says nothing. */
const LISTS: ReadonlySet<string> = new Set(["cameras", "classes", "days", "modes"]);
/** Compared as names are everywhere. */
const NAMES: ReadonlySet<string> = new Set(["zone", "line", "camera", "pipeline"]);

function sorted(value: unknown, key: string): unknown {
  if (typeof value === "string") return NAMES.has(key) ? nameKey(value) : value;
  if (Array.isArray(value)) {
    if (LISTS.has(key)) return [...new Set(value.map((name) => nameKey(String(name))))].toSorted();
    const items = value.map((one) => sorted(one, ""));
    return key === "of"
      ? items.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
      : items;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(
    entries
      .map(([name, one]) => [name, sorted(one, name)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

function distinct(names: readonly string[]): string[] {
  return names.filter((name, at) => names.findIndex((other) => nameKey(other) === nameKey(name)) === at);
}

function nameKey(name: string): string {
  return name.trim().replace(/\s+/g, " ").toLowerCase();
}
