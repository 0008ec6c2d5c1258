// boxes of a frame → which of them crossed a line or are in a zone

import { isMaskSet } from "../frames/mask.ts";
import { anchorPoint, anchorX, anchorY, type BoxAnchor } from "./boxes.ts";
import { polygonToMask } from "./fill-polygon.ts";
import { type Point, type Polygon, polygonBounds, roundHalfEven, turn } from "./polygons.ts";

/** A line with a direction. */
export interface LineSegment {
  readonly start: Point;
  readonly end: Point;
}

/** As seen from the start of the line towards its end. */
export type LineSide = "left" | "right";

/**
 * On which side of a line a point lies, by the rule of the line counter: a point exactly on the line is right of it,
 * one that lies before its start or beyond its end is on neither. In pixels: fractions of a picture bend right angles.
 */
export function sideOfLine({ start, end }: LineSegment, point: Point): LineSide | undefined {
  const length = Math.hypot(end[0] - start[0], end[1] - start[1]);
  const unitX = (end[0] - start[0]) / length;
  const unitY = (end[1] - start[1]) / length;
  if (unitX * (point[0] - start[0]) + unitY * (point[1] - start[1]) < 0) return undefined;
  if (unitX * (point[0] - end[0]) + unitY * (point[1] - end[1]) > 0) return undefined;
  return turn(start, end, point) < 0 ? "left" : "right";
}

/**
 * Whether a movement crosses a line, and which way: to the left is `in`, to the right `out`. The line counter compares
 * with the last place that had a side, so keep that one as `from` while the thing is on neither.
 */
export function crossingOf(line: LineSegment, from: Point, to: Point): "in" | "out" | undefined {
  const before = sideOfLine(line, from);
  const after = sideOfLine(line, to);
  if (before === undefined || after === undefined || before === after) return undefined;
  return after === "left" ? "in" : "out";
}

/** Pixels from a point to the nearest point of the line. */
export function distanceToLine({ start, end }: LineSegment, [x, y]: Point): number {
  const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
  const along = ((x - start[0]) * dx + (y - start[1]) * dy) / (dx * dx + dy * dy || 1);
  const share = Math.min(1, Math.max(0, along));
  return Math.hypot(x - (start[0] + share * dx), y - (start[1] + share * dy));
}

export interface LineZoneOptions extends LineSegment {
  /** Points of a box that must all be on the same side. */
  readonly anchors: readonly BoxAnchor[];
  /** Frames in a row that an object must be seen on the other side. Raise against flicker. Default 1. */
  readonly minimumCrossingFrames?: number;
}

/** What a line needs to know of one frame; `Detections` fits. */
interface TrackedBoxes {
  readonly length: number;
  readonly xyxy: ArrayLike<number>;
  /** Without ids nothing can cross, but absent objects still age. */
  readonly trackerId?: ArrayLike<number> | undefined;
  readonly classId?: ArrayLike<number> | undefined;
}

interface Crossings {
  /** Rows of this frame's boxes that crossed to the left of the line's direction. */
  readonly crossedIn: readonly number[];
  /** Rows of this frame's boxes that crossed to the right of it. */
  readonly crossedOut: readonly number[];
}

/**
 * A directed line that counts crossings. Seen along start → end, right to left is in, left to right is out;
 * a point exactly on the line is right of it. Throws `RangeError` when start and end are the same point.
 */
export interface LineZone {
  /** Totals since creation. */
  readonly countIn: number;
  readonly countOut: number;
  /** The same by class number; crossings of things without a class are left out. */
  readonly countInByClass: ReadonlyMap<number, number>;
  readonly countOutByClass: ReadonlyMap<number, number>;
  /** Takes the boxes of the next frame. */
  trigger(boxes: TrackedBoxes): Crossings;
}

/** Where one tracked object has been. */
interface SideMemory {
  /** The side it belongs to until it has crossed for good. */
  confirmedLeft: boolean;
  /** Side last seen, and for how many stored frames in a row. */
  left: boolean;
  run: number;
  stored: number;
  absentFrames: number;
}

