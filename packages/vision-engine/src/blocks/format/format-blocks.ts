import type { Block } from "../block.ts";
import { csvFormatter } from "./csv-formatter.ts";
import { jsonParser } from "./json-parser.ts";
import { stitchOcrDetectionsV1, stitchOcrDetectionsV2 } from "./stitch-ocr-detections.ts";
import { currentTime, stringTemplate } from "./string-template.ts";
import { vlmAsClassifierV1, vlmAsClassifierV2 } from "./vlm-as-classifier.ts";
import { vlmAsDetectorV1, vlmAsDetectorV2 } from "./vlm-as-detector.ts";

export const FORMAT_BLOCKS: readonly Block[] = [
  stringTemplate,
  jsonParser,
  csvFormatter,
  currentTime,
  vlmAsClassifierV1,
  vlmAsClassifierV2,
  vlmAsDetectorV1,
  vlmAsDetectorV2,
  stitchOcrDetectionsV1,
  stitchOcrDetectionsV2,
];
