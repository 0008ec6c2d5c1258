import { inputError } from "../../errors.ts";
import { averageBlur } from "../../pixels/average-blur.ts";
import { bilateralBlur } from "../../pixels/bilateral-blur.ts";
import { gaussianBlur } from "../../pixels/gaussian-blur.ts";
import { medianBlur } from "../../pixels/median-blur.ts";
import type { Plane } from "../../pixels/plane.ts";
import { numberOf, textOf } from "../block-inputs.ts";
import { pictureError, planesOf, withPlanes } from "./image-planes.ts";
import { pictureFilterBlock } from "./picture-filter.ts";

export const imageBlur = pictureFilterBlock({
  type: "roboflow_core/image_blur@v1",
  description: "Blurs a picture: average, gaussian, median or bilateral (which keeps edges).",
  phrase: () => "blurs the picture",
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
