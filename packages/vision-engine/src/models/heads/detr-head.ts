// boxes and logits of RF-DETR or D-FINE → candidates
import { Candidates, type Threshold } from "./candidates.ts";
import { leastOf, type Matrix } from "./yolo-heads.ts";

export interface DetrOptions {
  /** Number of classes that have a name; higher ones are background. */
  readonly classes: number;
  readonly threshold: Threshold;
  /** Size of the graph's input. */
  readonly width: number;
  readonly height: number;
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
