// a request that reads well but cannot be kept → the sentence that says so
import { isMoment, type SimpleCondition, type WatchedThings, type WatchRequest } from "@vision-agent/protocol";
import { shapeProblem } from "../workspace/place-shape.ts";
import { camerasOf, partsOf, placesOn } from "./condition-interests.ts";
import type { PlaceFinder } from "./condition-reading.ts";
import { contradictionIn } from "./contradiction.ts";
import { WatchError } from "./watch-error.ts";
import { localDay, NO_LOCATION, needsSun } from "./watch-times.ts";

export interface RequestContext {
  readonly placeOf: PlaceFinder;
  readonly nowMs: number;
  /** IANA name, for dates. */
  readonly timeZone: string;
  /** Whether it is known where the cameras are. */
  readonly hasLocation: boolean;
}

/** Throws `WatchError` kind `invalid`. What was wrong with the watch `before` does not keep it from being changed otherwise. */
export function checkRequest(request: WatchRequest, context: RequestContext, before?: WatchRequest): void {
  const problem = problemOf(request, context);
  if (problem === undefined || (before && problemOf(before, context) === problem)) return;
  throw new WatchError("invalid", problem);
}

function problemOf(request: WatchRequest, context: RequestContext): string | undefined {
  return (
    timesProblem(request, context) ??
    thingsProblem(request) ??
    conditionProblem(request) ??
    againProblem(request) ??
    missingPlace(request, context.placeOf)
  );
}

function timesProblem(request: WatchRequest, { nowMs, timeZone, hasLocation }: RequestContext): string | undefined {
  const { active_hours: hours, dates, expires_at } = request;
  if (needsSun(request) && !hasLocation) return NO_LOCATION;
  if (hours && hours.from === hours.to) {
    return `active_hours begin and end at ${hours.from}: leave them out for the whole day, or give two times.`;
  }
  if (dates) {
    const { from, to } = dates;
    if (from === undefined && to === undefined) return "dates needs its first day (from), its last (to), or both.";
    if (from !== undefined && to !== undefined && from > to) return `dates end on ${to} before they begin on ${from}.`;
    if (to !== undefined && to < localDay(nowMs, timeZone))
      return `dates ended on ${to}, which is over: give a later day.`;
  }
  if (expires_at !== undefined && Date.parse(expires_at) <= nowMs)
    return "expires_at is in the past: give a later time.";
  return undefined;
}

function thingsProblem(request: WatchRequest): string | undefined {
  const things = thingsIn(request);
  if (things.some(({ max_size }) => max_size === 0)) return "max_size is 0, and nothing is that small.";
  if (things.some(({ min_size = 0, max_size = 1 }) => min_size > max_size)) {
    return "min_size is larger than max_size: nothing fits.";
  }
  return undefined;
}

function conditionProblem({ condition }: WatchRequest): string | undefined {
  for (const { condition: one } of partsOf(condition)) {
    const problem = simpleProblem(one);
    if (problem !== undefined) return problem;
  }
  return contradictionIn(condition);
}

function simpleProblem(one: SimpleCondition): string | undefined {
  if (one.kind === "crosses") return typeof one.line === "string" ? undefined : shapeProblem("line", one.line);
  if (one.kind === "output") {
    const isOrder = one.comparator !== "==" && one.comparator !== "!=";
    return isOrder && typeof one.value !== "number"
      ? `output compares with ${one.comparator} only numbers: give value as a number, or use == or !=.`
      : undefined;
  }
  if ("other" in one && one.other.classes.length === 0) {
    return `${one.kind} needs to know what the other thing is: name its classes (other).`;
  }
  const zone = "zone" in one ? one.zone : undefined;
  return zone === undefined || typeof zone === "string" ? undefined : shapeProblem("zone", zone);
}

function againProblem({ condition, again_seconds, cooldown_seconds }: WatchRequest): string | undefined {
  if (again_seconds === undefined) return undefined;
  if (isMoment(condition) && condition.kind !== "stays") {
    return `again_seconds is for what lasts (count, absent, near, together, output, stays), not for ${condition.kind}.`;
  }
  return again_seconds < cooldown_seconds ? "again_seconds must not be shorter than cooldown_seconds." : undefined;
}

/** All that a watch looks for, its own and those of its parts. */
export function thingsIn(request: WatchRequest): readonly WatchedThings[] {
  return [
    request,
    ...partsOf(request.condition).flatMap(({ condition }) => [
      ...("what" in condition && condition.what ? [condition.what] : []),
      ...("other" in condition ? [condition.other] : []),
    ]),
  ];
}

function missingPlace(request: WatchRequest, placeOf: PlaceFinder): string | undefined {
  for (const camera of camerasOf(request)) {
    const missing = placesOn(request, camera).find(({ kind, name }) => placeOf(camera, kind, name) === undefined);
    if (missing)
      return `There is no ${missing.kind} called ${missing.name} on ${camera}. Name it first, or give points.`;
  }
  return undefined;
}