export function createLineZone(options: LineZoneOptions): LineZone {
  const { start, end } = options;
  if (start[0] === end[0] && start[1] === end[1]) throw new RangeError("A line needs two different points.");
  const historyLength = Math.max(2, (options.minimumCrossingFrames ?? 1) + 1);
  const memories = new Map<number, SideMemory>();
  const countInByClass = new Map<number, number>();
  const countOutByClass = new Map<number, number>();
  let countIn = 0;
  let countOut = 0;

  function forgetAbsent(ids: ArrayLike<number>): void {
    for (const [id, memory] of memories) {
      if (includesId(ids, id)) {
        memory.absentFrames = 0;
        continue;
      }
      memory.absentFrames += 1;
      if (memory.absentFrames >= historyLength) memories.delete(id);
    }
  }

  return {
    get countIn() {
      return countIn;
    },
    get countOut() {
      return countOut;
    },
    countInByClass,
    countOutByClass,
    trigger(boxes) {
      const ids = boxes.trackerId ?? [];
      forgetAbsent(ids);
      const crossedIn: number[] = [];
      const crossedOut: number[] = [];
      for (let row = 0; row < ids.length; row++) {
        const id = ids[row]!;
        if (id < 0) continue;
        const side = sideOfBox(options, boxes.xyxy, row);
        if (side === undefined) continue;
        const memory = remember(memories, id, side === "left");
        if (!hasCrossed(memory, historyLength)) continue;
        memory.confirmedLeft = memory.left;
        (memory.left ? crossedIn : crossedOut).push(row);
      }
      countIn += crossedIn.length;
      countOut += crossedOut.length;
      countByClass(countInByClass, boxes, crossedIn);
      countByClass(countOutByClass, boxes, crossedOut);
      return { crossedIn, crossedOut };
    },
  };
}

function countByClass(counts: Map<number, number>, { classId }: TrackedBoxes, rows: readonly number[]): void {
  if (classId === undefined) return;
  for (const row of rows) counts.set(classId[row]!, (counts.get(classId[row]!) ?? 0) + 1);
}

/** Absent when a box straddles the line or passes beyond its ends. */
function sideOfBox({ anchors, ...line }: LineZoneOptions, xyxy: ArrayLike<number>, row: number): LineSide | undefined {
  const [side, ...others] = anchors.map((anchor) => sideOfLine(line, anchorPoint(xyxy, anchor, row)));
  return others.every((other) => other === side) ? side : undefined;
}

function remember(memories: Map<number, SideMemory>, id: number, left: boolean): SideMemory {
  const known = memories.get(id);
  if (known === undefined) {
    const fresh = { confirmedLeft: left, left, run: 1, stored: 1, absentFrames: 0 };
    memories.set(id, fresh);
    return fresh;
  }
  known.run = known.left === left ? known.run + 1 : 1;
  known.left = left;
  known.stored += 1;
  return known;
}

function hasCrossed(memory: SideMemory, historyLength: number): boolean {
  return memory.stored >= historyLength && memory.left !== memory.confirmedLeft && memory.run >= historyLength - 1;
}

function includesId(ids: ArrayLike<number>, id: number): boolean {
  for (let row = 0; row < ids.length; row++) if (ids[row] === id) return true;
  return false;
}

export interface PolygonZoneOptions {
  readonly polygon: Polygon;
  /** Points of a box that must all be inside. */
  readonly anchors: readonly BoxAnchor[];
}

/** An area of the picture, borders included. Tells for each box whether all its anchors lie in it. */
export type PolygonZone = (boxes: Pick<TrackedBoxes, "length" | "xyxy">) => readonly boolean[];

export function createPolygonZone({ polygon, anchors }: PolygonZoneOptions): PolygonZone {
  const [, , right, bottom] = polygonBounds(polygon);
  const mask = polygonToMask(polygon, Math.trunc(right) + 2, Math.trunc(bottom) + 2);
  const isInside = (x: number, y: number): boolean =>
    x >= 0 && y >= 0 && x < mask.width && y < mask.height && isMaskSet(mask, x, y);
  return ({ length, xyxy }) =>
    Array.from({ length }, (_, row) =>
      anchors.every((anchor) =>
        isInside(roundHalfEven(anchorX(anchor, xyxy, row)), roundHalfEven(anchorY(anchor, xyxy, row))),
      ),
    );
}
