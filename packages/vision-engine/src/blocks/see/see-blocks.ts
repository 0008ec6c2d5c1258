import type { Block } from "../block.ts";
import { cameraFocusV1, cameraFocusV2 } from "./camera-focus.ts";
import { dominantColor, pixelColorCount } from "./colors.ts";
import { backgroundSubtraction, motionDetection } from "./motion.ts";
import {
  contrastEnhancement,
  contrastEqualization,
  convertGrayscale,
  imageBlur,
  imagePreprocessing,
  morphologicalTransformationV1,
  morphologicalTransformationV2,
  threshold,
} from "./picture-filters.ts";
import { autoRotateOnEdges, contoursDetection, templateMatching } from "./shapes.ts";

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
