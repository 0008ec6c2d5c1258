// key + settings → a client for the provider's models, and how each is asked
import type { LLMClient, ModelProfile, RequestConfig } from "@vision-agent/agent-core";
import type { AnthropicClientOptions } from "@vision-agent/agent-core/anthropic";
import type { OpenAIClientOptions } from "@vision-agent/agent-core/openai";
import type { SpeakingModel } from "./vision-agent.ts";

/** Loaded only when there is a key: the provider's library costs start time that the offline mode does not have. */
export async function openAnthropic(options: AnthropicClientOptions): Promise<LLMClient> {
  const { createAnthropicClient } = await import("@vision-agent/agent-core/anthropic");
  return createAnthropicClient(options);
}

/** OpenAI, or a server that speaks like it. */
export async function openOpenAI(options: OpenAIClientOptions): Promise<LLMClient> {
  const { createOpenAIClient } = await import("@vision-agent/agent-core/openai");
  return createOpenAIClient(options);
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
