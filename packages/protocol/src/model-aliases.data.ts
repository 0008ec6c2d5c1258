const SIZES = ["n", "s", "m", "l", "x"] as const;
const RFDETR_SIZES = ["nano", "small", "medium", "large", "xlarge", "2xlarge"] as const;
const PALIGEMMA_TUNINGS = ["cococap", "screen2words", "vqav2", "tallyqa", "docvqa", "ocrvqa"] as const;
const MASKS = "coco-dataset-vdnr1";
const POSES = "coco-pose-detection";

/** A name whose `*` stands for one of these words, and the versions they stand for, in the same order. */
type Series = readonly [name: string, words: readonly string[], project: string, versions: readonly number[]];

const SERIES: readonly Series[] = [
  ["yolov8*-640", SIZES, "coco", [3, 6, 8, 7, 5]],
  ["yolov8*-1280", SIZES, "coco", [9, 10, 11, 12, 13]],
  ["yolo-nas-*-640", ["s", "m", "l"], "coco", [14, 15, 16]],
  ["yolov10*-640", ["n", "s", "m", "b", "l", "x"], "coco", [19, 20, 21, 22, 23, 24]],
  ["yolov11*-640", SIZES, "coco", [25, 26, 27, 28, 29]],
  ["yolov11*-1280", SIZES, "coco", [30, 31, 32, 33, 34]],
  ["yolov26*-640", SIZES, "coco", [41, 42, 43, 44, 45]],
  ["rfdetr-*", ["base", ...RFDETR_SIZES], "coco", [36, 38, 39, 40, 50, 47, 48]],
  ["yolov8*-seg-640", SIZES, MASKS, [2, 4, 5, 6, 3]],
  ["yolov8*-seg-1280", SIZES, MASKS, [7, 8, 9, 10, 11]],
  ["yolov11*-seg-640", SIZES, MASKS, [19, 20, 21, 22, 23]],
  ["yolov26*-seg-640", SIZES, MASKS, [27, 28, 29, 31, 34]],
  ["rfdetr-seg-*", ["preview", ...RFDETR_SIZES], MASKS, [26, 41, 36, 37, 38, 39, 40]],
  ["yolov8*-pose-640", SIZES, POSES, [1, 2, 3, 4, 5]],
  ["yolov8*-pose-1280", ["x"], POSES, [6]],
  ["yolov26*-pose-640", SIZES, POSES, [12, 13, 14, 15, 16]],
  ["resnet*", ["18", "34", "50", "101"], "classifiers", [1, 2, 3, 4]],
  ["*", ["qwen25-vl-7b", "qwen3vl-2b-instruct"], "qwen-pretrains", [1, 2]],
  ["florence-2-*", ["base", "large"], "florence-pretrains", [3, 4]],
  ["paligemma-3b-mix-*", ["224", "448"], "paligemma-pretrains", [1, 20]],
  ["paligemma-3b-ft-*-224", PALIGEMMA_TUNINGS, "paligemma-pretrains", [8, 9, 10, 11, 12, 13]],
  ["paligemma-3b-ft-*-448", PALIGEMMA_TUNINGS, "paligemma-pretrains", [14, 15, 16, 17, 18, 19]],
];

/** 11 and 26 are written with and without the v. */
function spellings(name: string): readonly string[] {
  return /^yolov(?:11|26)/.test(name) ? [name, name.replace("yolov", "yolo")] : [name];
}

/** Names of Roboflow's models → the ids under which servers keep them. */
export const MODEL_ALIASES: ReadonlyMap<string, string> = new Map([
  ...SERIES.flatMap(([name, words, project, versions]) =>
    words.flatMap((word, at) =>
      spellings(name.replace("*", word)).map((alias): [string, string] => [alias, `${project}/${versions[at]}`]),
    ),
  ),
  ...SIZES.flatMap((size) =>
    ["sem-1024", "depth-768"].flatMap((task) =>
      spellings(`yolov26${size}-${task}`).map((alias): [string, string] => {
        return [alias, `yolo26-pretrains/yolo26${size}-${task.split("-")[0]}`];
      }),
    ),
  ),
  ["rfdetr-keypoint-preview", "microsoft/coco-pose-detection-17-rfdetr-keypoint-preview-t1"],
]);
