import type { Block } from "../block.ts";
import { autoRotateOnEdges } from "./auto-rotate-on-edges.ts";
import { cameraFocusV1 } from "./camera-focus-v1.ts";
import { cameraFocusV2 } from "./camera-focus-v2.ts";
import { contoursDetection } from "./contours-detection.ts";
import { contrastEnhancement, contrastEqualization } from "./contrast.ts";
import { convertGrayscale } from "./convert-grayscale.ts";
import { dominantColor } from "./dominant-color.ts";
import { imageBlur } from "./image-blur.ts";
import { imagePreprocessing } from "./image-preprocessing.ts";
import { morphologicalTransformationV1, morphologicalTransformationV2 } from "./morphological-transformation.ts";
import { backgroundSubtraction, motionDetection } from "./motion.ts";
import { pixelColorCount } from "./pixel-color-count.ts";
import { templateMatching } from "./template-matching.ts";
import { threshold } from "./threshold.ts";

/** Classical vision. */
export const SEE_BLOCKS: readonly Block[] = [
  cameraFocusV1,
  cameraFocusV2,
  convertGrayscale,
  contrastEqualization,
  contrastEnhancement,
  dominantColor,
  imageBlur,
  contoursDetection,
  autoRotateOnEdges,
  imagePreprocessing,
  threshold,
  motionDetection,
  backgroundSubtraction,
  morphologicalTransformationV1,
  morphologicalTransformationV2,
  pixelColorCount,
  templateMatching,
];
