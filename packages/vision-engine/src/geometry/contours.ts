// mask → outlines of its parts
import { eachRun, type Mask, maskBounds } from "../frames/mask.ts";
import type { Point } from "./polygons.ts";

/** Outline of a connected part: corners only, downwards along the left side first, in the order they are met. */
export type Contour = readonly Point[];

/** A neighbour's place, counter-clockwise on the screen from the right. */
const STEP_X = [1, 1, 0, -1, -1, -1, 0, 1] as const;
const STEP_Y = [0, -1, -1, -1, 0, 1, 1, 1] as const;
const LEFTWARDS = 4;

/** Marks on the pixels of outlines that were followed: `RIGHT_END` where the part ends to the right. */
const SET = 1;
const FOLLOWED = 2;
const RIGHT_END = -1;

/** The set pixels of a mask with an empty frame around them. */
interface Field {
  readonly marks: Int8Array;
  readonly stride: number;
  readonly rows: number;
  /** Place of the field's corner in the mask. */
  readonly left: number;
  readonly top: number;
}

/**
 * Outer outlines of the 8-connected parts, holes left out: what OpenCV finds with `RETR_EXTERNAL` and
 * `CHAIN_APPROX_SIMPLE`, in its order: from the bottom up.
 */
export function contoursOf(mask: Mask): readonly Contour[] {
  if (mask.runs.length === 0) return [];
  const field = fieldOf(mask);
  const { marks, stride, rows } = field;
  const contours: Contour[] = [];
  for (let y = 1; y < rows - 1; y++) {
    // The last outline met in this row tells whether we are inside a part already found.
    let last = 0;
    for (let at = y * stride + 1; at < (y + 1) * stride; at++) {
      const mark = marks[at]!;
      if (mark === SET && marks[at - 1] === 0 && last <= 0) contours.push(followOutline(field, at));
      if (marks[at] !== 0 && marks[at] !== SET) last = marks[at]!;
    }
  }
  return contours.reverse();
}

function fieldOf(mask: Mask): Field {
  const [left, top, right, bottom] = maskBounds(mask)!;
  const stride = right - left + 3;
  const rows = bottom - top + 3;
  const marks = new Int8Array(stride * rows);
  eachRun(mask, (y, from, to) => {
    const begin = (y - top + 1) * stride + 1 - left;
    marks.fill(SET, begin + from, begin + to);
  });
  return { marks, stride, rows, left: left - 1, top: top - 1 };
}

/** Walks around the part with its outside on the right hand, from its first pixel in reading order (Suzuki and Abe 1985). */
function followOutline({ marks, stride, left, top }: Field, start: number): Contour {
  const jump = STEP_X.map((x, direction) => x + STEP_Y[direction]! * stride);
  const corner = (at: number): Point => [(at % stride) + left, Math.floor(at / stride) + top];
  let direction = lastNeighbour(marks, start, jump);
  if (direction === undefined) {
    marks[start] = RIGHT_END;
    return [corner(start)];
  }
  const lastPixel = start + jump[direction]!;
  const points: Point[] = [];
  let arrival = (direction + 4) % 8;
  let at = start;
  for (;;) {
    const cameFrom = direction;
    do direction = (direction + 1) % 8;
    while (marks[at + jump[direction]!] === 0);
    const lookedRight = direction > 0 && direction - 1 < cameFrom;
    if (lookedRight) marks[at] = RIGHT_END;
    else if (marks[at] === SET) marks[at] = FOLLOWED;
    if (direction !== arrival) points.push(corner(at));
    arrival = direction;
    const next = at + jump[direction]!;
    if (next === start && at === lastPixel) return points;
    at = next;
    direction = (direction + 4) % 8;
  }
}

/** Direction of the pixel from which the walk will come back; absent for a single pixel. */
function lastNeighbour(marks: Int8Array, start: number, jump: readonly number[]): number | undefined {
  for (let turn = 1; turn < 8; turn++) {
    const direction = (LEFTWARDS + 8 - turn) % 8;
    if (marks[start + jump[direction]!] !== 0) return direction;
  }
  return undefined;
}

/** The outline with the most corners, the first of several: what stands for a mask that has many parts. */
export function longestContour(contours: readonly Contour[]): Contour | undefined {
  let longest: Contour | undefined;
  for (const contour of contours) if (contour.length > (longest?.length ?? 0)) longest = contour;
  return longest;
}
