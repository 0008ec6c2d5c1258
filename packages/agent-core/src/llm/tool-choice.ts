import type { ModelProfile, RequestConfig, ToolDefinition } from "./llm-client.ts";

/** Why a choice of tool cannot be sent (`tool_choice_ignored`); undefined when it can. */
export function findToolProblem(
  { toolChoice }: RequestConfig,
  tools: readonly ToolDefinition[],
  profile: ModelProfile,
): string | undefined {
  if (toolChoice === undefined || toolChoice === "auto" || toolChoice === "none") return undefined;
  if (!profile.supportsForcedToolChoice) {
    return `${profile.id} cannot be forced to use a tool.`;
  }
  const name = typeof toolChoice === "object" ? toolChoice.tool : undefined;
  const found = name === undefined ? tools.length > 0 : tools.some((tool) => tool.name === name);
  return found ? undefined : `There is no tool${name === undefined ? "" : ` "${name}"`} to force.`;
}
