import { inputError } from "../../errors.ts";
import { type MorphologyOperation, morph, rectangleElement } from "../../pixels/morphology.ts";
import type { Plane } from "../../pixels/plane.ts";
import type { BlockInputs } from "../block.ts";
import { numberOf, textOf } from "../block-inputs.ts";
import { colorPlanesOf, greyOfColor, pictureError, withPlanes } from "./image-planes.ts";
import { pictureFilterBlock } from "./picture-filter.ts";

const OPERATIONS: Readonly<Record<string, readonly MorphologyOperation[]>> = {
  Erosion: ["erode"],
  Dilation: ["dilate"],
  Opening: ["open"],
  Closing: ["close"],
  Gradient: ["gradient"],
  "Top Hat": ["top_hat"],
  "Black Hat": ["black_hat"],
};
const OPERATIONS_V2 = { ...OPERATIONS, "Opening then Closing": ["open", "close"] } as const;

export const morphologicalTransformationV1 = pictureFilterBlock({
  type: "roboflow_core/morphological_transformation@v1",
  description: "Erodes, dilates, opens or closes the light areas of a picture, in grey.",
  phrase: (step) => `applies ${String(step.properties.operation ?? "Closing").toLowerCase()} to the picture`,
  apply: (image, inputs) => withPlanes(image, transformed([greyOfColor(image)], inputs, OPERATIONS)),
});

export const morphologicalTransformationV2 = pictureFilterBlock({
  type: "roboflow_core/morphological_transformation@v2",
  description: "Erodes, dilates, opens or closes the light areas of a picture, in each colour.",
  phrase: (step) => `applies ${String(step.properties.operation ?? "opening").toLowerCase()} to the picture`,
  apply: (image, inputs) => withPlanes(image, transformed(colorPlanesOf(image), inputs, OPERATIONS_V2)),
});

function transformed(
  planes: readonly Plane[],
  inputs: BlockInputs,
  operations: Readonly<Record<string, readonly MorphologyOperation[]>>,
): readonly Plane[] {
  const name = textOf(inputs, "operation");
  const size = numberOf(inputs, "kernel_size");
  if (!Object.hasOwn(operations, name)) {
    const known = Object.keys(operations).map((operation) => `'${operation}'`);
    throw inputError(`Invalid operation: ${name}. Supported operations are ${known.join(", ")}.`);
  }
  if (size < 1) throw pictureError(`"kernel_size" must be 1 or more, not ${size}.`);
  const element = rectangleElement(size);
  return planes.map((plane) =>
    operations[name]!.reduce((result, operation) => morph(result, operation, element), plane),
  );
}
