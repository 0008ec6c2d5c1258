import { dominantColor as findDominantColor } from "../../pixels/dominant-color.ts";
import type { Block } from "../block.ts";
import { imageOf, numberOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { colorPlanesOf } from "./image-planes.ts";

export const dominantColor: Block = {
  manifest: manifestOf("roboflow_core/dominant_color@v1"),
  description: "Finds the commonest colour of a picture.",
  stateless: true,
  phrase: () => "finds the commonest colour",
  create: ({ random }) => ({
    run: (inputs) => ({
      rgb_color: findDominantColor(colorPlanesOf(imageOf(inputs, "image")), {
        clusters: numberOf(inputs, "color_clusters"),
        maxIterations: numberOf(inputs, "max_iterations"),
        targetSize: numberOf(inputs, "target_size"),
        random,
      }),
    }),
  }),
};
