// picture and detections → picture with an outline around each
import type { SKRSContext2D } from "@napi-rs/canvas";
import { type DetectionTable, filterRows } from "../../frames/detections.ts";
import { type BoxXyxy, boxCorners } from "../../geometry/boxes.ts";
import { contoursOf } from "../../geometry/contours.ts";
import { type Point, toRadians } from "../../geometry/polygons.ts";
import { type Block, numberOf, trackedDetectionsOf } from "../block.ts";
import { BLACK, createPalette, toCss } from "./color.ts";
import {
  type ColoredDetections,
  coloredDrawingBlock,
  MIDDLE,
  masksOf,
  pointsAt,
  positionOf,
  stateful,
  strokePoints,
  useStroke,
  wholeBox,
} from "./drawing-block.ts";

export const boundingBoxVisualization: Block = coloredDrawingBlock({
  type: "bounding_box_visualization@v1",
  description: "Draws a box around each detection.",
  phrase: "draws boxes",
  prepare: (colored) => {
    const roundness = numberOf(colored.inputs, "roundness");
    return strokeEach(colored, (context, [left, top, right, bottom]) => {
      const [width, height] = [right - left, bottom - top];
      const radius = Math.trunc(Math.trunc(Math.min(width, height) / 2) * roundness);
      context.roundRect(left + MIDDLE, top + MIDDLE, width, height, Math.max(0, radius));
    });
  },
});

export const cornerVisualization: Block = coloredDrawingBlock({
  type: "corner_visualization@v1",
  description: "Draws the four corners of the box of each detection.",
  phrase: "draws corners",
  prepare: (colored) => {
    const length = numberOf(colored.inputs, "corner_length");
    return strokeEach(colored, (context, box) => {
      for (const [at, [x, y]] of boxCorners(box).entries()) {
        const inwardX = at === 0 || at === 3 ? length : -length;
        const inwardY = at < 2 ? length : -length;
        context.moveTo(x + inwardX + MIDDLE, y + MIDDLE);
        context.lineTo(x + MIDDLE, y + MIDDLE);
        context.lineTo(x + MIDDLE, y + inwardY + MIDDLE);
      }
    });
  },
});

export const circleVisualization: Block = coloredDrawingBlock({
  type: "circle_visualization@v1",
  description: "Draws a circle around each detection.",
  phrase: "draws circles",
  prepare: (colored) =>
    strokeEach(colored, (context, [left, top, right, bottom]) => {
      const [x, y] = [Math.floor((left + right) / 2), Math.floor((top + bottom) / 2)];
      const radius = Math.trunc(Math.hypot(left - x, top - y));
      context.arc(x + MIDDLE, y + MIDDLE, radius, 0, 2 * Math.PI);
    }),
});

export const ellipseVisualization: Block = coloredDrawingBlock({
  type: "ellipse_visualization@v1",
  description: "Draws an ellipse at the feet of each detection.",
  phrase: "draws ellipses",
  prepare: (colored) => {
    const start = toRadians(numberOf(colored.inputs, "start_angle"));
    const end = toRadians(numberOf(colored.inputs, "end_angle"));
    return strokeEach(colored, (context, [left, , right, bottom]) => {
      const width = Math.max(0, right - left);
      const x = Math.trunc((left + right) / 2);
      context.ellipse(x + MIDDLE, bottom + MIDDLE, width, Math.trunc(0.35 * width), 0, start, end);
    });
  },
});

/** One path for each row, in its colour. */
function strokeEach(
  { detections, colorOf, inputs }: ColoredDetections,
  trace: (context: SKRSContext2D, box: BoxXyxy) => void,
) {
  const thickness = numberOf(inputs, "thickness");
  return (context: SKRSContext2D): void => {
    for (let row = 0; row < detections.length; row++) {
      useStroke(context, colorOf(row), thickness);
      context.beginPath();
      trace(context, wholeBox(detections, row));
      context.stroke();
    }
  };
}

/** v1 draws boxes where there are no masks; v2 draws nothing then. */
export const polygonVisualizationV1 = polygonVisualization("v1");
export const polygonVisualizationV2 = polygonVisualization("v2");

