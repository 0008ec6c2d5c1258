import type { Detections } from "../frames/detections.ts";

/** One row of detections under a statement. A filter moves it from row to row, so it is not to be kept. */
export class DetectionRow {
  readonly detections: Detections;
  row: number;

  constructor(detections: Detections, row: number) {
    this.detections = detections;
    this.row = row;
  }
}
