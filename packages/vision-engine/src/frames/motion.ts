/** A part of a picture, in pixels. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What moved since the picture before. */
export interface Motion {
  readonly moving: boolean;
  /** Where, in pixels of the frame; empty when all of it may have. */
  readonly regions: readonly Rect[];
}
