// key → a client for the provider's models
import type { LLMClient } from "@vision-agent/agent-core";
import type { AnthropicClientOptions } from "@vision-agent/agent-core/anthropic";

/** Loaded only when there is a key: the provider's library costs start time that the offline mode does not have. */
export async function openAnthropic(options: AnthropicClientOptions): Promise<LLMClient> {
  const { createAnthropicClient } = await import("@vision-agent/agent-core/anthropic");
  return createAnthropicClient(options);
}
