/**
 * What was found in one picture, as a struct of arrays. The same columns as on the wire, in typed arrays,
 * so that a frame costs a handful of allocations however many things are in it.
 */
export interface Detections {
  readonly imageWidth: number;
  readonly imageHeight: number;
  readonly length: number;
  /** 4 numbers a row: left, top, right, bottom in pixels. */
  readonly xyxy: Float32Array;
  readonly confidence: Float32Array;
  readonly classId: Int32Array;
  readonly className: readonly string[];
  /** Absent until a tracker has run. */
  readonly trackerId?: Int32Array;
}
