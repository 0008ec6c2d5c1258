import * as engine from "@vision-agent/vision-engine";
import { backendContract } from "./backend-contract.ts";
import { createDirectBackend } from "./direct.ts";

backendContract("direct on the real engine", async () => ({
  backend: createDirectBackend({ engine }),
  address: "sim://street",
  modelId: "sim/truth",
}));
