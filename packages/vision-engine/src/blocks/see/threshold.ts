import { inputError } from "../../errors.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import type { Plane } from "../../pixels/plane.ts";
import { adaptiveThreshold, applyThreshold, isThresholdKind, otsuThreshold } from "../../pixels/threshold.ts";
import type { BlockInputs } from "../block.ts";
import { numberOf, textOf } from "../block-inputs.ts";
import { pictureError, planesOf, withPlanes } from "./image-planes.ts";
import { pictureFilterBlock } from "./picture-filter.ts";

export const threshold = pictureFilterBlock({
  type: "roboflow_core/threshold@v1",
  description:
    "Parts the dark from the light pixels of a picture, by a fixed, a local or an automatic (Otsu) threshold.",
  phrase: () => "parts dark from light",
  apply: (image, inputs) => withPlanes(image, thresholded(image, inputs)),
});

function thresholded(image: ImageValue, inputs: BlockInputs): readonly Plane[] {
  const kind = textOf(inputs, "threshold_type");
  const max = numberOf(inputs, "max_value");
  if (isThresholdKind(kind)) {
    const options = { kind, threshold: numberOf(inputs, "thresh_value"), max };
    return planesOf(image).map((plane) => applyThreshold(plane, options));
  }
  switch (kind) {
    case "adaptive_mean":
      return [adaptiveThreshold(greyPlaneOf(image, kind), { mean: "average", max, size: 11, offset: 2 })];
    case "adaptive_gaussian":
      return [adaptiveThreshold(greyPlaneOf(image, kind), { mean: "gaussian", max, size: 11, offset: 2 })];
    case "otsu": {
      const grey = greyPlaneOf(image, kind);
      return [applyThreshold(grey, { kind: "binary", threshold: otsuThreshold(grey), max })];
    }
    default:
      throw inputError(`Unknown threshold type: ${kind}.`);
  }
}

function greyPlaneOf(image: ImageValue, kind: string): Plane {
  const [grey, ...others] = planesOf(image);
  if (others.length > 0)
    throw pictureError(`The threshold "${kind}" needs a grey picture: put convert_grayscale before.`);
  return grey!;
}
