// what was asked + what the model can do → settings that it does not refuse

import type OpenAI from "openai";
import type { Warn } from "../../types/events.ts";
import type { JsonSchema } from "../../types/json.ts";
import type { Usage } from "../../types/usage.ts";
import type { WireContext } from "../image-source.ts";
import type { LLMRequest, RequestConfig } from "../llm-client.ts";
import { findToolProblem, isStrictSchema, toMaxTokens, toOutputSchema, toTemperature } from "../tool-wire.ts";
import type { OpenAIProfile } from "./profiles.data.ts";

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
export interface OpenAIWireCall extends WireContext<OpenAIProfile> {
  readonly sdk: OpenAI;
  readonly signal: AbortSignal;
  readonly messageId: string;
}

/** Both wires' reports under one set of names. */
interface TokenReport {
  /** All of the prompt, cached tokens included. */
  readonly prompt: number;
  readonly output: number;
  readonly cached?: number | null | undefined;
  readonly written?: number | null | undefined;
  readonly reasoning?: number | null | undefined;
  readonly image?: number | null | undefined;
}

/** AI-7: this provider's prompt count includes what the cache served, ours does not. */
export function toUsage({ prompt, output, cached, written, reasoning, image }: TokenReport): Usage {
  const cacheReadTokens = cached ?? 0;
  const cacheWriteTokens = written ?? 0;
  return {
    inputTokens: Math.max(0, prompt - cacheReadTokens - cacheWriteTokens),
    outputTokens: output,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: reasoning ?? 0,
    imageTokens: image || undefined,
    estimated: false,
  };
}
