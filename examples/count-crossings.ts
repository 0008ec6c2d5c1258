// node examples/count-crossings.ts → counts who crosses the middle of a simulated street for five seconds
import type { WorkflowSpec } from "@vision-agent/protocol";
import { startPipeline } from "@vision-agent/vision-engine";

const workflow: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [
    {
      type: "roboflow_core/roboflow_object_detection_model@v2",
      name: "detect",
      images: "$inputs.image",
      model_id: "sim/truth",
      class_filter: ["person"],
    },
    {
      type: "roboflow_core/byte_tracker@v3",
      name: "track",
      image: "$inputs.image",
      detections: "$steps.detect.predictions",
    },
    {
      type: "roboflow_core/line_counter@v2",
      name: "line",
      image: "$inputs.image",
      detections: "$steps.track.tracked_detections",
      line_segment: [
        [480, 0],
        [480, 540],
      ],
      triggering_anchor: "CENTER",
    },
  ],
  outputs: [
    { type: "JsonField", name: "count_in", selector: "$steps.line.count_in" },
    { type: "JsonField", name: "count_out", selector: "$steps.line.count_out" },
  ],
};

/** Both directions together. */
export async function countCrossings(options: { source: string; frames: number }): Promise<number> {
  const pipeline = await startPipeline({
    sourceId: "street",
    source: options.source,
    workflow,
    maxFrames: options.frames,
  });
  await pipeline.ended;
  const [last] = pipeline.latest(1);
  const values = [last?.outputs.count_in, last?.outputs.count_out];
  return values.reduce((sum, output) => sum + (output?.kind === "value" ? Number(output.value) : 0), 0);
}

if (import.meta.main) {
  console.log(`${await countCrossings({ source: "sim://street", frames: 50 })} people crossed.`);
}
