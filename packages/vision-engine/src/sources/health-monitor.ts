// frames now and then → whether the camera still does its work
import type { Frame } from "../frames/frame.ts";

/**
 * `down` no frames · `frozen` the same picture again and again · `covered` nothing to be seen · `dark` nothing to be
 * seen for want of light · `moved` the camera looks elsewhere.
 */
export type CameraHealth = "ok" | "down" | "frozen" | "covered" | "dark" | "moved";

export interface CameraHealthChange {
  readonly state: CameraHealth;
  readonly previous: CameraHealth;
  /** When it was noticed, in the caller's milliseconds. */
  readonly atMs: number;
  /** One sentence for people. */
  readonly message: string;
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
  covered: "The camera sees nothing: something covers it.",
  dark: "The camera sees next to nothing: it is dark.",
  moved: "The camera looks elsewhere than before.",
};

/** A picture is looked at so often at most. */
const LOOK_MS = 1000;
/** No frame for so long is `down`. */
const DOWN_MS = 10_000;
/** The same picture for so long is `frozen`; encoders repeat a still scene for some seconds. */
const FROZEN_MS = 15_000;
/** Nothing to be seen for so long is `covered` or `dark`. */
const COVERED_MS = 8000;
/** Another view for so long is `moved`; shorter ones are lorries that pass. */
const MOVED_MS = 10_000;
/** After so long the other view is the usual one, and all is well again. */
const ACCEPT_MS = 60_000;

/** Grey levels between dark and bright parts; even a street at night has more. */
const LEAST_SPREAD = 10;

/** Mean grey level of a picture below which it is night, and of an empty picture above which light is not what is missing. */
const NIGHT = 40;
const BRIGHTEST_DARK = 60;

/** Pure: the same frames at the same times give the same changes. A look costs a fraction of a millisecond. */
export function createHealthMonitor(): HealthMonitor {
  const view = createViewWatch();
  let state: CameraHealth = "ok";
  let lastFrameMs: number | undefined;
  let lastLookMs = Number.NEGATIVE_INFINITY;
  let still: { readonly points: Uint8Array; readonly sinceMs: number } | undefined;
  let emptySinceMs: number | undefined;
  /** Mean grey level when there was something to be seen for the last time. */
  let lastLevel = 255;

  function change(next: CameraHealth, atMs: number): CameraHealthChange | undefined {
    if (next === state) return undefined;
    const previous = state;
    state = next;
    return { state, previous, atMs, message: MESSAGES[next] };
  }

  function judge(frame: Frame, nowMs: number): CameraHealth {
    const { points, thumb } = sampleGrey(frame);
    if (still === undefined || !samePicture(still.points, points)) still = { points, sinceMs: nowMs };
    if (greySpread(thumb) < LEAST_SPREAD) {
      emptySinceMs ??= nowMs;
      const empty = isDark(thumb) ? "dark" : "covered";
      return nowMs - emptySinceMs >= COVERED_MS ? empty : stayOr(empty);
    }
    emptySinceMs = undefined;
    lastLevel = meanOf(thumb);
    if (nowMs - still.sinceMs >= FROZEN_MS) return "frozen";
    return view.isElsewhere(thumb, nowMs) ? "moved" : "ok";
  }

  /** It was night before, or the usual view can still be made out: nothing lies over the lens. */
  function isDark(thumb: Float32Array): boolean {
    return meanOf(thumb) < BRIGHTEST_DARK && (lastLevel < NIGHT || view.showsFaintly(thumb));
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
      if (frame === undefined) return nowMs - lastFrameMs >= DOWN_MS ? change("down", nowMs) : undefined;
      const silentMs = nowMs - lastFrameMs;
      lastFrameMs = nowMs;
      // What was still or empty before a silence did not stay so during it.
      if (silentMs >= DOWN_MS) [still, emptySinceMs] = [undefined, undefined];
      if (state !== "down" && nowMs - lastLookMs < LOOK_MS) return undefined;
      lastLookMs = nowMs;
      return change(judge(frame, nowMs), nowMs);
    },
  };
}

const THUMB_WIDTH = 64;
const THUMB_HEIGHT = 36;

/** Enough to see the digits of a clock change, few enough to cost a fraction of a millisecond. */
const MOST_POINTS = 60_000;

/**
 * What health looks at instead of the whole picture: the grey level of each point of a grid, and the averages of
 * `THUMB_WIDTH` × `THUMB_HEIGHT` cells.
 */
function sampleGrey({ rgba, metadata: { width, height } }: Frame) {
  const step = Math.max(1, Math.ceil(Math.sqrt((width * height) / MOST_POINTS)));
  const [across, down] = [Math.ceil(width / step), Math.ceil(height / step)];
  const points = new Uint8Array(across * down);
  const thumb = new Float32Array(THUMB_WIDTH * THUMB_HEIGHT);
  const counts = new Uint16Array(THUMB_WIDTH * THUMB_HEIGHT);
  const cellOf = Uint8Array.from({ length: across }, (_, column) => Math.floor((column * THUMB_WIDTH) / across));
  let index = 0;
  for (let row = 0; row < down; row++) {
    const cellRow = Math.floor((row * THUMB_HEIGHT) / down) * THUMB_WIDTH;
    let at = row * step * width * 4;
    for (let column = 0; column < across; column++) {
      const grey = (rgba[at]! * 77 + rgba[at + 1]! * 150 + rgba[at + 2]! * 29) >> 8;
      const cell = cellRow + cellOf[column]!;
      points[index++] = grey;
      thumb[cell]! += grey;
      counts[cell]! += 1;
      at += step * 4;
    }
  }
  for (let cell = 0; cell < thumb.length; cell++) thumb[cell]! /= Math.max(1, counts[cell]!);
  return { points, thumb };
}

