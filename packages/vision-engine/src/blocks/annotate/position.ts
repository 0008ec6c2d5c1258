import { inputError } from "../../errors.ts";
import type { Detections } from "../../frames/detections.ts";
import type { Mask } from "../../frames/mask.ts";
import { anchorX, anchorY, type BoxAnchor, isAnchor } from "../../geometry/boxes.ts";
import type { Point } from "../../geometry/points.ts";
import type { BlockInputs } from "../block.ts";
import { textOf } from "../block-inputs.ts";
import { masksOf } from "./detection-masks.ts";

/** A point of a box, or the middle of what its mask covers. */
export type Position = BoxAnchor | "CENTER_OF_MASS";

export function positionOf(inputs: BlockInputs, property: string): Position {
  const position = textOf(inputs, property);
  if (position === "CENTER_OF_MASS" || isAnchor(position)) return position;
  throw inputError(`"${property}" knows no "${position}": write CENTER, TOP_LEFT, BOTTOM_CENTER, …`);
}

/** Where that position of each row is, in pixels. */
export function pointsAt(detections: Detections, position: Position): readonly Point[] {
  const rows = Array.from({ length: detections.length }, (_, row) => row);
  if (position !== "CENTER_OF_MASS") {
    return rows.map((row) => [anchorX(position, detections.xyxy, row), anchorY(position, detections.xyxy, row)]);
  }
  const masks = masksOf(detections);
  if (masks === undefined) throw inputError("CENTER_OF_MASS needs detections with masks.");
  return masks.map(centreOfMass);
}

function centreOfMass({ width, runs }: Mask): Point {
  let [area, sumX, sumY] = [0, 0, 0];
  for (let at = 0; at < runs.length; at += 2) {
    const [start, length] = [runs[at]!, runs[at + 1]!];
    for (let pixel = start; pixel < start + length; pixel++) {
      sumX += pixel % width;
      sumY += Math.trunc(pixel / width);
    }
    area += length;
  }
  return area === 0 ? [0, 0] : [sumX / area, sumY / area];
}
