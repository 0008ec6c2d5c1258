// frames now and then → whether the camera still does its work
import type { Frame } from "../../frames/frame.ts";
import { greySpread, samePicture, sampleGrey } from "./grey-samples.ts";
import { createViewWatch } from "./view-watch.ts";

/**
 * `down` no frames · `frozen` the same picture again and again · `covered` black, or nothing to be seen in it ·
 * `moved` the camera looks elsewhere.
 */
export type CameraHealth = "ok" | "down" | "frozen" | "covered" | "moved";

export interface CameraHealthChange {
  readonly state: CameraHealth;
  readonly previous: CameraHealth;
  /** When it was noticed, in the caller's milliseconds. */
  readonly atMs: number;
  /** One sentence for people. */
  readonly message: string;
}

export interface HealthMonitorOptions {
  /** A picture is looked at so often at most. Default 1000. */
  readonly lookMs?: number;
  /** No frame for so long is `down`. Default 10 000. */
  readonly downMs?: number;
  /** The same picture for so long is `frozen`; encoders repeat a still scene for some seconds. Default 15 000. */
  readonly frozenMs?: number;
  /** Nothing to be seen for so long is `covered`. Default 8000. */
  readonly coveredMs?: number;
  /** Another view for so long is `moved`; shorter ones are lorries that pass. Default 10 000. */
  readonly movedMs?: number;
  /** After so long the other view is the usual one, and all is well again. Default 60 000. */
  readonly acceptMs?: number;
}

export interface HealthMonitor {
  /** Give it every frame, or `undefined` from time to time while none comes. Tells when the state has changed. */
  see(frame: Frame | undefined, nowMs: number): CameraHealthChange | undefined;
  readonly state: CameraHealth;
}

const MESSAGES: Readonly<Record<CameraHealth, string>> = {
  ok: "The camera works again.",
  down: "The camera sends no pictures.",
  frozen: "The camera sends the same picture again and again.",
  covered: "The camera sees nothing: it is covered, or in the dark.",
  moved: "The camera looks elsewhere than before.",
};

/** Grey levels between dark and bright parts; even a street at night has more. */
const LEAST_SPREAD = 10;

/** Pure: the same frames at the same times give the same changes. A look costs a fraction of a millisecond. */
export function createHealthMonitor(options: HealthMonitorOptions = {}): HealthMonitor {
  const { lookMs = 1000, downMs = 10_000, frozenMs = 15_000, coveredMs = 8000 } = options;
  const { movedMs = 10_000, acceptMs = 60_000 } = options;
  const view = createViewWatch({ movedMs, acceptMs });
  let state: CameraHealth = "ok";
  let lastFrameMs: number | undefined;
  let lastLookMs = Number.NEGATIVE_INFINITY;
  let still: { readonly points: Uint8Array; readonly sinceMs: number } | undefined;
  let emptySinceMs: number | undefined;

  function change(next: CameraHealth, atMs: number): CameraHealthChange | undefined {
    if (next === state) return undefined;
    const previous = state;
    state = next;
    return { state, previous, atMs, message: MESSAGES[next] };
  }

  function judge(frame: Frame, nowMs: number): CameraHealth {
    const { width, height } = frame.metadata;
    const { points, thumb } = sampleGrey({ rgba: frame.rgba, width, height });
    if (still === undefined || !samePicture(still.points, points)) still = { points, sinceMs: nowMs };
    emptySinceMs = greySpread(thumb) < LEAST_SPREAD ? (emptySinceMs ?? nowMs) : undefined;
    if (emptySinceMs !== undefined) return nowMs - emptySinceMs >= coveredMs ? "covered" : stayOr("covered");
    if (nowMs - still.sinceMs >= frozenMs) return "frozen";
    return view.see(thumb, nowMs) ? "moved" : "ok";
  }

  /** An empty picture says nothing about the view: what was wrong stays so until it is seen again. */
  function stayOr(next: CameraHealth): CameraHealth {
    return state === "moved" || state === next ? state : "ok";
  }

  return {
    get state() {
      return state;
    },
    see(frame, nowMs) {
      lastFrameMs ??= nowMs;
      if (frame === undefined) return nowMs - lastFrameMs >= downMs ? change("down", nowMs) : undefined;
      const silentMs = nowMs - lastFrameMs;
      lastFrameMs = nowMs;
      // What was still or empty before a silence did not stay so during it.
      if (silentMs >= downMs) [still, emptySinceMs] = [undefined, undefined];
      if (state !== "down" && nowMs - lastLookMs < lookMs) return undefined;
      lastLookMs = nowMs;
      return change(judge(frame, nowMs), nowMs);
    },
  };
}
