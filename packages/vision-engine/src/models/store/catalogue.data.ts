import { COCO_CLASSES } from "../coco-classes.data.ts";
import type { ModelDescription } from "../model-description.ts";
import type { WeightsPackage } from "./npm-tarball.ts";
import { MINILM, NANODET, PP_OCR, SSDLITE, YOLOX_NANO } from "./weights-packages.data.ts";

/** What the engine can run by itself, once its weights are there. */
export type BuiltIn = "default-detector" | "text-embedding" | "ocr";

/** A model that can be had without a key. */
export interface CatalogueEntry {
  readonly id: string;
  /** Other names for it. */
  readonly aliases: readonly string[];
  /** What it is, in one sentence. */
  readonly summary: string;
  /** What it needs; their sizes and licences are theirs. */
  readonly packages: readonly WeightsPackage[];
  /** Code of ours runs it, or the description says how. */
  readonly runs: { readonly builtIn: BuiltIn } | { readonly description: ModelDescription };
}

/** Stands in for detectors of the COCO classes that cannot be had. */
export const DEFAULT_DETECTOR_ID = "vision-agent/default";

export const CATALOGUE: readonly CatalogueEntry[] = [
  {
    id: DEFAULT_DETECTOR_ID,
    aliases: ["default"],
    summary: "The embedded detector: the 80 classes of COCO, SSDLite and NanoDet-m together.",
    packages: [SSDLITE, NANODET],
    runs: { builtIn: "default-detector" },
  },
  {
    id: "vision-agent/default-lite",
    aliases: ["default-lite"],
    summary: "The embedded detector at half the work: SSDLite alone, worse on small things.",
    packages: [SSDLITE],
    runs: { builtIn: "default-detector" },
  },
  {
    id: "vision-agent/text-embedding",
    aliases: ["all-MiniLM-L6-v2"],
    summary: "English sentences as 384 numbers that can be compared.",
    packages: [MINILM],
    runs: { builtIn: "text-embedding" },
  },
  {
    id: "vision-agent/ocr",
    aliases: ["pp-ocr-v4"],
    summary: "Reads lines of Chinese and English text.",
    packages: [PP_OCR],
    runs: { builtIn: "ocr" },
  },
  {
    id: "yolox-nano",
    aliases: ["yolox-nano-416"],
    summary: "YOLOX-nano: the 80 classes of COCO at 416 pixels.",
    packages: [YOLOX_NANO],
    runs: {
      description: {
        id: "yolox-nano",
        task: "object-detection",
        architecture: "yolox",
        classNames: COCO_CLASSES,
        input: { width: 416, height: 416, resize: "letterbox-corner", padding: 114, colors: "bgr", scale: 1 },
        licence: "Apache-2.0",
      },
    },
  },
];
