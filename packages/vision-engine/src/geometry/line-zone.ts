// tracked boxes → which of them crossed the line
import { type Anchor, anchorX, anchorY } from "./boxes.ts";
import type { Point } from "./points.ts";

export interface LineZoneOptions {
  readonly start: Point;
  readonly end: Point;
  /** Points of a box that must all be on the same side. */
  readonly anchors: readonly Anchor[];
  /** Frames in a row that an object must be seen on the other side. Raise against flicker. Default 1. */
  readonly minimumCrossingFrames?: number;
}

/** What a line needs to know of one frame; `Detections` fits. */
export interface TrackedBoxes {
  readonly length: number;
  readonly xyxy: ArrayLike<number>;
  /** Without ids nothing can cross, but absent objects still age. */
  readonly trackerId?: ArrayLike<number> | undefined;
  readonly classId?: ArrayLike<number> | undefined;
}

export interface Crossings {
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

type Side = "left" | "right" | "unclear";

export function createLineZone(options: LineZoneOptions): LineZone {
  const sideOf = createSideTest(options);
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
        const side = sideOf(boxes.xyxy, row);
        if (side === "unclear") continue;
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

/** Says on which side a box lies; unclear when it straddles the line or passes beyond its ends. */
function createSideTest({ start, end, anchors }: LineZoneOptions): (xyxy: ArrayLike<number>, row: number) => Side {
  const alongX = end[0] - start[0];
  const alongY = end[1] - start[1];
  const length = Math.hypot(alongX, alongY);
  if (length === 0) throw new RangeError("A line needs two different points.");
  const unitX = alongX / length;
  const unitY = alongY / length;

  return (xyxy, row) => {
    let left = 0;
    for (const anchor of anchors) {
      const x = anchorX(anchor, xyxy, row);
      const y = anchorY(anchor, xyxy, row);
      const beforeStart = unitX * (x - start[0]) + unitY * (y - start[1]) < 0;
      const beyondEnd = unitX * (x - end[0]) + unitY * (y - end[1]) > 0;
      if (beforeStart || beyondEnd) return "unclear";
      if (alongX * (y - start[1]) - alongY * (x - start[0]) < 0) left += 1;
    }
    if (left === 0) return "right";
    return left === anchors.length ? "left" : "unclear";
  };
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
