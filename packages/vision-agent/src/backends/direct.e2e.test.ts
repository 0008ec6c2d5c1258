import * as engine from "@vision-agent/vision-engine";
import { backendContract } from "./backend-contract.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { createDirectBackend } from "./direct.ts";
import { fakeSavedWorkflows } from "./fake-engine.ts";

backendContract("direct on the real engine", async () => ({
  backend: createDirectBackend({
    engine,
    savedWorkflows: fakeSavedWorkflows({ "home/look": { spec: detectionWorkflow({ modelId: "sim/truth" }) } }),
  }),
  address: "sim://street",
  modelId: "sim/truth",
  savedWorkflow: { workspace: "home", workflowId: "look" },
}));
