// picture and detections → picture with the places tinted where things have been
import type { SKRSContext2D } from "@napi-rs/canvas";
import { inputError } from "../../errors.ts";
import type { DetectionTable } from "../../frames/detections.ts";
import { isVideoMetadata } from "../../frames/frame.ts";
import { distance, type Point, roundHalfEven } from "../../geometry/polygons.ts";
import { averageBlur } from "../../pixels/blur.ts";
import { createPlane } from "../../pixels/plane.ts";
import { type Block, type BlockInputs, type BlockValue, detectionsOf, numberOf, textOf } from "../block.ts";
import { kernelOf, opacityOf } from "./area-visualizations.ts";
import { type Color, ofHexDigits, type RampName, rampBytes } from "./color.ts";
import { drawingBlock, editPixels, mixInto, pointsAt, positionOf, stateful } from "./drawing-block.ts";

/** Where a track was last counted, and when. */
interface LastPlace {
  readonly point: Point;
  readonly atMs: number;
}

interface WatchedVideo {
  field: HeatField;
  readonly places: Map<number, LastPlace>;
}

const FORGET_AFTER_MS = 60_000;

export const heatmapVisualization: Block = stateful({
  type: "heatmap_visualization@v1",
  description: "Tints the places where things have been, warmer where they were more often.",
  phrase: "draws a heat map",
  start: ({ now }) => {
    const videos = new Map<string, WatchedVideo>();
    return (inputs, image) => {
      const { width, height } = image;
      const id = isVideoMetadata(inputs.metadata)
        ? inputs.metadata.videoIdentifier
        : image.videoOrDefault(0).videoIdentifier;
      const radius = numberOf(inputs, "radius");
      const video = videos.get(id) ?? { field: new HeatField({ width, height, radius }), places: new Map() };
      videos.set(id, video);
      if (video.field.width !== width || video.field.height !== height) {
        video.field = new HeatField({ width, height, radius });
      }
      const { field } = video;
      const frame = field.add(placesToCount(inputs, video.places, now()));
      const look = lookOf(inputs);
      return (context) => drawHeat(context, field, frame, look);
    };
  },
});

/** All detections; of tracked ones only those that have moved, when the step wants that. */
function placesToCount(inputs: BlockInputs, places: Map<number, LastPlace>, atMs: number): readonly Point[] {
  const detections = detectionsOf(inputs, "predictions");
  const points = pointsAt(detections, positionOf(inputs, "position"));
  const { trackerId } = detections;
  if (inputs.ignore_stationary !== true || trackerId === undefined) return points;
  for (const [id, place] of places) if (atMs - place.atMs > FORGET_AFTER_MS) places.delete(id);
  return movedPoints(trackerId, points, places, { atMs, least: numberOf(inputs, "motion_threshold") });
}

function movedPoints(
  trackerId: NonNullable<DetectionTable["trackerId"]>,
  points: readonly Point[],
  places: Map<number, LastPlace>,
  { atMs, least }: { readonly atMs: number; readonly least: number },
): readonly Point[] {
  return points.filter((point, row) => {
    const before = places.get(trackerId[row]!);
    const moved = before !== undefined && distance(before.point, point) >= least;
    if (before === undefined || moved) places.set(trackerId[row]!, { point, atMs });
    return moved;
  });
}

type HeatLook = ReturnType<typeof lookOf>;

function lookOf(inputs: BlockInputs) {
  const [lowHue, topHue] = [numberOf(inputs, "low_hue"), numberOf(inputs, "top_hue")];
  return { lowHue, topHue, opacity: opacityOf(inputs), kernelSize: kernelOf(inputs) };
}

