// An inference thread that breaks when it is asked to open "break".
import { parentPort } from "node:worker_threads";
import type { InferenceOrder, InferenceRequest } from "../inference-messages.ts";

parentPort!.on("message", (order: InferenceOrder) => {
  if (order.type === "leave") process.exit();
  const { port } = order;
  port.on("message", (request: InferenceRequest) => {
    if (request.type !== "open") return;
    if (request.file === "break") throw new Error("out of memory");
    port.postMessage({ type: "opened", id: request.id, inputs: [], outputs: [] });
  });
});
