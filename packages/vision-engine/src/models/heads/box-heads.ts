// what a network gives out → candidates
import type { PixelSize } from "../../frames/frame.ts";
import { Candidates, type Threshold } from "./candidates.ts";

/** A table of numbers as a graph gives it out, for one picture. */
export interface Matrix {
  readonly data: Float32Array;
  readonly rows: number;
  readonly columns: number;
}

/** What all readings are told. */
interface ReadingOptions {
  readonly classes: number;
  readonly threshold: Threshold;
}

export interface ColumnOptions extends ReadingOptions {
  /** The first four rows are left, top, right and bottom. Default: centre and size. */
  readonly corners?: boolean;
}

/** YOLOv8 and later: a column a box; rows are centre, size, and a score for each class. */
export function readYoloColumns({ data, columns }: Matrix, options: ColumnOptions): Candidates {
  const { classes, threshold, corners = false } = options;
  const found = new Candidates();
  const best = data.slice(4 * columns, 5 * columns);
  const bestClass = new Int32Array(columns);
  for (let classId = 1; classId < classes; classId++) {
    const start = (4 + classId) * columns;
    for (let column = 0; column < columns; column++) {
      const score = data[start + column]!;
      if (score <= best[column]!) continue;
      best[column] = score;
      bestClass[column] = classId;
    }
  }
  for (let column = 0; column < columns; column++) {
    const score = best[column]!;
    const classId = bestClass[column]!;
    if (!(score > leastOf(threshold, classId))) continue;
    found.add(column, classId, score);
    const [a, b] = [data[column]!, data[columns + column]!];
    const [c, d] = [data[2 * columns + column]!, data[3 * columns + column]!];
    if (corners) found.setBox(a, b, c, d);
    else found.setCentredBox(a, b, c, d);
  }
  return found;
}

export interface ObjectnessOptions extends ReadingOptions {
  /**
   * What counts as the score. `class`: the best class column, while objectness alone is held against the threshold,
   * as exports with products in all columns want it. `product`: objectness × class. `objectness`: as older servers.
   */
  readonly score: "class" | "product" | "objectness";
  /** The first four columns are left, top, right and bottom. Default: centre and size. */
  readonly corners?: boolean;
}

/** YOLOv5 and v7: a row a box; columns are centre, size, objectness, and a score for each class. */
export function readYoloRows(matrix: Matrix, options: ObjectnessOptions): Candidates {
  const { data } = matrix;
  return readRows(matrix, options, (found, at) => {
    const [a, b, c, d] = [data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!];
    if (options.corners) found.setBox(a, b, c, d);
    else found.setCentredBox(a, b, c, d);
  });
}

/** `setBox` reads the box of a row that counts, of which the first number is at `at`. */
function readRows(
  { data, rows, columns }: Matrix,
  { classes, threshold, score: rule }: ObjectnessOptions,
  setBox: (found: Candidates, at: number, row: number) => void,
): Candidates {
  const lowest = typeof threshold === "number" ? threshold : Math.min(...threshold);
  const found = new Candidates();
  for (let row = 0; row < rows; row++) {
    const at = row * columns;
    const objectness = data[at + 4]!;
    if (objectness < lowest) continue;
    const classId = bestOf(data, at + 5, classes);
    const least = leastOf(threshold, classId);
    const score = scoreOf(rule, objectness, data[at + 5 + classId]!);
    // Older servers let a box at the threshold itself pass.
    const passes = rule === "objectness" ? objectness >= least : (rule === "class" ? objectness : score) > least;
    if (!passes) continue;
    found.add(row, classId, score);
    setBox(found, at, row);
  }
  return found;
}

function scoreOf(rule: ObjectnessOptions["score"], objectness: number, classScore: number): number {
  if (rule === "objectness") return objectness;
  return rule === "class" ? classScore : objectness * classScore;
}

/** Pixels a cell of YOLOX's three grids. */
const YOLOX_STRIDES: readonly number[] = [8, 16, 32];

/** With the size of the graph's input. */
export interface YoloxOptions extends ReadingOptions, PixelSize {}

