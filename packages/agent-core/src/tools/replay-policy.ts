import type { Tool } from "./tool.ts";

/** Whether a call may be made a second time. What a tool does not say is taken for never. */
export function replayPolicyOf(tool: Tool): "safe" | "idempotent" | "never" {
  if (tool.replay) return tool.replay;
  if (tool.annotations?.readOnly) return "safe";
  return tool.annotations?.idempotent ? "idempotent" : "never";
}
