import type { PixelPicture } from "../frames/frame.ts";

/** What a tracker needs to know of one frame; `Detections` fits. */
export interface TrackerBoxes {
  readonly length: number;
  /** Left, top, right, bottom of each row. */
  readonly xyxy: ArrayLike<number>;
  readonly confidence?: ArrayLike<number> | undefined;
}

/** Rows of a frame in the order in which the tracker tells of them; rows that it ignores are missing. */
export interface TrackedRows {
  readonly rows: readonly number[];
  /** Of each of the rows; -1 while it has none. */
  readonly ids: readonly number[];
  /** Nothing is followed: the detections of the frame lose all that is known of them, as in the original. */
  readonly isBlank: boolean;
}

/** The rows of one frame, told one by one. */
export class ToldRows implements TrackedRows {
  readonly rows: number[] = [];
  readonly ids: number[] = [];

  get isBlank(): boolean {
    return this.rows.length === 0;
  }

  tell(row: number, id: number): void {
    this.rows.push(row);
    this.ids.push(id);
  }
}

/** Follows objects from frame to frame. */
export interface Tracker {
  /** Takes the boxes of the next frame. Only trackers that compensate for a moving camera look at the picture. */
  update(boxes: TrackerBoxes, picture?: PixelPicture): TrackedRows;
}

/** What trackers can be told alike; each has its own defaults. */
export interface TrackerOptions {
  /** Score from which a box may begin a track. Raise to follow only sure detections. */
  readonly activationThreshold?: number;
  /** Score from which a box is sure, and is matched first. */
  readonly highConfidence?: number;
  /** Least overlap of a match. Raise against wrong matches. */
  readonly minimumIou?: number;
  /** Sightings before an object gets its id. Raise against ghosts. */
  readonly minimumConsecutiveFrames?: number;
  /** Frames at 30 fps that a lost object is remembered. Raise for longer occlusions. Default 30. */
  readonly lostTrackBuffer?: number;
  /** Frames per second, to scale the buffer. Default 30. */
  readonly fps?: number;
}

/** Frames that a lost object is remembered. */
export function framesToKeep({ lostTrackBuffer = 30, fps = 30 }: TrackerOptions): number {
  return Math.trunc((fps / 30) * lostTrackBuffer);
}

/** The boxes of some rows, side by side. */
export function boxesAt(xyxy: ArrayLike<number>, rows: readonly number[]): Float64Array {
  const boxes = new Float64Array(4 * rows.length);
  for (let i = 0; i < rows.length; i++) {
    for (let side = 0; side < 4; side++) boxes[4 * i + side] = xyxy[4 * rows[i]! + side]!;
  }
  return boxes;
}

/** Numbers of the rows whose score is wanted. */
export function rowsByScore(
  { length, confidence }: TrackerBoxes,
  wanted: (score: number) => boolean,
  missing: number,
): number[] {
  const rows: number[] = [];
  for (let row = 0; row < length; row++) if (wanted(confidence?.[row] ?? missing)) rows.push(row);
  return rows;
}
