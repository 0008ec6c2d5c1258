const SIZES = ["n", "s", "m", "l", "x"] as const;

/** Names that carry one of these letters, and the numbers they stand for, in the same order. */
interface Series {
  readonly names: readonly string[];
  readonly letters: readonly string[];
  readonly project: string;
  readonly versions: readonly number[];
}

/** `*` stands for the letter. */
const SERIES: readonly Series[] = [
  { names: ["yolov8*-640"], letters: SIZES, project: "coco", versions: [3, 6, 8, 7, 5] },
  { names: ["yolov8*-1280"], letters: SIZES, project: "coco", versions: [9, 10, 11, 12, 13] },
  { names: ["yolo-nas-*-640"], letters: ["s", "m", "l"], project: "coco", versions: [14, 15, 16] },
  {
    names: ["yolov10*-640"],
    letters: ["n", "s", "m", "b", "l", "x"],
    project: "coco",
    versions: [19, 20, 21, 22, 23, 24],
  },
  { names: ["yolov11*-640", "yolo11*-640"], letters: SIZES, project: "coco", versions: [25, 26, 27, 28, 29] },
  { names: ["yolov11*-1280", "yolo11*-1280"], letters: SIZES, project: "coco", versions: [30, 31, 32, 33, 34] },
  { names: ["yolov26*-640", "yolo26*-640"], letters: SIZES, project: "coco", versions: [41, 42, 43, 44, 45] },
  {
    names: ["rfdetr-*"],
    letters: ["base", "nano", "small", "medium", "large", "xlarge", "2xlarge"],
    project: "coco",
    versions: [36, 38, 39, 40, 50, 47, 48],
  },
  { names: ["yolov8*-seg-640"], letters: SIZES, project: "coco-dataset-vdnr1", versions: [2, 4, 5, 6, 3] },
  { names: ["yolov8*-seg-1280"], letters: SIZES, project: "coco-dataset-vdnr1", versions: [7, 8, 9, 10, 11] },
  {
    names: ["yolov11*-seg-640", "yolo11*-seg-640"],
    letters: SIZES,
    project: "coco-dataset-vdnr1",
    versions: [19, 20, 21, 22, 23],
  },
  {
    names: ["yolov26*-seg-640", "yolo26*-seg-640"],
    letters: SIZES,
    project: "coco-dataset-vdnr1",
    versions: [27, 28, 29, 31, 34],
  },
  {
    names: ["rfdetr-seg-*"],
    letters: ["preview", "nano", "small", "medium", "large", "xlarge", "2xlarge"],
    project: "coco-dataset-vdnr1",
    versions: [26, 41, 36, 37, 38, 39, 40],
  },
  { names: ["yolov8*-pose-640"], letters: SIZES, project: "coco-pose-detection", versions: [1, 2, 3, 4, 5] },
  { names: ["yolov8*-pose-1280"], letters: ["x"], project: "coco-pose-detection", versions: [6] },
  {
    names: ["yolov26*-pose-640", "yolo26*-pose-640"],
    letters: SIZES,
    project: "coco-pose-detection",
    versions: [12, 13, 14, 15, 16],
  },
  { names: ["resnet*"], letters: ["18", "34", "50", "101"], project: "classifiers", versions: [1, 2, 3, 4] },
  { names: ["*"], letters: ["qwen25-vl-7b", "qwen3vl-2b-instruct"], project: "qwen-pretrains", versions: [1, 2] },
  { names: ["florence-2-*"], letters: ["base", "large"], project: "florence-pretrains", versions: [3, 4] },
  { names: ["paligemma-3b-mix-*"], letters: ["224", "448"], project: "paligemma-pretrains", versions: [1, 20] },
  {
    names: ["paligemma-3b-ft-*-224"],
    letters: ["cococap", "screen2words", "vqav2", "tallyqa", "docvqa", "ocrvqa"],
    project: "paligemma-pretrains",
    versions: [8, 9, 10, 11, 12, 13],
  },
  {
    names: ["paligemma-3b-ft-*-448"],
    letters: ["cococap", "screen2words", "vqav2", "tallyqa", "docvqa", "ocrvqa"],
    project: "paligemma-pretrains",
    versions: [14, 15, 16, 17, 18, 19],
  },
];

/** Alias → the id under which servers keep the model. */
export const MODEL_ALIASES: ReadonlyMap<string, string> = new Map([
  ...SERIES.flatMap(({ names, letters, project, versions }) =>
    names.flatMap((name) =>
      letters.map((letter, at): [string, string] => [name.replace("*", letter), `${project}/${versions[at]}`]),
    ),
  ),
  ...["yolo26", "yolov26"].flatMap((family) =>
    SIZES.flatMap((size): [string, string][] => [
      [`${family}${size}-sem-1024`, `yolo26-pretrains/yolo26${size}-sem`],
      [`${family}${size}-depth-768`, `yolo26-pretrains/yolo26${size}-depth`],
    ]),
  ),
  ["rfdetr-keypoint-preview", "microsoft/coco-pose-detection-17-rfdetr-keypoint-preview-t1"],
]);