function drawHeat(context: SKRSContext2D, field: HeatField, frame: number, look: HeatLook): void {
  const heat = field.upTo(frame);
  const hottest = heat.reduce((most, value) => Math.max(most, value), 0);
  if (hottest === 0) return;
  const hues = createPlane(field.width, field.height);
  for (let at = 0; at < heat.length; at++) {
    hues.data[at] = Math.trunc(look.lowHue - (heat[at]! / hottest) * (look.lowHue - look.topHue));
  }
  const { data } = averageBlur(hues, look.kernelSize);
  editPixels(context, (rgba) => {
    for (let at = 0; at < heat.length; at++)
      if (heat[at]! > 0) mixInto(rgba, 4 * at, pureColor(data[at]!), look.opacity);
  });
}

/** The full colour of a hue from 0 to 180, in steps of two degrees. */
function pureColor(hue: number): Color {
  const channel = (shift: number): number => {
    const turn = (shift + hue / 30) % 6;
    return 255 * (1 - Math.max(0, Math.min(turn, 4 - turn, 1)));
  };
  return { r: channel(5), g: channel(3), b: channel(1) };
}

/** Frames that wait to be drawn; beyond these the oldest are taken in even if nobody looks. */
const MOST_WAITING = 1000;

/**
 * Counts of discs on a picture, once a frame. Discs are only noted when they come and drawn when the field is looked
 * at: a video that nobody watches costs next to nothing.
 */
export class HeatField {
  readonly width: number;
  readonly height: number;
  readonly #radius: number;
  readonly #heat: Float32Array;
  /** The last frame that was counted at each pixel: discs of one frame that overlap count once. */
  readonly #lastFrame: Uint32Array;
  #taken = 0;
  #waiting: (readonly Point[])[] = [];

  constructor({ width, height, radius }: { readonly width: number; readonly height: number; readonly radius: number }) {
    this.width = width;
    this.height = height;
    this.#radius = radius;
    this.#heat = new Float32Array(width * height);
    this.#lastFrame = new Uint32Array(width * height);
  }

  /** Takes the places of the next frame and answers its number. */
  add(points: readonly Point[]): number {
    this.#waiting.push(points);
    const frame = this.#taken + this.#waiting.length;
    if (this.#waiting.length > MOST_WAITING) this.#takeIn(frame);
    return frame;
  }

  /** Counts of all pixels, row by row, up to a frame; later ones that were looked at stay. Valid until the next call. */
  upTo(frame: number): Float32Array {
    this.#takeIn(frame);
    return this.#heat;
  }

  #takeIn(frame: number): void {
    for (const points of this.#waiting.splice(0, Math.max(0, frame - this.#taken))) {
      this.#taken += 1;
      for (const [x, y] of points) this.#addDisc(Math.trunc(x), Math.trunc(y));
    }
  }

  #addDisc(x: number, y: number): void {
    const radius = this.#radius;
    for (let row = Math.max(0, y - radius); row <= Math.min(this.height - 1, y + radius); row++) {
      const half = Math.trunc(Math.sqrt(radius * radius - (row - y) * (row - y)));
      const end = row * this.width + Math.min(this.width - 1, x + half);
      for (let at = row * this.width + Math.max(0, x - half); at <= end; at++) {
        if (this.#lastFrame[at] === this.#taken) continue;
        this.#lastFrame[at] = this.#taken;
        this.#heat[at] = this.#heat[at]! + 1;
      }
    }
  }
}

interface Tint {
  readonly color: Color;
  /** How much of it shows, 0 to 1. */
  readonly alpha: number;
}

/** Colours by position from 0 to 1; one half is the threshold. */
const OWN_RAMP: readonly (Tint & { readonly at: number })[] = [
  { at: 0, color: ofHexDigits("FFD600"), alpha: 0 },
  { at: 0.25, color: ofHexDigits("FFD600"), alpha: 0.55 },
  { at: 0.5, color: ofHexDigits("FF7A00"), alpha: 0.85 },
  { at: 1, color: ofHexDigits("DC1E1E"), alpha: 1 },
];

const RAMPS: readonly RampName[] = ["jet", "turbo", "inferno", "viridis", "hot"];

