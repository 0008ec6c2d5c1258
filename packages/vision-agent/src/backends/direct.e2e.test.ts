import * as engine from "@vision-agent/vision-engine";
import { backendContract } from "../testing/backend-contract.ts";
import { fakeSavedWorkflows } from "../testing/fake-engine.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { createDirectBackend } from "./direct.ts";

backendContract("direct on the real engine", async () => ({
  backend: createDirectBackend({
    engine,
    savedWorkflows: fakeSavedWorkflows({ "home/look": { spec: detectionWorkflow({ modelId: "sim/truth" }) } }),
  }),
  address: "sim://street",
  modelId: "sim/truth",
  savedWorkflow: { workspace: "home", workflowId: "look" },
}));