function polygonVisualization(version: "v1" | "v2"): Block {
  return coloredDrawingBlock({
    type: `polygon_visualization@${version}`,
    description: "Draws the outline of the mask of each detection.",
    phrase: "draws outlines",
    prepare: ({ detections, colorOf, inputs }) => {
      const masks = masksOf(detections);
      if (masks === undefined && version === "v2") return undefined;
      const thickness = numberOf(inputs, "thickness");
      return (context) => {
        for (let row = 0; row < detections.length; row++) {
          const mask = masks?.[row];
          const outlines = mask === undefined ? [boxCorners(wholeBox(detections, row))] : contoursOf(mask);
          strokePoints(context, outlines, { color: colorOf(row), thickness, closed: true });
        }
      };
    },
  });
}

export const dotVisualization: Block = coloredDrawingBlock({
  type: "dot_visualization@v1",
  description: "Draws a dot at each detection.",
  phrase: "draws dots",
  prepare: (colored) => {
    const radius = numberOf(colored.inputs, "radius");
    return markEach(colored, (context, x, y) => context.arc(x + MIDDLE, y + MIDDLE, radius, 0, 2 * Math.PI));
  },
});

export const triangleVisualization: Block = coloredDrawingBlock({
  type: "triangle_visualization@v1",
  description: "Draws a triangle that points at each detection.",
  phrase: "draws triangles",
  prepare: (colored) => {
    const half = Math.floor(numberOf(colored.inputs, "base") / 2);
    const height = numberOf(colored.inputs, "height");
    return markEach(colored, (context, x, y) => {
      context.moveTo(x - half, y - height);
      context.lineTo(x + half + 1, y - height);
      context.lineTo(x + 0.5, y + 1);
      context.closePath();
    });
  },
});

/** One filled path for each row, with a black outline where the step wants one. */
function markEach(
  { detections, colorOf, inputs }: ColoredDetections,
  trace: (context: SKRSContext2D, x: number, y: number) => void,
) {
  const points = pointsAt(detections, positionOf(inputs, "position"));
  const outline = numberOf(inputs, "outline_thickness");
  return (context: SKRSContext2D): void => {
    useStroke(context, BLACK, outline);
    for (const [row, [x, y]] of points.entries()) {
      context.fillStyle = toCss(colorOf(row));
      context.beginPath();
      trace(context, Math.trunc(x), Math.trunc(y));
      context.fill();
      if (outline > 0) context.stroke();
    }
  };
}

/** Where the tracks of one video were, frame by frame; frames without any are left out. */
interface Trail {
  frame: number;
  frames: { readonly frame: number; readonly points: ReadonlyMap<number, Point> }[];
}

export const traceVisualization: Block = stateful({
  type: "trace_visualization@v1",
  description: "Draws the way that each tracked object has come.",
  phrase: "draws their traces",
  start: () => {
    const trails = new Map<string, Trail>();
    return (inputs, image) => {
      const all = trackedDetectionsOf(inputs, "predictions");
      const confirmed = filterRows(all, (row) => all.trackerId[row] !== -1);
      const colorOf = createPalette(inputs, confirmed);
      const { videoIdentifier } = image.videoOrDefault(0);
      const trail = trails.get(videoIdentifier) ?? { frame: 0, frames: [] };
      trails.set(videoIdentifier, trail);
      const points = pointsAt(confirmed, positionOf(inputs, "position"));
      extend(trail, confirmed, points, numberOf(inputs, "trace_length"));
      const ways = Array.from(confirmed.trackerId!, (id) => wayOf(trail, id));
      const thickness = numberOf(inputs, "thickness");
      return (context) => {
        for (const [row, way] of ways.entries()) {
          if (way.length >= 2) strokePoints(context, [way], { color: colorOf(row), thickness });
        }
      };
    };
  },
});

function extend(trail: Trail, { trackerId, length }: DetectionTable, points: readonly Point[], most: number): void {
  const { frame } = trail;
  if (length > 0) trail.frames.push({ frame, points: new Map(points.map((point, row) => [trackerId![row]!, point])) });
  // Old frames go only when there are too many: a track with few sightings keeps them over a gap.
  if (most > 0 && trail.frames.length > most) {
    trail.frames = trail.frames.filter((kept) => kept.frame > frame - most);
  }
  trail.frame += 1;
}

function wayOf({ frames }: Trail, id: number): readonly Point[] {
  return frames.map(({ points }) => points.get(id)).filter((point) => point !== undefined);
}
