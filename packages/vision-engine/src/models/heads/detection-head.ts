// outputs of a graph → boxes that stay, with what masks and keypoints are made from

import { modelError } from "../../errors.ts";
import type { Columns, ColumnValue } from "../../frames/detections.ts";
import type { PixelSize } from "../../frames/frame.ts";
import type { KeypointClass, ModelDescription } from "../model-description.ts";
import {
  type Matrix,
  readDetr,
  readFusedRows,
  readYoloColumns,
  readYoloRows,
  readYolox,
  yoloxCells,
} from "./box-heads.ts";
import {
  byScore,
  type Candidates,
  type SuppressionOptions,
  suppressLegacy,
  suppressOverlaps,
  type Threshold,
} from "./candidates.ts";
import { type GraphOutputs, gridsOf, matrixOf, unfit } from "./graph-outputs.ts";
import { type GridValues, mixPrototypes } from "./masks.ts";
import { type Placement, toPictureX, toPictureY } from "./placement.ts";

/** What was found, in pixels of the graph's input. */
export interface Found {
  readonly candidates: Candidates;
  /** Rows that stay, the best first. */
  readonly rows: readonly number[];
  readonly masks?: { readonly threshold: number; readonly valuesOf: (row: number) => GridValues };
  readonly readKeypoint?: KeypointOptions["read"];
}

interface HeadOptions extends SuppressionOptions {
  readonly threshold: Threshold;
  /** Size of the graph's input. */
  readonly network: PixelSize;
}

/** Reads what a graph gave out for one picture. Throws `EngineError` kind `model` when shapes do not fit. */
export type DetectionHead = (outputs: GraphOutputs, options: HeadOptions) => Found;

/** YOLO masks count from 0.5 on, after a sigmoid; those of RF-DETR from 0. */
const YOLO_MASK_THRESHOLD = 0.5;
const MASK_COEFFICIENTS = 32;

/** The way in which a description says that outputs are read. */
export function detectionHeadOf(description: ModelDescription): DetectionHead {
  const { architecture, fusedNms = false, decoded = false } = description;
  if (/^(rf-?detr|d-?fine|deim|rt-?detr)/.test(architecture)) return detrHead(description);
  if (/^yolox/.test(architecture) && !decoded) return yoloxHead(description);
  if (/^(yolov5|yolov7|yolox)/.test(architecture)) return rowsHead(description);
  // YOLOv10 and YOLO26 have no overlaps to suppress.
  if (fusedNms || /^yolov10/.test(architecture)) return fusedHead(description);
  if (/^yolo/.test(architecture)) return columnsHead(description);
  const message = `The model "${description.id}" has the architecture "${architecture}", which does not run here. Those that do: yolov5, yolov7, yolov8 to yolov12, yolo11, yolo26, yolox, rfdetr, dfine.`;
  throw modelError(message);
}

/** How a graph writes its boxes into one table, with numbers for masks or keypoints behind the scores. */
interface TableLayout {
  readonly wanted: string;
  readonly fits: (table: Matrix) => boolean;
  readonly read: (table: Matrix, threshold: Threshold) => Candidates;
  /** Number `at` behind the scores of a box. */
  readonly extraOf: (table: Matrix, source: number, at: number) => number;
  /** Overlaps are still to be suppressed. */
  readonly overlaps: boolean;
  readonly keypoints: boolean;
}

function tableHead(description: ModelDescription, layout: TableLayout): DetectionHead {
  const hasKeypoints = layout.keypoints && description.task === "keypoint-detection";
  return (outputs, options) => {
    const table = matrixOf(outputs, layout.wanted, (_, candidate) => layout.fits(candidate));
    const candidates = layout.read(table, options.threshold);
    const coefficientOf = (source: number, at: number): number => layout.extraOf(table, source, at);
    const readKeypoint: KeypointOptions["read"] = (source, slot) => [
      coefficientOf(source, 3 * slot),
      coefficientOf(source, 3 * slot + 1),
      coefficientOf(source, 3 * slot + 2),
    ];
    return {
      candidates,
      rows: layout.overlaps
        ? suppress(description, candidates, options)
        : byScore(candidates).slice(0, options.maxDetections),
      ...(description.task === "instance-segmentation" && {
        masks: prototypeMasks(outputs, candidates, options.network, coefficientOf),
      }),
      ...(hasKeypoints && { readKeypoint }),
    };
  };
}

function columnsHead(description: ModelDescription): DetectionHead {
  const classes = description.classNames.length;
  const numbers = 4 + classes + extraNumbers(description);
  return tableHead(description, {
    wanted: `[1, ${numbers}, boxes]`,
    fits: ({ rows }) => rows === numbers,
    read: (table, threshold) => readYoloColumns(table, { classes, threshold }),
    extraOf: ({ data, columns }, source, at) => data[(4 + classes + at) * columns + source]!,
    overlaps: true,
    keypoints: true,
  });
}

function rowsHead(description: ModelDescription): DetectionHead {
  const { legacy = false, multiplyObjectness = false, architecture } = description;
  const classes = description.classNames.length;
  const numbers = 5 + classes + (description.task === "instance-segmentation" ? MASK_COEFFICIENTS : 0);
  const product = multiplyObjectness || architecture.startsWith("yolox");
  const score = product ? "product" : "class";
  return tableHead(description, {
    wanted: `[1, boxes, ${numbers}]`,
    fits: ({ columns }) => columns === numbers,
    read: (table, threshold) => readYoloRows(table, { classes, threshold, score: legacy ? "objectness" : score }),
    extraOf: ({ data, columns }, source, at) => data[source * columns + 5 + classes + at]!,
    overlaps: true,
    keypoints: false,
  });
}

