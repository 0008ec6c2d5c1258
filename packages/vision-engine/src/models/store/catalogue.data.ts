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

const SIZES = ["n", "s", "m", "l", "x"];

/** Names of Roboflow's models, first to last, and the numbers they stand for. */
function named(
  names: readonly string[],
  project: string,
  versions: readonly number[],
): readonly (readonly [string, string])[] {
  return names.map((name, at) => [name, `${project}/${versions[at]}`]);
}

function sized(prefix: string, suffix: string, sizes: readonly string[] = SIZES): readonly string[] {
  return sizes.map((size) => `${prefix}${size}${suffix}`);
}

/** 11 and 26 are written with and without the v. */
const GENERATIONS = { eleven: ["yolov11", "yolo11"], twentySix: ["yolov26", "yolo26"] };

/** Detectors of the COCO classes as Roboflow names them: alias, id. */
export const COCO_DETECTORS: ReadonlyMap<string, string> = new Map([
  ...named(sized("yolov8", "-640"), "coco", [3, 6, 8, 7, 5]),
  ...named(sized("yolov8", "-1280"), "coco", [9, 10, 11, 12, 13]),
  ...named(sized("yolo-nas-", "-640", ["s", "m", "l"]), "coco", [14, 15, 16]),
  ...named(sized("yolov10", "-640", ["n", "s", "m", "b", "l", "x"]), "coco", [19, 20, 21, 22, 23, 24]),
  ...GENERATIONS.eleven.flatMap((name) => named(sized(name, "-640"), "coco", [25, 26, 27, 28, 29])),
  ...GENERATIONS.eleven.flatMap((name) => named(sized(name, "-1280"), "coco", [30, 31, 32, 33, 34])),
  ...GENERATIONS.twentySix.flatMap((name) => named(sized(name, "-640"), "coco", [41, 42, 43, 44, 45])),
  ...named(
    ["rfdetr-base", "rfdetr-nano", "rfdetr-small", "rfdetr-medium", "rfdetr-large", "rfdetr-xlarge", "rfdetr-2xlarge"],
    "coco",
    [36, 38, 39, 40, 50, 47, 48],
  ),
]);

const MASKS = "coco-dataset-vdnr1";
const POSES = "coco-pose-detection";

/** Other models as Roboflow names them: alias, id. */
export const OTHER_ALIASES: ReadonlyMap<string, string> = new Map([
  ...named(sized("yolov8", "-seg-640"), MASKS, [2, 4, 5, 6, 3]),
  ...named(sized("yolov8", "-seg-1280"), MASKS, [7, 8, 9, 10, 11]),
  ...GENERATIONS.eleven.flatMap((name) => named(sized(name, "-seg-640"), MASKS, [19, 20, 21, 22, 23])),
  ...GENERATIONS.twentySix.flatMap((name) => named(sized(name, "-seg-640"), MASKS, [27, 28, 29, 31, 34])),
  ...named(
    ["preview", "nano", "small", "medium", "large", "xlarge", "2xlarge"].map((size) => `rfdetr-seg-${size}`),
    MASKS,
    [26, 41, 36, 37, 38, 39, 40],
  ),
  ...named(sized("yolov8", "-pose-640"), POSES, [1, 2, 3, 4, 5]),
  ...named(["yolov8x-pose-1280"], POSES, [6]),
  ...GENERATIONS.twentySix.flatMap((name) => named(sized(name, "-pose-640"), POSES, [12, 13, 14, 15, 16])),
  ["rfdetr-keypoint-preview", "microsoft/coco-pose-detection-17-rfdetr-keypoint-preview-t1"] as const,
  ...named(["resnet18", "resnet34", "resnet50", "resnet101"], "classifiers", [1, 2, 3, 4]),
]);
