// Anthropic's models behind the port of the core
export {
  type AnthropicClientOptions,
  anthropic,
  createAnthropicClient,
  DEFAULT_ANTHROPIC_MODEL,
} from "./llm/anthropic/anthropic-client.ts";
export { ANTHROPIC_PROFILES, type AnthropicProfile } from "./llm/anthropic/profiles.data.ts";
export type { ImageFitter } from "./llm/image-source.ts";
export type { ProfilePatch } from "./llm/model-profiles.ts";
export type { FetchLike } from "./llm/watched-fetch.ts";
