import { registerFont } from "../../frames/font.ts";
import { brennerSharpness } from "../../pixels/sharpness.ts";
import type { Block } from "../block.ts";
import { imageOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { greyOf, withPlanes } from "./image-planes.ts";

export const cameraFocusV1: Block = {
  manifest: manifestOf("roboflow_core/camera_focus@v1"),
  description: "Measures how sharp a picture is (Brenner) and shows where.",
  stateless: true,
  phrase: () => "measures the focus",
  create: () => ({
    run(inputs) {
      const image = imageOf(inputs, "image");
      const { measure, map } = brennerSharpness(greyOf(image));
      const drawn = withPlanes(image, [map]).withDrawing((context) => {
        context.font = `30px "${registerFont("Vision Sans")}"`;
        context.fillStyle = "white";
        context.fillText(`Focus value: ${measure.toFixed(2)}`, 10, 30);
      });
      return { image: drawn.withChannels(1), focus_measure: measure };
    },
  }),
};
