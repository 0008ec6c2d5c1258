// picture and boxes → picture with the boxes drawn
import type { Block, BlockOutputs } from "../block.ts";
import { detectionsOf, imageOf, numberOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { createPalette } from "./palette.ts";

export const boundingBoxVisualization: Block = {
  manifest: manifestOf("roboflow_core/bounding_box_visualization@v1"),
  description: "Draws a box around each detection.",
  phrase: () => "draws boxes",
  create: () => ({
    run(inputs): BlockOutputs {
      const detections = detectionsOf(inputs, "predictions");
      const colorOf = createPalette(inputs, detections);
      const thickness = numberOf(inputs, "thickness");
      const roundness = numberOf(inputs, "roundness");
      const image = imageOf(inputs, "image").withDrawing((context) => {
        context.lineWidth = thickness;
        for (let row = 0; row < detections.length; row++) {
          const [left, top, right, bottom] = Array.from(detections.xyxy.subarray(4 * row, 4 * row + 4), Math.trunc);
          const width = right! - left!;
          const height = bottom! - top!;
          const radius = Math.trunc(Math.min(width, height) / 2) * roundness;
          context.strokeStyle = colorOf(row);
          context.beginPath();
          // Half a pixel in: lines run through the middle of pixels.
          context.roundRect(left! + 0.5, top! + 0.5, width, height, radius);
          context.stroke();
        }
      });
      return { image };
    },
  }),
};
