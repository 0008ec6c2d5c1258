// picture → outlines of what is not black
import type { SKRSContext2D } from "@napi-rs/canvas";
import { maskFromBits } from "../../frames/mask.ts";
import { type Contour, contoursOf } from "../../geometry/contours.ts";
import type { Block } from "../block.ts";
import { imageOf, numberOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { greyOf, withPlanes } from "./image-planes.ts";

const COLOR = "rgb(255, 0, 255)";

export const contoursDetection: Block = {
  manifest: manifestOf("roboflow_core/contours_detection@v1"),
  description: "Finds and draws the outer outlines of all areas that are not black.",
  stateless: true,
  phrase: () => "outlines what is not black",
  create: () => ({
    run(inputs) {
      const image = imageOf(inputs, "image");
      const grey = greyOf(image);
      const contours = contoursOf(maskFromBits(grey.data, grey.width, grey.height));
      const thickness = numberOf(inputs, "line_thickness");
      return {
        image: withPlanes(image, [grey, grey, grey]).withDrawing((context) => draw(context, contours, thickness)),
        // Each point is wrapped once more, and the hierarchy names the next and the previous outline, as in OpenCV.
        contours: contours.map((contour) => contour.map((point) => [point])),
        hierarchy: contours.length === 0 ? null : [contours.map((_, at) => neighboursOf(at, contours.length))],
        number_contours: contours.length,
      };
    },
  }),
};

/** Next, previous, first child and parent; −1 for none. */
function neighboursOf(at: number, count: number): readonly number[] {
  return [at + 1 < count ? at + 1 : -1, at - 1, -1, -1];
}

/** A negative thickness fills. */
function draw(context: SKRSContext2D, contours: readonly Contour[], thickness: number): void {
  context.translate(0.5, 0.5);
  context.beginPath();
  for (const contour of contours) {
    for (const [x, y] of contour) context.lineTo(x, y);
    context.closePath();
    const [next] = contour;
    if (next !== undefined) context.moveTo(next[0], next[1]);
  }
  context.fillStyle = COLOR;
  context.strokeStyle = COLOR;
  context.lineWidth = Math.max(1, thickness);
  context.lineJoin = "round";
  context.lineCap = "round";
  if (thickness < 0) context.fill();
  context.stroke();
}
