import type { ModelProfile, RequestConfig, ToolDefinition } from "./llm-client.ts";

/** Why a choice of tool cannot be sent, as a warning; undefined when it can. */
export function findToolProblem(
  { toolChoice }: RequestConfig,
  tools: readonly ToolDefinition[],
  profile: ModelProfile,
): string | undefined {
  if (toolChoice === undefined || toolChoice === "auto" || toolChoice === "none") return undefined;
  if (!profile.supportsForcedToolChoice) {
    return `tool_choice_ignored: ${profile.id} cannot be forced to use a tool.`;
  }
  const name = typeof toolChoice === "object" ? toolChoice.tool : undefined;
  const found = name === undefined ? tools.length > 0 : tools.some((tool) => tool.name === name);
  return found ? undefined : `tool_choice_ignored: There is no tool${name === undefined ? "" : ` "${name}"`} to force.`;
}
