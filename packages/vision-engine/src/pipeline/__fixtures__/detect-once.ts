// Runs one detection as an application does: folder of models → what was found, as JSON.
import { createEngine } from "../../index.ts";

const engine = createEngine({ localModelFolder: process.argv[2]!, inferenceThreads: 1 });
const { result } = await engine.runOnce({
  sourceId: "gate",
  source: "sim://street?width=64&height=64",
  workflow: {
    version: "1.0",
    inputs: [{ type: "WorkflowImage", name: "image" }],
    steps: [
      { type: "ObjectDetectionModel", name: "model", images: "$inputs.image", model_id: "mine/colors", confidence: 0 },
    ],
    outputs: [{ type: "JsonField", name: "found", selector: "$steps.model.predictions" }],
  },
});
await engine.close();
process.stdout.write(JSON.stringify(result.outputs.found));
