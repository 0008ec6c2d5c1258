// what was asked + what the model can do → settings that it does not refuse
import type OpenAI from "openai";
import type { Warn } from "../../types/events.ts";
import type { JsonSchema } from "../../types/json.ts";
import type { Usage } from "../../types/message.ts";
import type { LLMRequest, RequestConfig } from "../llm-client.ts";
import type { ProviderCall } from "../model-call.ts";
import { findToolProblem, isStrictSchema, toMaxTokens, toOutputSchema, toTemperature } from "../tool-wire.ts";
import type { OpenAIProfile } from "./profiles.data.ts";

/** Where the provider itself answers. */
export const OPENAI_ADDRESS = "https://api.openai.com/v1";

/** The same for both wires, which only spell it differently. */
export interface WireSettings {
  readonly maxTokens: number;
  readonly effort?: NonNullable<RequestConfig["effort"]>;
  readonly temperature?: number;
  readonly format?: { readonly name: string; readonly schema: JsonSchema; readonly strict: boolean };
  readonly toolChoice?: NonNullable<RequestConfig["toolChoice"]>;
  /** Only ever false. */
  readonly parallelTools?: false;
}

/** A wish that the model cannot follow gives one warning and is left out. */
export function toWireSettings({ config = {}, tools }: LLMRequest, profile: OpenAIProfile, warn: Warn): WireSettings {
  const problem = findToolProblem(config, tools, profile);
  if (problem) warn("tool_choice_ignored", problem);
  const effort = toEffort(config, profile, warn);
  const takesTemperature = profile.supportsTemperature || (profile.temperatureWithoutEffort && effort === "none");
  const schema = toOutputSchema(config, profile, warn);
  const isAlone = config.parallelTools === false && tools.length > 0 && profile.supportsParallelTools;
  return {
    maxTokens: toMaxTokens(config, profile),
    effort,
    temperature: toTemperature(config, { ...profile, supportsTemperature: takesTemperature === true }, warn),
    format: schema && { name: config.output?.name ?? "", schema, strict: isStrictSchema(schema) },
    toolChoice: problem || tools.length === 0 ? undefined : config.toolChoice,
    parallelTools: isAlone ? false : undefined,
  };
}

function toEffort(
  config: RequestConfig,
  { id, reasoning: { efforts } }: OpenAIProfile,
  warn: Warn,
): RequestConfig["effort"] {
  if (typeof config.reasoning === "object") {
    warn("reasoning_ignored", `${id} takes no budget for thinking; effort is the way to bound it.`);
  }
  const wish = config.reasoning === "off" ? "none" : config.effort;
  if (wish === undefined || efforts.includes(wish)) return wish;
  // A model that does not think needs no word to stop.
  if (wish !== "none" || efforts.length > 0) warn("effort_ignored", `${id} does not take the effort "${wish}".`);
  return undefined;
}

/** What both wires of this provider get to make one call with. */
export type OpenAIWireCall = ProviderCall<OpenAIProfile, OpenAI>;

/** What both wires say of a number of tokens. */
export interface TokenDetails {
  readonly cached_tokens?: number | null;
  readonly cache_write_tokens?: number | null;
  readonly image_tokens?: number | null;
  readonly reasoning_tokens?: number | null;
}

/** AI-7: this provider's prompt count includes what the cache served, ours does not. */
export function toUsage(
  promptTokens: number | null | undefined,
  outputTokens: number | null | undefined,
  prompt?: TokenDetails | null,
  output?: TokenDetails | null,
): Usage {
  const cacheReadTokens = prompt?.cached_tokens ?? 0;
  const cacheWriteTokens = prompt?.cache_write_tokens ?? 0;
  return {
    inputTokens: Math.max(0, (promptTokens ?? 0) - cacheReadTokens - cacheWriteTokens),
    outputTokens: outputTokens ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: output?.reasoning_tokens ?? 0,
    imageTokens: prompt?.image_tokens || undefined,
    estimated: false,
  };
}

/** The system prompt as one text; empty when there is none. */
export function toSystemText({ system }: LLMRequest): string {
  return system
    .map(({ text }) => text)
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}