export const anomalyHeatmapVisualization: Block = drawingBlock({
  type: "anomaly_heatmap_visualization@v1",
  description: "Tints the picture where it is unusual.",
  phrase: "tints what is unusual",
  prepare: (inputs, { width, height }) => {
    const map = toMap(inputs.anomaly_map ?? null);
    const tintAt = createTint(textOf(inputs, "color_map").toUpperCase());
    const opacity = opacityOf(inputs);
    const scaled = toScale(map, numberOf(inputs, "anomaly_threshold"));
    return (context) =>
      editPixels(context, (rgba) => {
        for (let pixel = 0; pixel < width * height; pixel++) {
          const x = ((pixel % width) + 0.5) * (scaled[0]!.length / width) - 0.5;
          const y = (Math.trunc(pixel / width) + 0.5) * (scaled.length / height) - 0.5;
          const { color, alpha } = tintAt(valueAt(scaled, x, y));
          mixInto(rgba, 4 * pixel, color, alpha * opacity);
        }
      });
  },
});

function toMap(value: BlockValue): readonly (readonly number[])[] {
  const isMap = Array.isArray(value) && value.length > 0 && value.every((row) => Array.isArray(row) && row.length > 0);
  if (isMap) return value as unknown as readonly (readonly number[])[];
  throw inputError(`"anomaly_map" is missing: let the anomaly model give it with "include_anomaly_map".`);
}

/** Values on a scale from 0 to 1 on which the threshold is one half. */
function toScale(map: readonly (readonly number[])[], threshold: number): readonly (readonly number[])[] {
  if (!Number.isFinite(threshold)) throw inputError(`"anomaly_threshold" must be a finite number.`);
  return map.map((row) =>
    row.map((value) => {
      if (value <= 0) return 0;
      return threshold <= 0 ? 1 : value / (value + threshold);
    }),
  );
}

/** Between the four values around a place; the edges go on beyond the map. */
function valueAt(map: readonly (readonly number[])[], x: number, y: number): number {
  const within = (value: number, most: number): number => Math.min(most, Math.max(0, value));
  const [column, row] = [within(x, map[0]!.length - 1), within(y, map.length - 1)];
  const [left, top] = [Math.floor(column), Math.floor(row)];
  const [right, bottom] = [within(left + 1, map[0]!.length - 1), within(top + 1, map.length - 1)];
  const above = map[top]![left]! + (column - left) * (map[top]![right]! - map[top]![left]!);
  const below = map[bottom]![left]! + (column - left) * (map[bottom]![right]! - map[bottom]![left]!);
  return above + (row - top) * (below - above);
}

function createTint(name: string): (value: number) => Tint {
  if (name === "ROBOFLOW") return ownTint;
  const ramp = RAMPS.find((known) => known.toUpperCase() === name);
  if (ramp === undefined) {
    throw inputError(`"color_map" knows no "${name}": take ROBOFLOW or one of ${RAMPS.join(", ").toUpperCase()}.`);
  }
  const bytes = rampBytes(ramp);
  return (value) => {
    const at = 3 * roundHalfEven(255 * value);
    return { color: { r: bytes[at]!, g: bytes[at + 1]!, b: bytes[at + 2]! }, alpha: 1 };
  };
}

function ownTint(value: number): Tint {
  const next = OWN_RAMP.findIndex(({ at }) => at > value);
  if (next < 0) return OWN_RAMP.at(-1)!;
  const [low, high] = [OWN_RAMP[next - 1]!, OWN_RAMP[next]!];
  const share = (value - low.at) / (high.at - low.at);
  const mix = (from: number, to: number): number => from + share * (to - from);
  return {
    color: {
      r: roundHalfEven(mix(low.color.r, high.color.r)),
      g: roundHalfEven(mix(low.color.g, high.color.g)),
      b: roundHalfEven(mix(low.color.b, high.color.b)),
    },
    alpha: mix(low.alpha, high.alpha),
  };
}
