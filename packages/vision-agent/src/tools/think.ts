import { createThinkTool as createCoreThinkTool } from "@vision-agent/agent-core";
import { type GradedTool, lookOnly } from "./autonomy.ts";

/** A place to plan; does nothing. */
export function createThinkTool(): GradedTool<{ readonly thought: string }> {
  return lookOnly(createCoreThinkTool());
}
