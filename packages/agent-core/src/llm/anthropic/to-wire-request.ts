// LLMRequest → body of POST /v1/messages
import type Anthropic from "@anthropic-ai/sdk";
import type { LLMRequest, RequestConfig, SystemBlock, ToolDefinition } from "../llm-client.ts";
import type { AnthropicProfile } from "./profiles.data.ts";
import { type ContentContext, toWireMessages } from "./wire-content.ts";

/** With adaptive thinking the cap counts the thinking too, so a chat answer needs this much. */
const DEFAULT_MAX_TOKENS = 16_000;
const CACHE: Anthropic.CacheControlEphemeral = { type: "ephemeral" };

/** The provider's own models refuse a temperature, and the SDK forgot it; others behind this API may take one. */
type WireRequest = Anthropic.MessageCreateParamsStreaming & { readonly temperature?: number };

export async function toWireRequest(request: LLMRequest, context: ContentContext): Promise<WireRequest> {
  const { profile } = context;
  const system = toSystem(request.system);
  const tools = toTools(request.tools);
  return {
    model: request.model,
    max_tokens: toMaxTokens(request.config, profile),
    stream: true,
    ...(system.length > 0 ? { system } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...toSampling(request.config ?? {}, context),
    messages: await toWireMessages(request.messages, context),
  };
}

/** AI-3: zero means the default, as undefined does. */
function toMaxTokens(config: RequestConfig | undefined, profile: AnthropicProfile): number {
  return Math.min(config?.maxTokens || DEFAULT_MAX_TOKENS, profile.maxOutput);
}

function toSampling(
  config: RequestConfig,
  { profile, warn }: ContentContext,
): Pick<WireRequest, "temperature" | "thinking" | "output_config"> {
  // AI-3: minus one means the default, as undefined does.
  const temperature = config.temperature === -1 ? undefined : config.temperature;
  if (temperature !== undefined && !profile.supportsTemperature) {
    warn(`temperature_ignored: ${profile.id} does not take a temperature.`);
  }
  if (config.effort !== undefined && !profile.supportsEffort) {
    warn(`effort_ignored: ${profile.id} does not take an effort.`);
  }
  return {
    ...(temperature !== undefined && profile.supportsTemperature ? { temperature } : {}),
    // Without a display the text between tool calls arrives empty.
    ...(profile.thinking === "adaptive" ? { thinking: { type: "adaptive", display: "summarized" } } : {}),
    ...(config.effort !== undefined && profile.supportsEffort ? { output_config: { effort: config.effort } } : {}),
  };
}

/** VA-6: what stays the same comes first and ends in a cache mark. */
function toSystem(blocks: readonly SystemBlock[]): Anthropic.TextBlockParam[] {
  const stable = [...blocks].filter((block) => block.text.trim() !== "").sort(byStability);
  return stable.map((block, index) => ({
    type: "text",
    text: block.text,
    ...(index === stable.length - 1 ? { cache_control: CACHE } : {}),
  }));
}

function byStability(a: SystemBlock, b: SystemBlock): number {
  const rank = (block: SystemBlock): number => (block.stability === "static" ? 0 : 1);
  return rank(a) - rank(b);
}

function toTools(tools: readonly ToolDefinition[]): Anthropic.Tool[] {
  return tools.map((tool, index) => ({
    name: tool.name,
    description: tool.description,
    input_schema: { ...tool.parameters, type: "object" as const },
    ...(index === tools.length - 1 ? { cache_control: CACHE } : {}),
  }));
}
