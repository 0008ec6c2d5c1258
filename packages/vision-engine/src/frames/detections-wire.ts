// detections in typed arrays → detections on the wire
import type { Detections as WireDetections } from "@vision-agent/protocol";
import type { Detections } from "./detections.ts";

/** Plain arrays for the wire, rounded to 4 decimals so that 32-bit numbers stay short as text. */
export function toWireDetections(detections: Detections): WireDetections {
  return {
    image: { width: detections.imageWidth, height: detections.imageHeight },
    xyxy: Array.from(detections.xyxy, toFourDecimals),
    confidence: Array.from(detections.confidence, toFourDecimals),
    class_id: Array.from(detections.classId),
    class_name: [...detections.className],
    tracker_id: detections.trackerId === undefined ? null : Array.from(detections.trackerId),
  };
}

function toFourDecimals(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