/** YOLOX as exported: a row a cell, grid after grid; places are offsets in cells, sizes are logarithms. */
export function readYolox(matrix: Matrix, { width, height, ...options }: YoloxOptions): Candidates {
  const { data } = matrix;
  return readRows(matrix, { ...options, score: "product" }, (found, at, row) => {
    let [cell, across, stride] = [row, 0, 0];
    for (stride of YOLOX_STRIDES) {
      across = Math.floor(width / stride);
      const cells = across * Math.floor(height / stride);
      if (cell < cells) break;
      cell -= cells;
    }
    found.setCentredBox(
      ((cell % across) + data[at]!) * stride,
      (Math.floor(cell / across) + data[at + 1]!) * stride,
      Math.exp(data[at + 2]!) * stride,
      Math.exp(data[at + 3]!) * stride,
    );
  });
}

/** Number of rows that YOLOX gives for an input of this size. */
export function yoloxCells(width: number, height: number): number {
  return YOLOX_STRIDES.reduce((sum, stride) => sum + Math.floor(width / stride) * Math.floor(height / stride), 0);
}

/** Graphs that suppress overlaps themselves: a row a box; left, top, right, bottom, score, class. */
export function readFusedRows({ data, rows, columns }: Matrix, threshold: Threshold): Candidates {
  const found = new Candidates();
  for (let row = 0; row < rows; row++) {
    const at = row * columns;
    const classId = data[at + 5]!;
    const score = data[at + 4]!;
    if (!(score >= leastOf(threshold, classId))) continue;
    found.add(row, classId, score);
    found.setBox(data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!);
  }
  return found;
}

/** Position of the greatest of `count` numbers, the first of equals. */
export function bestOf(data: Float32Array, start: number, count: number): number {
  let best = 0;
  for (let each = 1; each < count; each++) if (data[start + each]! > data[start + best]!) best = each;
  return best;
}

function leastOf(threshold: Threshold, classId: number): number {
  return typeof threshold === "number" ? threshold : (threshold[classId] ?? Number.POSITIVE_INFINITY);
}

export interface DetrOptions extends PixelSize {
  /** Number of classes that have a name; higher ones are background. */
  readonly classes: number;
  readonly threshold: Threshold;
  /** Class columns that mean nothing. */
  readonly unusedClassIds?: readonly number[];
}

/**
 * As many of the best scores of all queries and classes as there are queries, so one query may give two classes.
 * `boxes` are centre and size in shares of the input. The best first; overlaps are the graph's own business.
 */
export function readDetr(boxes: Matrix, logits: Matrix, options: DetrOptions): Candidates {
  const { threshold, width, height, unusedClassIds = [] } = options;
  const names = namedClasses(logits.columns, options.classes, unusedClassIds);
  const found = new Candidates();
  for (const place of highest(logits.data, logits.rows)) {
    const classId = names[place % logits.columns]!;
    const score = sigmoid(logits.data[place]!);
    if (classId < 0 || !(score > leastOf(threshold, classId))) continue;
    const query = Math.floor(place / logits.columns);
    const [x = 0, y = 0, boxWidth = 0, boxHeight = 0] = boxes.data.subarray(4 * query, 4 * query + 4);
    found.add(query, classId, score);
    found.setBox(
      (x - 0.5 * boxWidth) * width,
      (y - 0.5 * boxHeight) * height,
      (x + 0.5 * boxWidth) * width,
      (y + 0.5 * boxHeight) * height,
    );
  }
  return found;
}

export function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

/** Class of each column, -1 for background and for columns that mean nothing. */
function namedClasses(columns: number, classes: number, unused: readonly number[]): Int32Array {
  let next = 0;
  return Int32Array.from({ length: columns }, (_, column) => {
    if (unused.includes(column)) return -1;
    next += 1;
    return next <= classes ? next - 1 : -1;
  });
}

/** Places of the greatest numbers, the greatest first. */
function highest(values: Float32Array, count: number): readonly number[] {
  const sorted = values.slice().sort();
  const least = sorted[Math.max(0, sorted.length - count)]!;
  const places: number[] = [];
  for (let at = 0; at < values.length; at++) if (values[at]! >= least) places.push(at);
  return places.sort((a, b) => values[b]! - values[a]!).slice(0, count);
}
