// tracked boxes → how many crossed the line, and which way
import { inputError } from "../../errors.ts";
import { selectRows } from "../../frames/detections.ts";
import { createLineZone, type LineZone } from "../../geometry/line-zone.ts";
import type { Block, BlockInputs, BlockOutputs, Shape, StepText } from "../block.ts";
import { imageOf, videoOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { trackedDetectionsOf } from "../track/track-ids.ts";
import { anchorsOf, toLineSegment } from "./zone-points.ts";

export const lineCounterV1 = lineCounter("v1", (inputs) => videoOf(inputs, "metadata").videoIdentifier);
export const lineCounterV2 = lineCounter("v2", (inputs) => imageOf(inputs, "image").videoOrDefault(0).videoIdentifier);

function lineCounter(version: string, videoIdOf: (inputs: BlockInputs) => string): Block {
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
          const detections = trackedDetectionsOf(inputs, "detections");
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
  if (points === undefined) throw inputError(`"line_segment" must be two different points: [[x, y], [x, y]].`);
  const [start, end] = points;
  return createLineZone({ start, end, anchors: anchorsOf(inputs, "triggering_anchor") });
}

function lineOf({ name, properties }: StepText): readonly Shape[] {
  const points = toLineSegment(properties.line_segment);
  return points === undefined ? [] : [{ kind: "line", step: name, points: points.map(([x, y]) => [x, y]) }];
}
