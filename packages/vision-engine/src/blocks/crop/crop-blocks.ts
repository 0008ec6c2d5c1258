import type { Block } from "../block.ts";
import { cameraCalibration } from "./camera-calibration.ts";
import { absoluteStaticCrop, dynamicCrop, imageSlicerV1, imageSlicerV2, relativeStaticCrop } from "./crops.ts";
import { dynamicZone } from "./dynamic-zone.ts";
import { perspectiveCorrection } from "./perspective-correction.ts";
import { qrCodeGenerator } from "./qr-code-generator.ts";

export const CROP_BLOCKS: readonly Block[] = [
  dynamicCrop,
  absoluteStaticCrop,
  relativeStaticCrop,
  imageSlicerV1,
  imageSlicerV2,
  perspectiveCorrection,
  dynamicZone,
  cameraCalibration,
  qrCodeGenerator,
];
