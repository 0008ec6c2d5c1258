import type { Block } from "../block.ts";
import { cameraCalibration } from "./camera-calibration.ts";
import { dynamicCrop } from "./dynamic-crop.ts";
import { dynamicZone } from "./dynamic-zone.ts";
import { imageSlicerV1, imageSlicerV2 } from "./image-slicer.ts";
import { perspectiveCorrection } from "./perspective-correction.ts";
import { qrCodeGenerator } from "./qr-code-generator.ts";
import { absoluteStaticCrop, relativeStaticCrop } from "./static-crops.ts";

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
