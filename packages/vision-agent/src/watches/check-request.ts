// a request that reads well but cannot be kept → the sentence that says so
import { isMoment, type WatchedThings, type WatchRequest } from "@vision-agent/protocol";
import { camerasOf, partsOf, placesOn } from "./condition-interests.ts";
import type { PlaceFinder } from "./condition-reading.ts";
import { WatchError } from "./watch-error.ts";
import { needsSun } from "./watch-times.ts";

export interface RequestContext {
  readonly placeOf: PlaceFinder;
  readonly nowMs: number;
  /** Whether it is known where the cameras are. */
  readonly hasLocation: boolean;
}

const NO_LOCATION =
  "Sunrise and sunset need to know where this is: set location (latitude, longitude) in config.yaml, or give times such as 22:00.";

/** Throws `WatchError` kind `invalid`. */
export function checkRequest(request: WatchRequest, { placeOf, nowMs, hasLocation }: RequestContext): void {
  const isSunless = needsSun(request) && !hasLocation;
  const problem = isSunless ? NO_LOCATION : (problemOf(request, nowMs) ?? missingPlace(request, placeOf));
  if (problem !== undefined) throw new WatchError("invalid", problem);
}

function problemOf(request: WatchRequest, nowMs: number): string | undefined {
  const { condition, again_seconds, cooldown_seconds, expires_at } = request;
  if (thingsOf(request).some(({ colour }) => colour !== undefined)) {
    return "Colours are not judged yet: leave colour out, or have a vision model look (check).";
  }
  if (thingsOf(request).some(({ min_size = 0, max_size = 1 }) => min_size > max_size)) {
    return "min_size is larger than max_size: nothing fits.";
  }
  if (expires_at !== undefined && Date.parse(expires_at) <= nowMs) return "expires_at is in the past.";
  if (again_seconds === undefined) return undefined;
  if (isMoment(condition) && condition.kind !== "stays") {
    return `again_seconds is for what lasts (count, absent, near, together, output, stays), not for ${condition.kind}.`;
  }
  return again_seconds < cooldown_seconds ? "again_seconds must not be shorter than cooldown_seconds." : undefined;
}

function thingsOf(request: WatchRequest): readonly WatchedThings[] {
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

/** Whether two watches tell of the same: cameras, things, condition and times. */
export function isSameWish(one: WatchRequest, other: WatchRequest): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf(request: WatchRequest): string {
  const { cameras, classes, condition, active_hours, days, dates, modes } = request;
  const { model_id, min_confidence, min_size, max_size } = request;
  const names = (list: readonly string[]): readonly string[] => list.map((name) => name.toLowerCase()).toSorted();
  const times = [active_hours, days?.toSorted(), dates, modes?.toSorted()];
  return JSON.stringify([
    names(cameras),
    names(classes),
    condition,
    times,
    [model_id, min_confidence, min_size, max_size],
  ]);
}
