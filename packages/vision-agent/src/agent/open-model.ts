// key + settings → a client for the provider's models, and how each is asked
import type { LLMClient, ModelProfile, RequestConfig } from "@vision-agent/agent-core";
import type { AnthropicClientOptions } from "@vision-agent/agent-core/anthropic";
import type { OpenAIClientOptions } from "@vision-agent/agent-core/openai";
import type { Config } from "../config/config-schema.ts";
import { type Destination, toDestination } from "../egress/destination.ts";
import { guardModel, type ModelGuardOptions } from "../egress/guard-model.ts";
import type { SpeakingModel } from "./vision-agent.ts";

/** What decides about the pictures of each request. */
export type ModelEgress = Omit<ModelGuardOptions, "to">;

const ANTHROPIC = "https://api.anthropic.com";
const OPENAI = "https://api.openai.com";

/** Who receives the pictures that a model is shown. */
export function modelDestination({ provider, baseUrl }: Pick<Config["llm"], "provider" | "baseUrl">): Destination {
  return toDestination("model", baseUrl ?? (provider === "openai" ? OPENAI : ANTHROPIC));
}

/** Loaded only when there is a key: the provider's library costs start time that the offline mode does not have. */
export async function openAnthropic(options: AnthropicClientOptions, egress: ModelEgress): Promise<LLMClient> {
  const { createAnthropicClient } = await import("@vision-agent/agent-core/anthropic");
  const to = modelDestination({ provider: "anthropic", baseUrl: options.baseURL });
  return guardModel(createAnthropicClient(options), { ...egress, to });
}

/** OpenAI, or a server that speaks like it. */
export async function openOpenAI(options: OpenAIClientOptions, egress: ModelEgress): Promise<LLMClient> {
  const { createOpenAIClient } = await import("@vision-agent/agent-core/openai");
  const to = modelDestination({ provider: "openai", baseUrl: options.baseURL });
  return guardModel(createOpenAIClient(options), { ...egress, to });
}

/** What the client knows of a model, beside what the configuration wants of it. Throws `AgentError` code `unknown_model`. */
export async function toSpeakingModel(
  client: Pick<LLMClient, "profile">,
  model: string,
  settings: ModelSettings,
): Promise<SpeakingModel> {
  const profile = await client.profile(model);
  return { model, config: toRequestConfig(settings, profile), price: profile.price };
}

/** `llm` of `config.yaml`, as far as requests need it. */
export interface ModelSettings {
  /** Most tokens of one answer. */
  readonly maxTokens: number;
  readonly thinking: { readonly enabled: boolean; readonly budgetTokens: number };
}

/** A wish that the model has no way to follow is left out: its own default holds. */
export function toRequestConfig(settings: ModelSettings, { reasoning, maxOutput }: ModelProfile): RequestConfig {
  const modes = reasoning?.modes ?? [];
  const maxTokens = Math.min(settings.maxTokens, maxOutput);
  const { enabled, budgetTokens } = settings.thinking;
  if (enabled && modes.includes("budget")) {
    // The budget is part of the answer's tokens: the answer keeps its room.
    return { maxTokens: Math.min(maxTokens + budgetTokens, maxOutput), reasoning: { budgetTokens } };
  }
  if (!enabled && modes.includes("off")) return { maxTokens, reasoning: "off" };
  return { maxTokens };
}
