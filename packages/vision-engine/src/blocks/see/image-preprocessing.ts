import { inputError } from "../../errors.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { flip } from "../../pixels/flip.ts";
import { resizeArea } from "../../pixels/resize-area.ts";
import { turnOf, warpAffine } from "../../pixels/warp-affine.ts";
import type { BlockInputs } from "../block.ts";
import { numberOr, textOf } from "../block-inputs.ts";
import { pictureError, planesOf, withPlanes } from "./image-planes.ts";
import { pictureFilterBlock } from "./picture-filter.ts";

const FLIPS: Readonly<Record<string, { readonly vertical: boolean; readonly horizontal: boolean }>> = {
  vertical: { vertical: true, horizontal: false },
  horizontal: { vertical: false, horizontal: true },
  both: { vertical: true, horizontal: true },
};

export const imagePreprocessing = pictureFilterBlock({
  type: "roboflow_core/image_preprocessing@v1",
  description: "Resizes, turns or flips a picture.",
  phrase: ({ properties }) =>
    `${{ resize: "resizes", rotate: "turns" }[String(properties.task_type)] ?? "flips"} the picture`,
  apply: (image, inputs) => {
    const task = textOf(inputs, "task_type");
    if (task === "resize") return resized(image, inputs);
    if (task === "rotate") return rotated(image, inputs);
    if (task === "flip") return flipped(image, inputs);
    throw inputError(`Invalid task type: ${task}`);
  },
});

/** A side that is not given follows from the other. */
function resized(image: ImageValue, inputs: BlockInputs): ImageValue {
  const width = sideOf(inputs, "width");
  const height = sideOf(inputs, "height");
  if (width === undefined && height === undefined) return image;
  const toWidth = width ?? Math.trunc(image.width * (height! / image.height));
  const toHeight = height ?? Math.trunc(image.height * (width! / image.width));
  if (toWidth < 1 || toHeight < 1) throw pictureError(`A picture of ${toWidth}×${toHeight} pixels cannot be made.`);
  return withPlanes(
    image,
    planesOf(image).map((plane) => resizeArea(plane, toWidth, toHeight)),
  );
}

function sideOf(inputs: BlockInputs, property: "width" | "height"): number | undefined {
  const side = numberOr(inputs, property, Number.NaN);
  if (Number.isNaN(side)) return undefined;
  if (side <= 0) throw inputError(`${property === "width" ? "Width" : "Height"} must be greater than 0`);
  return side;
}

function rotated(image: ImageValue, inputs: BlockInputs): ImageValue {
  const degrees = numberOr(inputs, "rotation_degrees", 0);
  if (Math.abs(degrees) > 360) throw inputError("Rotation degrees must be between -360 and 360");
  if (degrees === 0) return image;
  const turn = turnOf(image.width, image.height, degrees);
  return withPlanes(
    image,
    planesOf(image).map((plane) => warpAffine(plane, turn)),
  );
}

function flipped(image: ImageValue, inputs: BlockInputs): ImageValue {
  if ((inputs.flip_type ?? null) === null) return image;
  const directions = FLIPS[textOf(inputs, "flip_type")];
  if (directions === undefined) throw inputError("Flip type must be 'vertical', 'horizontal', or 'both'");
  return withPlanes(
    image,
    planesOf(image).map((plane) => flip(plane, directions)),
  );
}
