// picture and detections → picture with the places tinted where things have been
import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Detections } from "../../frames/detections.ts";
import { isVideoMetadata } from "../../frames/video-metadata.ts";
import { distance, type Point } from "../../geometry/points.ts";
import { averageBlur } from "../../pixels/average-blur.ts";
import { createPlane } from "../../pixels/plane.ts";
import type { Block, BlockInputs } from "../block.ts";
import { detectionsOf, numberOf } from "../block-inputs.ts";
import { kernelOf, opacityOf } from "./area-visualizations.ts";
import { editPixels, mixInto } from "./canvas-pixels.ts";
import type { Color } from "./color.ts";
import { stateful } from "./drawing-block.ts";
import { HeatField } from "./heat-field.ts";
import { pointsAt, positionOf } from "./position.ts";

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
      const look = { ...hueRange(inputs), opacity: opacityOf(inputs), kernelSize: kernelOf(inputs) };
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
  trackerId: NonNullable<Detections["trackerId"]>,
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

interface HeatLook {
  readonly lowHue: number;
  readonly topHue: number;
  readonly opacity: number;
  readonly kernelSize: number;
}

function hueRange(inputs: BlockInputs): Pick<HeatLook, "lowHue" | "topHue"> {
  return { lowHue: numberOf(inputs, "low_hue"), topHue: numberOf(inputs, "top_hue") };
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
