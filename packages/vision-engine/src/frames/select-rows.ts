import type { Detections } from "./detections.ts";

/** The given rows in the given order, with all their columns. */
export function selectRows(detections: Detections, rows: readonly number[]): Detections {
  const { trackerId } = detections;
  const xyxy = new Float32Array(4 * rows.length);
  for (const [to, row] of rows.entries()) xyxy.set(detections.xyxy.subarray(4 * row, 4 * row + 4), 4 * to);
  return {
    imageWidth: detections.imageWidth,
    imageHeight: detections.imageHeight,
    length: rows.length,
    xyxy,
    confidence: Float32Array.from(rows, (row) => detections.confidence[row]!),
    classId: Int32Array.from(rows, (row) => detections.classId[row]!),
    className: rows.map((row) => detections.className[row]!),
    ...(trackerId === undefined ? {} : { trackerId: Int32Array.from(rows, (row) => trackerId[row]!) }),
  };
}
