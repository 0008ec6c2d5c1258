// An inference thread: ONNX Runtime behind one queue for all pipelines.
import { parentPort, workerData } from "node:worker_threads";
import { createOnnxRuntime } from "../runtime/onnx-runtime.ts";
import { type InferenceOrder, type InferenceThreadData, yieldToOthers } from "./inference-messages.ts";
import { createInferenceServer } from "./serve-inference.ts";

const { load, index } = workerData as InferenceThreadData;
yieldToOthers();
const server = createInferenceServer({
  // One core for each inference thread.
  runtime: createOnnxRuntime({ threads: 1 }),
  onDone: () => Atomics.sub(load, index, 1),
});
parentPort!.on("message", async (order: InferenceOrder) => {
  if (order.type === "welcome") return server.welcome(order.port);
  await server.close();
  process.exit();
});
