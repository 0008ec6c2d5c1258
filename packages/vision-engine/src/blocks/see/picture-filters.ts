// picture → the same picture, treated

import { inputError } from "../../errors.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { averageBlur, bilateralBlur, gaussianBlur, medianBlur } from "../../pixels/blur.ts";
import {
  enhanceContrast,
  equalizeAdaptive,
  equalizeAdaptiveColor,
  equalizeHistogram,
  stretchContrast,
} from "../../pixels/contrast.ts";
import { type ColorPlanes, joinColors, type Plane, splitColors, takeChannel, toGrey } from "../../pixels/plane.ts";
import {
  adaptiveThreshold,
  applyThreshold,
  isThresholdKind,
  type MorphologyOperation,
  morph,
  otsuThreshold,
  rectangleElement,
} from "../../pixels/threshold.ts";
import { flip, resizeArea, turnOf, warpAffine } from "../../pixels/transforms.ts";
import {
  type Block,
  type BlockDefinition,
  type BlockInputs,
  block,
  imageOf,
  numberOf,
  numberOr,
  textOf,
} from "../block.ts";

interface PictureFilter extends BlockDefinition {
  readonly apply: (image: ImageValue, inputs: BlockInputs) => ImageValue;
}

/** A block that makes one picture of another and remembers nothing. */
function pictureFilterBlock({ apply, ...text }: PictureFilter): Block {
  return block({ ...text, run: (inputs) => ({ image: apply(imageOf(inputs, "image"), inputs) }) });
}

/** One plane of a grey picture, three of a coloured one. */
export function planesOf(image: ImageValue): readonly Plane[] {
  return image.channels === 1 ? [takeChannel(image.rgba, image, 0)] : colorPlanesOf(image);
}

/** Three planes, equal ones for a grey picture. */
export function colorPlanesOf(image: ImageValue): ColorPlanes {
  return splitColors(image.rgba, image.width, image.height);
}

export function greyOf(image: ImageValue): Plane {
  return image.channels === 1 ? takeChannel(image.rgba, image, 0) : toGrey(image.rgba, image.width, image.height);
}

/** The same place and time with these pixels: grey from one plane, coloured from three. */
export function withPlanes(image: ImageValue, planes: readonly Plane[]): ImageValue {
  const [red, green = red, blue = red] = planes as [Plane, Plane?, Plane?];
  const rgba = joinColors([red, green, blue]);
  return image.withPixels({ width: red.width, height: red.height, rgba, channels: planes.length === 1 ? 1 : 3 });
}

/** The same place and time with each plane changed for itself. */
function mapPlanes(image: ImageValue, change: (plane: Plane) => Plane): ImageValue {
  return withPlanes(image, planesOf(image).map(change));
}

/** Grey of a coloured picture. Throws for one that is grey already, as OpenCV's conversion does. */
export function greyOfColor(image: ImageValue): Plane {
  if (image.channels === 1) throw pictureError("This block needs a coloured picture and was given a grey one.");
  return greyOf(image);
}

/** A picture that OpenCV refuses. */
export function pictureError(message: string): Error {
  return inputError(message, "error");
}

/** Largest share of one bin in a tile of the adaptive equalisation. */
const ADAPTIVE_CLIP = 0.03;
/** Exponent that brightens the middle tones. */
const BRIGHTENING = 1 / 1.3;

export const contrastEqualization = pictureFilterBlock({
  type: "roboflow_core/contrast_equalization@v1",
  description: "Evens out the contrast of a picture: stretching, histogram or adaptive equalisation.",
  phrase: "evens out the contrast",
  apply: (image, inputs) => withPlanes(image, equalized(image, textOf(inputs, "equalization_type"))),
});

function equalized(image: ImageValue, kind: string): readonly Plane[] {
  switch (kind) {
    case "Contrast Stretching":
      return stretchContrast(planesOf(image));
    case "Histogram Equalization":
      return equalizeHistogram(planesOf(image));
    case "Adaptive Equalization":
      return image.channels === 1
        ? planesOf(image).map((plane) => equalizeAdaptive(plane, ADAPTIVE_CLIP))
        : equalizeAdaptiveColor(colorPlanesOf(image), ADAPTIVE_CLIP);
    default:
      throw inputError(`contrast equalization type \`${kind}\` not implemented!`);
  }
}

export const contrastEnhancement = pictureFilterBlock({
  type: "roboflow_core/contrast_enhancement@v1",
  description:
    "Spreads the levels of each colour over the whole range, strengthens the contrast and brightens middle tones.",
  phrase: "enhances the contrast",
  apply: (image, inputs) => {
    const options = {
      clipPercent: numberOf(inputs, "clip_limit"),
      multiplier: numberOf(inputs, "contrast_multiplier"),
      gamma: inputs.normalize_brightness === true ? BRIGHTENING : 1,
    };
    return mapPlanes(image, (plane) => enhanceContrast(plane, options));
  },
});

export const convertGrayscale = pictureFilterBlock({
  type: "roboflow_core/convert_grayscale@v1",
  description: "Turns a coloured picture into a grey one.",
  phrase: "turns the picture grey",
  apply: (image) => withPlanes(image, [greyOfColor(image)]),
});

export const imageBlur = pictureFilterBlock({
  type: "roboflow_core/image_blur@v1",
  description: "Blurs a picture: average, gaussian, median or bilateral (which keeps edges).",
  phrase: "blurs the picture",
  apply: (image, inputs) =>
    withPlanes(image, blur(planesOf(image), textOf(inputs, "blur_type"), numberOf(inputs, "kernel_size"))),
});

function blur(planes: readonly Plane[], kind: string, size: number): readonly Plane[] {
  switch (kind) {
    case "average":
      if (size < 1) throw pictureError(`"kernel_size" must be 1 or more for an average, not ${size}.`);
      return planes.map((plane) => averageBlur(plane, size));
    case "gaussian":
      return planes.map((plane) => gaussianBlur(plane, toOdd(size)));
    case "median":
      return planes.map((plane) => medianBlur(plane, toOdd(size)));
    case "bilateral":
      return bilateralBlur(planes, { diameter: size, colorSigma: 75, spaceSigma: 75 });
    default:
      throw inputError(`Unknown blur type: ${kind}. Take average, gaussian, median or bilateral.`);
  }
}

function toOdd(size: number): number {
  const whole = Math.max(1, Math.trunc(size));
  return whole % 2 === 0 ? whole + 1 : whole;
}

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
  return mapPlanes(image, (plane) => resizeArea(plane, toWidth, toHeight));
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
  return turned(image, degrees);
}

/** About its middle, counterclockwise. */
export function turned(image: ImageValue, degrees: number): ImageValue {
  const turn = turnOf(image.width, image.height, degrees);
  return mapPlanes(image, (plane) => warpAffine(plane, turn));
}

function flipped(image: ImageValue, inputs: BlockInputs): ImageValue {
  if ((inputs.flip_type ?? null) === null) return image;
  const directions = FLIPS[textOf(inputs, "flip_type")];
  if (directions === undefined) throw inputError("Flip type must be 'vertical', 'horizontal', or 'both'");
  return mapPlanes(image, (plane) => flip(plane, directions));
}

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

export const threshold = pictureFilterBlock({
  type: "roboflow_core/threshold@v1",
  description:
    "Parts the dark from the light pixels of a picture, by a fixed, a local or an automatic (Otsu) threshold.",
  phrase: "parts dark from light",
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
