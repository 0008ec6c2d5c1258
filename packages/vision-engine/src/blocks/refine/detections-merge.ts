// many detections → one around them all, or all in one list
import { Detections, emptyDetections } from "../../frames/detections.ts";
import { mergeDetections } from "../../frames/merge-detections.ts";
import { detectionsOf, textOf } from "../block-inputs.ts";
import { statelessBlock } from "../stateless-block.ts";

export const detectionsMerge = statelessBlock({
  type: "roboflow_core/detections_merge@v1",
  description: "Makes one detection around all of them, as confident as the least confident.",
  phrase: (step) => `makes them one '${step.properties.class_name ?? "merged_detection"}'`,
  run: (inputs, { newId }) => {
    const detections = detectionsOf(inputs, "predictions");
    if (detections.length === 0) return { predictions: emptyDetections() };
    return {
      predictions: new Detections({
        xyxy: boxAround(detections),
        confidence: Float64Array.of(detections.confidence?.reduce((least, value) => Math.min(least, value)) ?? 0),
        classId: Int32Array.of(0),
        data: { class_name: [textOf(inputs, "class_name")], detection_id: [newId()] },
        metadata: detections.metadata,
      }),
    };
  },
});

export const detectionsCombine = statelessBlock({
  type: "roboflow_core/detections_combine@v1",
  description: "Puts the detections of two steps into one list.",
  phrase: "puts both into one list",
  run: (inputs) => {
    const list = [detectionsOf(inputs, "prediction_one"), detectionsOf(inputs, "prediction_two")];
    return { predictions: mergeDetections(list) };
  },
});

/** One row: the smallest box that holds all boxes. */
export function boxAround({ xyxy }: Detections): Float64Array {
  const around = xyxy.slice(0, 4);
  for (let at = 4; at < xyxy.length; at++) {
    around[at % 4] = (at % 4 < 2 ? Math.min : Math.max)(around[at % 4]!, xyxy[at]!);
  }
  return around;
}
