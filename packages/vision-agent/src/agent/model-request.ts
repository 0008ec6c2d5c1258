// llm section of the configuration + what the model can do → defaults of every request
import type { ModelProfile, RequestConfig } from "@vision-agent/agent-core";

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
