// two things in a picture → how far apart they are
import { inputError } from "../../errors.ts";
import { classNamesOf, type Detections } from "../../frames/detections.ts";
import { roundHalfEven } from "../../geometry/points.ts";
import type { BlockInputs } from "../block.ts";
import { detectionsOf, numberOf, textOf } from "../block-inputs.ts";
import { statelessBlock } from "../stateless-block.ts";

type Box = readonly [left: number, top: number, right: number, bottom: number];

export const distanceMeasurement = statelessBlock({
  type: "roboflow_core/distance_measurement@v1",
  description: "Measures the gap between two things along an axis, in pixels and centimetres.",
  phrase: ({ properties }) =>
    `measures from '${properties.object_1_class_name}' to '${properties.object_2_class_name}'`,
  run: (inputs) => {
    const detections = detectionsOf(inputs, "predictions");
    const [first, second] = measuredBoxes(
      detections,
      textOf(inputs, "object_1_class_name"),
      textOf(inputs, "object_2_class_name"),
    );
    const axis = inputs.reference_axis === "vertical" ? 1 : 0;
    const gap = gapBetween(first, second, axis);
    if (gap === 0) return { distance_cm: 0, distance_pixel: 0 };
    return { distance_cm: gap / pixelsPerCentimetre(inputs, detections), distance_pixel: gap };
  },
});

/** 0 where the boxes overlap, also along the axis alone. */
function gapBetween(first: Box, second: Box, axis: 0 | 1): number {
  const overlapOn = (side: 0 | 1): boolean => first[side] <= second[side + 2]! && second[side] <= first[side + 2]!;
  const passesBy = first[axis] < second[axis + 2]! && first[axis + 2]! > second[axis];
  if (passesBy || (overlapOn(0) && overlapOn(1))) return 0;
  return second[axis] > first[axis + 2]! ? second[axis] - first[axis + 2]! : Math.abs(first[axis] - second[axis + 2]!);
}

/** Whole pixels. Of several of one class the last before the other class was found. */
function measuredBoxes(detections: Detections, firstName: string, secondName: string): readonly [Box, Box] {
  let [first, second]: (Box | undefined)[] = [];
  for (const [row, name] of classNamesOf(detections).entries()) {
    if (name === firstName) first = boxAt(detections, row);
    else if (name === secondName) second = boxAt(detections, row);
    if (first !== undefined && second !== undefined) return [first, second];
  }
  throw inputError(`"${first === undefined ? firstName : secondName}" is not among the detections.`);
}

function pixelsPerCentimetre(inputs: BlockInputs, detections: Detections): number {
  if (inputs.calibration_method !== "reference object") {
    const ratio = numberOf(inputs, "pixel_ratio");
    if (ratio > 0) return ratio;
    throw inputError(`"pixel_ratio" must be above 0: so many pixels are a centimetre.`);
  }
  const name = textOf(inputs, "reference_object_class_name");
  const row = classNamesOf(detections).indexOf(name);
  if (row < 0) throw inputError(`The reference object "${name}" is not among the detections.`);
  const [width, height] = [numberOf(inputs, "reference_width"), numberOf(inputs, "reference_height")];
  if (width <= 0 || height <= 0) throw inputError("The reference object must be wider and higher than 0.");
  const [left, top, right, bottom] = boxAt(detections, row);
  return ((right - left) / width + (bottom - top) / height) / 2;
}

function boxAt({ xyxy }: Detections, row: number): Box {
  return Array.from(xyxy.subarray(4 * row, 4 * row + 4), roundHalfEven) as unknown as Box;
}
