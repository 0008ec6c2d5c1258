// node examples/count-line.ts [video file] → how many people cross the middle of the picture, each way
import { createEngine, probeSource, systemClock } from "@vision-agent/vision-engine";

export async function countLine(source: string): Promise<string> {
  const video = await probeSource(source, { sourceId: "video", clock: systemClock });
  if (!video.ok) throw new Error(video.message);
  const isScene = video.kind === "sim"; // It knows its own people, and never ends.
  const image = "$inputs.image";
  const detect = { images: image, model_id: isScene ? "sim/truth" : "vision-agent/default", class_filter: ["person"] };
  const track = { image, detections: "$steps.detect.predictions" };
  const middle = [0, video.height].map((y) => [video.width / 2, y]);
  const count = { image, detections: "$steps.track.tracked_detections", line_segment: middle };
  const steps = [
    { type: "roboflow_core/roboflow_object_detection_model@v2", name: "detect", ...detect },
    { type: "roboflow_core/byte_tracker@v3", name: "track", ...track },
    { type: "roboflow_core/line_counter@v2", name: "line", ...count },
  ];
  const outputs = ["in", "out"].map((name) => ({ type: "JsonField", name, selector: `$steps.line.count_${name}` }));
  const workflow = { version: "1.0", inputs: [{ type: "WorkflowImage", name: "image" }], steps, outputs };

  const engine = createEngine();
  const last: Record<string, { kind: string; value?: unknown }> = {};
  const onResult = (result: { outputs: typeof last }) => Object.assign(last, result.outputs);
  await engine.replay({ sourceId: "video", source, workflow, onResult, maxFrames: isScene ? 300 : undefined });
  await engine.close();
  return `in ${last.in?.value}, out ${last.out?.value}`;
}

if (import.meta.main) console.log(await countLine(process.argv[2] ?? "sim://street"));
