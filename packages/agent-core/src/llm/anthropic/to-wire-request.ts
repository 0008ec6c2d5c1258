// LLMRequest → body of POST /v1/messages

import type Anthropic from "@anthropic-ai/sdk";
import type { Warn } from "../../types/events.ts";
import { toClosedSchema } from "../closed-schema.ts";
import type { LLMRequest, RequestConfig, SystemBlock, ToolDefinition } from "../llm-client.ts";
import { findToolProblem } from "../tool-choice.ts";
import { markCache } from "./cache-marks.ts";
import type { AnthropicProfile } from "./profiles.data.ts";
import { type ContentContext, toWireTurns } from "./wire-content.ts";
import { toThinking } from "./wire-thinking.ts";

/** With adaptive thinking the cap counts the thinking too, so a chat answer needs this much. */
const DEFAULT_MAX_TOKENS = 16_000;

/** The provider's own models refuse a temperature, and the SDK forgot it; others behind this API may take one. */
type WireRequest = Anthropic.MessageCreateParamsStreaming & { readonly temperature?: number };

export async function toWireRequest(request: LLMRequest, context: ContentContext): Promise<WireRequest> {
  const { profile, warn } = context;
  const { tools: ownTools, ...own } = request.config?.providerOptions ?? {};
  const parts = {
    tools: [
      ...request.tools.map((tool) => toTool(tool, profile)),
      ...((ownTools ?? []) as unknown as Anthropic.ToolUnion[]),
    ],
    system: toSystem(request.system),
    turns: await toWireTurns(request.messages, context),
  };
  return {
    model: request.model,
    stream: true,
    ...toSettings(request, context),
    ...markCache(parts, request.cache, profile, warn),
    ...own,
  };
}

/** The body of POST /v1/messages/count_tokens: the same without what only an answer needs. */
export function toCountRequest(request: WireRequest): Anthropic.MessageCountTokensParams {
  const { model, messages, system, tools, tool_choice, thinking, output_config } = request;
  return {
    model,
    messages,
    ...(system ? { system } : {}),
    ...(tools ? { tools: tools as Anthropic.MessageCountTokensTool[] } : {}),
    ...(tool_choice ? { tool_choice } : {}),
    ...(thinking ? { thinking } : {}),
    ...(output_config ? { output_config } : {}),
  };
}

function toSettings(
  { config = {}, tools }: LLMRequest,
  { profile, warn }: ContentContext,
): Pick<WireRequest, "max_tokens" | "temperature" | "thinking" | "output_config" | "tool_choice"> {
  // AI-3: zero means the default, as undefined does.
  const maxTokens = Math.min(config.maxTokens || DEFAULT_MAX_TOKENS, profile.maxOutput);
  const choice = toToolChoice(config, tools, profile, warn);
  const forced = choice?.type === "any" || choice?.type === "tool";
  const { thinking, effort } = toThinking(config, { profile, maxTokens, forced, warn });
  const format = toFormat(config, profile, warn);
  return {
    max_tokens: maxTokens,
    ...toTemperature(config, profile, warn),
    ...(thinking ? { thinking } : {}),
    ...(effort || format ? { output_config: { ...(effort ? { effort } : {}), ...(format ? { format } : {}) } } : {}),
    ...(choice ? { tool_choice: choice } : {}),
  };
}

function toTemperature(
  config: RequestConfig,
  profile: AnthropicProfile,
  warn: Warn,
): { readonly temperature?: number } {
  // AI-3: minus one means the default, as undefined does.
  if (config.temperature === undefined || config.temperature === -1) return {};
  if (profile.supportsTemperature) return { temperature: config.temperature };
  warn("temperature_ignored", `${profile.id} does not take a temperature.`);
  return {};
}

function toToolChoice(
  config: RequestConfig,
  tools: readonly ToolDefinition[],
  profile: AnthropicProfile,
  warn: Warn,
): Anthropic.ToolChoice | undefined {
  const problem = findToolProblem(config, tools, profile);
  if (problem) warn("tool_choice_ignored", problem);
  if (tools.length === 0) return undefined;
  const alone = config.parallelTools === false && profile.supportsParallelTools !== false;
  const one = alone ? { disable_parallel_tool_use: true } : {};
  const wish = problem ? "auto" : (config.toolChoice ?? "auto");
  if (wish === "none") return { type: "none" };
  if (wish === "required") return { type: "any", ...one };
  if (typeof wish === "object") return { type: "tool", name: wish.tool, ...one };
  return alone ? { type: "auto", ...one } : undefined;
}

function toFormat(
  { output }: RequestConfig,
  profile: AnthropicProfile,
  warn: Warn,
): Anthropic.JSONOutputFormat | undefined {
  if (!output) return undefined;
  if (profile.supportsStructuredOutput) return { type: "json_schema", schema: toClosedSchema(output.schema) };
  warn("output_schema_ignored", `${profile.id} cannot be held to a schema.`);
  return undefined;
}

/** VA-6: what stays the same comes first. */
function toSystem(blocks: readonly SystemBlock[]): { readonly id: string; readonly block: Anthropic.TextBlockParam }[] {
  const rank = ({ stability }: SystemBlock): number => (stability === "static" ? 0 : 1);
  return blocks
    .filter(({ text }) => text.trim() !== "")
    .sort((a, b) => rank(a) - rank(b))
    .map(({ id, text }) => ({ id, block: { type: "text", text } }));
}

function toTool(tool: ToolDefinition, profile: AnthropicProfile): Anthropic.Tool {
  return {
    name: tool.name,
    description: tool.description,
    input_schema: { ...tool.parameters, type: "object" as const },
    ...(tool.strict && profile.supportsStructuredOutput ? { strict: true } : {}),
  };
}
