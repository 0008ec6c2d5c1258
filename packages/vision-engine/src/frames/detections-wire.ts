// detections in typed arrays → detections on the wire
import type { Detections as WireDetections } from "@vision-agent/protocol";
import { classNamesOf, type Detections, imageSizeOf } from "./detections.ts";

/** Plain arrays for the wire, rounded to 4 decimals so that 32-bit numbers stay short as text. */
export function toWireDetections(detections: Detections): WireDetections {
  const { xyxy, confidence, classId, trackerId, length, metadata } = detections;
  const note = metadata.model_note;
  return {
    ...(typeof note === "string" ? { note } : {}),
    image: imageSizeOf(detections) ?? { width: 0, height: 0 },
    xyxy: Array.from(xyxy, toFourDecimals),
    confidence: Array.from(confidence ?? new Float64Array(length).fill(1), toFourDecimals),
    class_id: Array.from(classId ?? new Int32Array(length).fill(-1)),
    class_name: [...classNamesOf(detections)],
    tracker_id: trackerId === undefined ? null : Array.from(trackerId),
  };
}

function toFourDecimals(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