/** Whether two pictures are the same but for rounding: a camera's noise is larger. */
function samePicture(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) {
    if (Math.abs(one[index]! - other[index]!) > 1) return false;
  }
  return true;
}

function meanOf(thumb: Float32Array): number {
  return thumb.reduce((sum, grey) => sum + grey, 0) / thumb.length;
}

/** How far the dark parts of a picture are from its bright ones, in grey levels; captions and lamps are left out. */
function greySpread(thumb: Float32Array): number {
  const histogram = new Uint16Array(256);
  for (const grey of thumb) histogram[Math.round(grey)]! += 1;
  return levelBelow(histogram, thumb.length * 0.95) - levelBelow(histogram, thumb.length * 0.05);
}

/** The grey level below which so many cells lie. */
function levelBelow(histogram: Uint16Array, cells: number): number {
  let seen = 0;
  const level = histogram.findIndex((count) => {
    seen += count;
    return seen > cells;
  });
  return Math.max(0, level);
}

/** Below: another view. Traffic and people keep a view above 0.65, a turned camera falls below 0.2. */
const ALIKE = 0.5;
/** Of one look in the usual view: it follows daylight within minutes. */
const LEARNING = 0.02;
/** Looks before the usual view is known well enough to miss it. */
const FEWEST_LOOKS = 5;

/** Edges from here on are captions and lamps in a picture that is dark otherwise; see `ViewEdges`. */
const FAINT = 0.5;
/** Of a dark picture with the usual view: what can be made out is coarse. */
const ALIKE_IN_THE_DARK = 0.25;

interface ViewWatch {
  /** Tells at each look whether the camera looks elsewhere, for good. */
  isElsewhere(thumb: Float32Array, nowMs: number): boolean;
  /** Whether a picture without contrast still shows the usual view. */
  showsFaintly(thumb: Float32Array): boolean;
}

function createViewWatch(): ViewWatch {
  let usual: { readonly edges: ViewEdges; looks: number } | undefined;
  let other: { readonly edges: ViewEdges; readonly sinceMs: number } | undefined;

  /** What passes by changes all the time; only a view that stays is a new one. */
  function follow(edges: ViewEdges, nowMs: number): number {
    if (other === undefined || likeness(other.edges, edges) < ALIKE) other = { edges, sinceMs: nowMs };
    else blendInto(other.edges, edges, 1 / 8);
    return nowMs - other.sinceMs;
  }

  function isElsewhere(thumb: Float32Array, nowMs: number): boolean {
    const edges = edgesOf(thumb);
    if (usual === undefined) {
      usual = { edges, looks: 1 };
      return false;
    }
    if (likeness(usual.edges, edges) >= ALIKE || usual.looks < FEWEST_LOOKS) {
      usual.looks += 1;
      blendInto(usual.edges, edges, Math.max(LEARNING, 1 / usual.looks));
      other = undefined;
      return false;
    }
    const elsewhereMs = follow(edges, nowMs);
    if (elsewhereMs >= ACCEPT_MS) {
      usual = { edges, looks: 1 };
      other = undefined;
      return false;
    }
    return elsewhereMs >= MOVED_MS;
  }

  function showsFaintly(thumb: Float32Array): boolean {
    if (usual === undefined || usual.looks < FEWEST_LOOKS) return false;
    const [seen, known] = [edgesOf(thumb), usual.edges.slice()];
    for (let cell = 0; cell < seen.length; cell += 2) {
      if (Math.hypot(seen[cell]!, seen[cell + 1]!) < FAINT) continue;
      seen.fill(0, cell, cell + 2);
      known.fill(0, cell, cell + 2);
    }
    return likeness(seen, known) >= ALIKE_IN_THE_DARK;
  }

  return { isElsewhere, showsFaintly };
}

/**
 * Two numbers for each inner cell: direction of the edge, doubled, so that dark-to-bright and bright-to-dark are the
 * same, and strength, compressed. Light that is switched on changes brightness but few directions.
 */
type ViewEdges = Float32Array;

/** Strength at which an edge counts half, in grey levels. */
const HALF_STRENGTH = 10;

function edgesOf(thumb: Float32Array): ViewEdges {
  const edges = new Float32Array((THUMB_WIDTH - 2) * (THUMB_HEIGHT - 2) * 2);
  let index = 0;
  for (let y = 1; y < THUMB_HEIGHT - 1; y++) {
    for (let x = 1; x < THUMB_WIDTH - 1; x++) {
      const cell = y * THUMB_WIDTH + x;
      const dx = thumb[cell + 1]! - thumb[cell - 1]!;
      const dy = thumb[cell + THUMB_WIDTH]! - thumb[cell - THUMB_WIDTH]!;
      const square = dx * dx + dy * dy;
      const strength = Math.sqrt(square);
      const weight = square === 0 ? 0 : strength / (strength + HALF_STRENGTH) / square;
      edges[index++] = (dx * dx - dy * dy) * weight;
      edges[index++] = 2 * dx * dy * weight;
    }
  }
  return edges;
}

/** 1 for the same view, about 0 to 0.3 for unrelated ones. */
function likeness(one: ViewEdges, other: ViewEdges): number {
  let [both, first, second] = [0, 0, 0];
  for (let index = 0; index < one.length; index++) {
    both += one[index]! * other[index]!;
    first += one[index]! * one[index]!;
    second += other[index]! * other[index]!;
  }
  return first === 0 || second === 0 ? 0 : both / Math.sqrt(first * second);
}

/** Moves a remembered view a little towards what is seen; `share` 0 to 1. */
function blendInto(kept: ViewEdges, seen: ViewEdges, share: number): void {
  for (let index = 0; index < kept.length; index++) kept[index]! += (seen[index]! - kept[index]!) * share;
}
