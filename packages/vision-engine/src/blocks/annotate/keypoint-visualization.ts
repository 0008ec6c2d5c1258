// picture and keypoints → picture with skeletons, points or their numbers
import type { SKRSContext2D } from "@napi-rs/canvas";
import { inputError } from "../../errors.ts";
import type { DetectionTable } from "../../frames/detections.ts";
import type { Draw } from "../../frames/image-value.ts";
import type { Point } from "../../geometry/polygons.ts";
import { type Block, type BlockInputs, type BlockValue, detectionsOf, numberOf, textOf } from "../block.ts";
import { toPoints } from "../count/zones.ts";
import { parseColor, toCss } from "./color.ts";
import { drawingBlock, strokePoints } from "./drawing-block.ts";
import { drawText, fontOf, fontSizeOf } from "./text.ts";

/** Joints that are connected, counted from 1, by the number of joints: 17 as in COCO, 33 as in BlazePose. */
export const SKELETONS: Readonly<Record<number, string>> = {
  17: "1-2 1-3 2-3 2-4 3-5 6-12 6-7 6-8 7-13 7-9 8-10 9-11 12-13 14-12 15-13 16-14 17-15",
  33: "1-2 1-5 2-3 3-4 4-8 5-6 6-7 7-9 10-11 12-13 12-14 12-24 13-15 13-25 14-16 15-17 16-18 15-19 16-22 17-19 17-21 17-23 18-20 19-21 24-25 24-26 25-27 26-28 27-29 28-30 28-32 29-31 29-33 30-32 31-33",
};

/** Joints of COCO in their order. */
export const COCO_JOINTS: readonly string[] = [
  ..."nose left_eye right_eye left_ear right_ear left_shoulder right_shoulder left_elbow right_elbow".split(" "),
  ..."left_wrist right_wrist left_hip right_hip left_knee right_knee left_ankle right_ankle".split(" "),
];

/** The joints of one detection, each at its place in the skeleton; absent ones were not found. */
type Skeleton = readonly (Point | undefined)[];

/** Beyond this the numbers of joints are not to be trusted. */
const MOST_JOINTS = 1024;

export const keypointVisualization: Block = drawingBlock({
  type: "keypoint_visualization@v1",
  description: "Draws the skeleton, the points or the numbered points of each detection with keypoints.",
  phrase: "draws the keypoints",
  prepare: (inputs) => {
    const detections = detectionsOf(inputs, "predictions");
    if (detections.length === 0) return undefined;
    return drawSkeletons(inputs, skeletonsOf(detections));
  },
});

function drawSkeletons(inputs: BlockInputs, skeletons: readonly Skeleton[]): Draw {
  const color = parseColor(textOf(inputs, "color"));
  const kind = textOf(inputs, "annotator_type");
  if (kind === "vertex") {
    const radius = numberOf(inputs, "radius");
    return (context) => {
      context.fillStyle = toCss(color);
      for (const [x, y] of skeletons.flatMap(jointsFound)) fillDisc(context, x, y, radius);
    };
  }
  if (kind === "vertex_label") {
    const look = {
      color: parseColor(textOf(inputs, "text_color")),
      background: color,
      fontSize: fontSizeOf(numberOf(inputs, "text_scale")),
      font: fontOf(numberOf(inputs, "text_thickness")),
      padding: numberOf(inputs, "text_padding"),
      borderRadius: numberOf(inputs, "radius"),
      anchor: "CENTER" as const,
    };
    return (context) => {
      for (const skeleton of skeletons) {
        for (const [joint, point] of skeleton.entries()) {
          if (point !== undefined) drawText(context, { ...look, text: String(joint), x: point[0], y: point[1] });
        }
      }
    };
  }
  const thickness = numberOf(inputs, "thickness");
  const bones = skeletons.flatMap((skeleton) => bonesOf(inputs.edges ?? null, skeleton));
  return (context) => strokePoints(context, bones, { color, thickness });
}

function fillDisc(context: SKRSContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(Math.trunc(x) + 0.5, Math.trunc(y) + 0.5, radius, 0, 2 * Math.PI);
  context.fill();
}

function jointsFound(skeleton: Skeleton): readonly Point[] {
  return skeleton.filter((point) => point !== undefined);
}

/** Pairs of joints that are connected and were both found. Without `edges` the number of joints tells the skeleton. */
function bonesOf(edges: BlockValue, skeleton: Skeleton): readonly (readonly [Point, Point])[] {
  const pairs = toPoints(edges) ?? [];
  const known = SKELETONS[skeleton.length]?.split(" ").map((bone) => bone.split("-").map(Number)) ?? [];
  return (pairs.length > 0 ? pairs : known).flatMap(([one, other]) => {
    const [from, to] = [skeleton[one! - 1], skeleton[other! - 1]];
    return from === undefined || to === undefined ? [] : [[from, to] as const];
  });
}

function skeletonsOf(detections: DetectionTable): readonly Skeleton[] {
  const { keypoints_xy, keypoints_class_id, keypoints_class_name } = detections.data;
  if (keypoints_xy === undefined) throw inputError("The detections have no keypoints to draw.");
  const points = keypoints_xy as readonly (readonly Point[])[];
  const ids = keypoints_class_id as readonly (readonly number[])[] | undefined;
  const names = keypoints_class_name as readonly (readonly string[])[] | undefined;
  const slots = ids && slotsOf(ids, names, Math.max(...points.map(({ length }) => length)));
  return points.map((row, at) => {
    if (ids === undefined || slots === undefined) return row.map(foundOnly);
    const skeleton = new Array<Point | undefined>(slots).fill(undefined);
    for (const [place, point] of row.entries())
      if (isReal(names, at, place)) skeleton[ids[at]![place]!] = foundOnly(point);
    return skeleton;
  });
}

/** Number of joints of a skeleton; absent when the ids of the joints cannot be trusted. */
function slotsOf(
  ids: readonly (readonly number[])[],
  names: readonly (readonly string[])[] | undefined,
  width: number,
): number | undefined {
  const real = ids.flatMap((row, at) =>
    row.map((id, place) => ({ id, name: names?.[at]?.[place] })).filter((_, place) => isReal(names, at, place)),
  );
  if (real.length === 0 || real.some(({ id }) => id < 0)) return undefined;
  const isCoco = real.every(({ id, name }) => name !== undefined && COCO_JOINTS[id] === name);
  const slots = Math.max(width, isCoco ? COCO_JOINTS.length : 0, ...real.map(({ id }) => id + 1));
  return slots > MOST_JOINTS ? undefined : slots;
}

/** Rows are filled up to equal length with joints without a name. */
function isReal(names: readonly (readonly string[])[] | undefined, row: number, place: number): boolean {
  return names?.[row]?.[place] !== "";
}

/** A joint at the corner of the picture was not found. */
function foundOnly(point: Point): Point | undefined {
  const [x, y] = point;
  return (Math.abs(x) < 1e-8 && Math.abs(y) < 1e-8) || !Number.isFinite(x + y) ? undefined : point;
}
