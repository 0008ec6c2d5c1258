// what was asked + what the model can do → settings that it does not refuse

import type OpenAI from "openai";
import type { Warn } from "../../types/events.ts";
import type { JsonSchema } from "../../types/json.ts";
import { NO_USAGE, type Usage } from "../../types/usage.ts";
import type { AnswerContext } from "../finish-response.ts";
import type { ImageSource } from "../image-source.ts";
import type { LLMRequest, RequestConfig } from "../llm-client.ts";
import { findToolProblem, isStrictSchema, toClosedSchema } from "../tool-wire.ts";
import type { OpenAIProfile } from "./profiles.data.ts";

/** Reasoning counts into the cap, so a chat answer needs this much. */
const DEFAULT_MAX_TOKENS = 16_000;

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
  const choice = problem || tools.length === 0 ? undefined : config.toolChoice;
  return {
    // AI-3: zero means the default, as undefined does.
    maxTokens: Math.min(config.maxTokens || DEFAULT_MAX_TOKENS, profile.maxOutput),
    effort,
    ...toTemperature(config, profile, effort, warn),
    ...toFormat(config, profile, warn),
    toolChoice: choice,
    ...(config.parallelTools === false && tools.length > 0 && profile.supportsParallelTools
      ? { parallelTools: false }
      : {}),
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

function toTemperature(
  { temperature }: RequestConfig,
  profile: OpenAIProfile,
  effort: RequestConfig["effort"],
  warn: Warn,
): { readonly temperature?: number } {
  // AI-3: minus one means the default, as undefined does.
  if (temperature === undefined || temperature === -1) return {};
  if (profile.supportsTemperature || (profile.temperatureWithoutEffort && effort === "none")) return { temperature };
  warn("temperature_ignored", `${profile.id} does not take a temperature.`);
  return {};
}

function toFormat({ output }: RequestConfig, profile: OpenAIProfile, warn: Warn): Pick<WireSettings, "format"> {
  if (!output) return {};
  if (!profile.supportsStructuredOutput) {
    warn("output_schema_ignored", `${profile.id} cannot be held to a schema.`);
    return {};
  }
  const schema = toClosedSchema(output.schema);
  return { format: { name: output.name, schema, strict: isStrictSchema(schema) } };
}

/** What both wires of this provider get to make one call with. */
export interface OpenAIWireCall {
  readonly sdk: OpenAI;
  readonly signal: AbortSignal;
  readonly images: ImageSource;
  readonly profile: OpenAIProfile;
  readonly warn: Warn;
  readonly answer: Omit<AnswerContext, "requestId">;
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

/** The server never said. */
export const UNREPORTED_USAGE: Usage = { ...NO_USAGE, estimated: true };
