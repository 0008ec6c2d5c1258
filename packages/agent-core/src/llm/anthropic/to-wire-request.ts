// LLMRequest → body of POST /v1/messages
import type Anthropic from "@anthropic-ai/sdk";
import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema";
import type { Warn } from "../../types/events.ts";
import type { Json, JsonSchema } from "../../types/json.ts";
import type { LLMRequest, RequestConfig, SystemBlock, ToolDefinition } from "../llm-client.ts";
import { findToolProblem, tellOutput, toMaxTokens, toOutputSchema, toTemperature } from "../tool-wire.ts";
import { markCache } from "./cache-marks.ts";
import type { AnthropicProfile } from "./profiles.data.ts";
import { type ContentContext, toWireTurns } from "./wire-content.ts";

/** The provider's own models refuse a temperature, and the SDK forgot it; others behind this API may take one. */
type WireRequest = Anthropic.MessageCreateParamsStreaming & { readonly temperature?: number };

export async function toWireRequest(given: LLMRequest, context: ContentContext): Promise<WireRequest> {
  const { profile, warn } = context;
  const request = withHeldOutput(given, context);
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
    system,
    tools: tools as Anthropic.MessageCountTokensTool[],
    tool_choice,
    thinking,
    output_config,
  };
}

/** Limits that the provider does not take stand in descriptions; a schema that it cannot be held to is told in words. */
function withHeldOutput(request: LLMRequest, { profile, warn }: ContentContext): LLMRequest {
  const output = request.config?.output;
  if (!output || !profile.supportsStructuredOutput) return request;
  const schema = toHeldSchema(output.schema);
  if (schema) return { ...request, config: { ...request.config, output: { ...output, schema } } };
  const why = "objects with names of any kind, or values of any type, are not among what it can be held to";
  warn("output_schema_ignored", `${profile.id} was told the schema of the answer in words: ${why}.`);
  const { config: { output: _, ...config } = {}, ...told } = tellOutput(request, { supportsStructuredOutput: false });
  return { ...told, config };
}

function toHeldSchema(schema: JsonSchema): JsonSchema | undefined {
  if (isOpen(schema)) return undefined;
  try {
    return transformJSONSchema(schema) as JsonSchema;
  } catch {
    // The SDK throws for a value of any type.
    return undefined;
  }
}

/** Objects that may have any names, and types that the SDK's function does not look into. */
function isOpen(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.some(isOpen);
  if (typeof schema !== "object" || schema === null) return false;
  const { type, additionalProperties = false } = schema;
  if (additionalProperties !== false || (Array.isArray(type) && (type.includes("object") || type.includes("array"))))
    return true;
  return Object.values(schema).some(isOpen);
}

function toSettings(
  { config = {}, tools }: LLMRequest,
  { profile, warn }: ContentContext,
): Pick<WireRequest, "max_tokens" | "temperature" | "thinking" | "output_config" | "tool_choice"> {
  const maxTokens = toMaxTokens(config, profile);
  const choice = toToolChoice(config, tools, profile, warn);
  const forced = choice?.type === "any" || choice?.type === "tool";
  const { thinking, effort } = toThinking(config, { profile, maxTokens, forced, warn });
  const schema = toOutputSchema(config, profile, warn);
  const format = schema && ({ type: "json_schema", schema } as const);
  return {
    max_tokens: maxTokens,
    temperature: toTemperature(config, profile, warn),
    thinking,
    output_config: effort || format ? { effort, format } : undefined,
    tool_choice: choice,
  };
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
    strict: tool.strict && profile.supportsStructuredOutput ? true : undefined,
  };
}

type Fields = { readonly thinking?: Anthropic.ThinkingConfigParam; readonly effort?: Anthropic.OutputConfig["effort"] };

/** The provider's lower bound. */
const MIN_BUDGET = 1_024;
/** Efforts that go with thinking between tools only. */
const MODEST: readonly string[] = ["low", "medium", "high"];

/** A wish that the model cannot follow gives one warning and the nearest thing that it can. */
export function toThinking(
  config: RequestConfig,
  options: {
    readonly profile: AnthropicProfile;
    readonly maxTokens: number;
    /** A tool is forced: no room for thinking where it can be left out. */
    readonly forced: boolean;
    readonly warn: Warn;
  },
): Fields {
  const { profile, warn } = options;
  const { modes, efforts } = profile.reasoning;
  const asked = config.effort === "none" ? "off" : (config.reasoning ?? "auto");
  const isForced = options.forced && modes.includes("off");
  if (isForced && typeof asked === "object") warn("reasoning_ignored", "A forced tool leaves no room for thinking.");
  const wish = isForced ? "off" : asked;
  const effort = toEffort(config, profile, warn);
  if (wish === "off") {
    if (modes.length === 0) return effort;
    if (!modes.includes("off")) {
      warn("reasoning_ignored", `${profile.id} always thinks; it was asked to think little.`);
      return { thinking: ADAPTIVE, effort: efforts.includes("low") ? "low" : undefined };
    }
    return turnedOff(profile, effort, warn);
  }
  if (typeof wish === "object") {
    if (modes.includes("budget")) return { thinking: toBudget(wish.budgetTokens, options), ...effort };
    warn("reasoning_ignored", `${profile.id} takes no budget for thinking; effort is the way to bound it.`);
  }
  return modes.includes("adaptive") ? { thinking: ADAPTIVE, ...effort } : effort;
}

// Without a display the text between tool calls arrives empty.
const ADAPTIVE: Anthropic.ThinkingConfigAdaptive = { type: "adaptive", display: "summarized" };

function toEffort(config: RequestConfig, profile: AnthropicProfile, warn: Warn): Fields {
  const { effort } = config;
  if (effort === undefined || effort === "none") return {};
  if (profile.reasoning.efforts.includes(effort)) return { effort };
  warn("effort_ignored", `${profile.id} does not take the effort "${effort}".`);
  return {};
}

function turnedOff(profile: AnthropicProfile, { effort }: Fields, warn: Warn): Fields {
  if (profile.thinkingOff !== "between_tools") return { thinking: { type: "disabled" }, effort };
  if (effort && !MODEST.includes(effort)) {
    warn("effort_ignored", `Without thinking ${profile.id} takes no effort above high.`);
    return { thinking: { type: "between_tools" }, effort: "high" };
  }
  return { thinking: { type: "between_tools" }, effort };
}

function toBudget(
  wanted: number,
  { maxTokens, profile, warn }: { readonly maxTokens: number; readonly profile: AnthropicProfile; readonly warn: Warn },
): Anthropic.ThinkingConfigParam {
  const budget = Math.max(MIN_BUDGET, Math.min(wanted, maxTokens - 1));
  if (budget >= maxTokens) {
    warn("reasoning_ignored", `${maxTokens} tokens leave no room for thinking.`);
    return { type: "disabled" };
  }
  if (budget !== wanted) warn("reasoning_bounded", `${profile.id} thinks for ${budget} tokens instead of ${wanted}.`);
  return { type: "enabled", budget_tokens: budget, display: "summarized" };
}
