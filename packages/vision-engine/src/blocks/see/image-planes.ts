// picture of a workflow ↔ planes that classical vision works on
import { inputError } from "../../errors.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { type ColorPlanes, joinColors, type Plane, splitColors, takeChannel, toGrey } from "../../pixels/plane.ts";

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

/** Grey of a coloured picture. Throws for one that is grey already, as OpenCV's conversion does. */
export function greyOfColor(image: ImageValue): Plane {
  if (image.channels === 1) throw pictureError("This block needs a coloured picture and was given a grey one.");
  return greyOf(image);
}

/** A picture that OpenCV refuses. */
export function pictureError(message: string): Error {
  return inputError(message, "error");
}