function fusedHead(description: ModelDescription): DetectionHead {
  const numbers = 6 + extraNumbers(description);
  return tableHead(description, {
    wanted: `[1, boxes, ${numbers}]`,
    fits: ({ columns }) => columns === numbers,
    read: readFusedRows,
    extraOf: ({ data, columns }, source, at) => data[source * columns + 6 + at]!,
    overlaps: false,
    keypoints: true,
  });
}

function yoloxHead(description: ModelDescription): DetectionHead {
  const classes = description.classNames.length;
  return (outputs, options) => {
    const { width, height } = options.network;
    const cells = yoloxCells(width, height);
    const wanted = `[1, ${cells}, ${5 + classes}]`;
    const matrix = matrixOf(outputs, wanted, (_, table) => table.columns === 5 + classes && table.rows === cells);
    const candidates = readYolox(matrix, { classes, threshold: options.threshold, width, height });
    return { candidates, rows: suppress(description, candidates, options) };
  };
}

function detrHead(description: ModelDescription): DetectionHead {
  const { unusedClassIds } = description;
  const classes = description.classNames.length;
  return (outputs, options) => {
    const boxes = matrixOf(
      outputs,
      "boxes [1, queries, 4]",
      (name, { columns }) => columns === 4 && !/label|logit/.test(name),
    );
    const logits = matrixOf(
      outputs,
      `logits [1, ${boxes.rows}, ${classes} or more]`,
      (_, matrix) => matrix.data !== boxes.data && matrix.rows === boxes.rows && matrix.columns >= classes,
    );
    const { threshold, maxDetections, network } = options;
    const candidates = readDetr(boxes, logits, { classes, threshold, ...network, unusedClassIds });
    const rows = Array.from({ length: Math.min(candidates.length, maxDetections) }, (_, row) => row);
    if (description.task !== "instance-segmentation") return { candidates, rows };
    const grids = gridsOf(outputs, `masks [1, ${boxes.rows}, height, width]`);
    const { width, height, data } = grids;
    const size = width * height;
    const valuesOf = (row: number): GridValues => {
      const start = candidates.source[row]! * size;
      const values = data.subarray(start, start + size);
      return { grid: { width, height }, left: 0, top: 0, right: width, bottom: height, values };
    };
    return { candidates, rows, masks: { threshold: 0, valuesOf } };
  };
}

function suppress(
  { legacy = false }: ModelDescription,
  candidates: Candidates,
  options: HeadOptions,
): readonly number[] {
  return legacy ? suppressLegacy(candidates, options) : suppressOverlaps(candidates, options);
}

/** Numbers of a box besides place and scores. */
function extraNumbers({ task, keypoints = [] }: ModelDescription): number {
  if (task === "instance-segmentation") return MASK_COEFFICIENTS;
  if (task !== "keypoint-detection") return 0;
  return 3 * Math.max(0, ...keypoints.map(({ names }) => names.length));
}

function prototypeMasks(
  outputs: GraphOutputs,
  { xyxy, source }: Candidates,
  network: PixelSize,
  coefficientOf: (source: number, prototype: number) => number,
): Found["masks"] {
  const prototypes = gridsOf(outputs, `prototypes [1, ${MASK_COEFFICIENTS}, height, width]`);
  if (prototypes.count !== MASK_COEFFICIENTS) throw unfit(outputs, `${MASK_COEFFICIENTS} prototypes of masks`);
  const valuesOf = (row: number): GridValues =>
    mixPrototypes(prototypes, (prototype) => coefficientOf(source[row]!, prototype), { xyxy, row, network });
  return { threshold: YOLO_MASK_THRESHOLD, valuesOf };
}

export interface KeypointOptions {
  readonly keypoints: readonly KeypointClass[];
  readonly placement: Placement;
  /** Keypoints below are left out. */
  readonly confidence: number;
  /** Place and confidence of keypoint `slot` of a candidate, in pixels of the input. */
  readonly read: (source: number, slot: number) => readonly [x: number, y: number, confidence: number];
}

/** The `keypoints_…` columns for the rows that stayed; only what was seen is in them. */
export function keypointColumns(
  { classId, source }: Candidates,
  rows: readonly number[],
  options: KeypointOptions,
): Columns {
  const { keypoints, placement, read } = options;
  const seen = rows.map((row) => {
    const slots = keypoints.find((each) => each.classId === classId[row])?.names ?? [];
    return slots
      .map((name, slot) => ({ name, slot, place: read(source[row]!, slot) }))
      .filter(({ place: [, , confidence] }) => confidence >= options.confidence && confidence > 0);
  });
  const column = (value: (keypoint: (typeof seen)[number][number]) => ColumnValue): readonly ColumnValue[] =>
    seen.map((list) => list.map(value));
  return {
    keypoints_xy: column(({ place: [x, y] }) => [toPictureX(placement, x), toPictureY(placement, y)]),
    keypoints_confidence: column(({ place }) => place[2]),
    keypoints_class_id: column(({ slot }) => slot),
    keypoints_class_name: column(({ name }) => name),
  };
}
