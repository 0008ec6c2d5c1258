// picture and tracked detections → picture with the way that each has come
import { type Detections, selectRows } from "../../frames/detections.ts";
import type { Point } from "../../geometry/points.ts";
import type { Block } from "../block.ts";
import { numberOf } from "../block-inputs.ts";
import { trackedDetectionsOf } from "../track/track-ids.ts";
import { stateful } from "./drawing-block.ts";
import { createPalette } from "./palette.ts";
import { pointsAt, positionOf } from "./position.ts";
import { tracePoints, useStroke } from "./stroke.ts";

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
      const confirmed = selectRows(
        all,
        [...all.trackerId.keys()].filter((row) => all.trackerId[row] !== -1),
      );
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
          if (way.length < 2) continue;
          useStroke(context, colorOf(row), thickness);
          context.beginPath();
          tracePoints(context, way, { closed: false });
          context.stroke();
        }
      };
    };
  },
});

function extend(trail: Trail, { trackerId, length }: Detections, points: readonly Point[], most: number): void {
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
