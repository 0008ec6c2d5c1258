// tracked boxes → how many crossed the line, and which way
import type { Json } from "@vision-agent/protocol";
import { EngineError } from "../../errors.ts";
import { selectRows } from "../../frames/select-rows.ts";
import { type Anchor, CORNERS, isAnchor } from "../../geometry/boxes.ts";
import { createLineZone, type LineZone, type Point } from "../../geometry/line-zone.ts";
import type { Block, BlockInputs, BlockOutputs, BlockValue, Shape, StepText } from "../block.ts";
import { detectionsOf, imageOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { videoOf } from "../video-metadata.ts";

export const lineCounterV1 = lineCounterBlock("v1", (inputs) => videoOf(inputs, "metadata").id);
export const lineCounterV2 = lineCounterBlock("v2", (inputs) => imageOf(inputs, "image").metadata.source_id);

function lineCounterBlock(version: string, videoIdOf: (inputs: BlockInputs) => string): Block {
  const manifest = manifestOf(`roboflow_core/line_counter@${version}`);
  const givesDetections = manifest.outputs.some(({ name }) => name === "detections_in");
  return {
    manifest,
    description: "Counts tracked objects that cross a line, in each direction. Needs detections from a tracker.",
    phrase: (step) => `counts crossings of line '${step.name}'`,
    shapes: lineOf,
    create: () => {
      const lines = new Map<string, LineZone>();
      return {
        run(inputs): BlockOutputs {
          const videoId = videoIdOf(inputs);
          const detections = detectionsOf(inputs, "detections");
          if (detections.trackerId === undefined) {
            throw new EngineError({
              kind: "input",
              message: "The detections have no ids: put a tracker before the line.",
            });
          }
          const line = lines.get(videoId) ?? createLine(inputs);
          lines.set(videoId, line);
          const { crossedIn, crossedOut } = line.trigger(detections);
          const counts = { count_in: line.countIn, count_out: line.countOut };
          if (!givesDetections) return counts;
          return {
            ...counts,
            detections_in: selectRows(detections, crossedIn),
            detections_out: selectRows(detections, crossedOut),
          };
        },
      };
    },
  };
}

function createLine(inputs: BlockInputs): LineZone {
  const points = toLineSegment(inputs.line_segment);
  if (points === undefined) {
    throw new EngineError({ kind: "input", message: `"line_segment" must be two different points: [[x, y], [x, y]].` });
  }
  const [start, end] = points;
  return createLineZone({ start, end, anchors: anchorsOf(inputs.triggering_anchor) });
}

function anchorsOf(value: BlockValue | undefined): readonly Anchor[] {
  if (value === null || value === undefined) return CORNERS;
  if (typeof value === "string" && isAnchor(value)) return [value];
  throw new EngineError({ kind: "input", message: `"triggering_anchor" knows no ${JSON.stringify(value)}.` });
}

function lineOf({ name, properties }: StepText): readonly Shape[] {
  const points = toLineSegment(properties.line_segment);
  return points === undefined ? [] : [{ kind: "line", step: name, points: points.map(([x, y]) => [x, y]) }];
}

/** Two different points of two numbers each. */
export function toLineSegment(value: BlockValue | undefined): readonly [Point, Point] | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [start, end] = (value as Json[]).map(toPoint);
  if (start === undefined || end === undefined) return undefined;
  return start[0] === end[0] && start[1] === end[1] ? undefined : [start, end];
}

function toPoint(value: Json): Point | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [x, y] = value;
  return typeof x === "number" && typeof y === "number" ? [x, y] : undefined;
}
