// Anthropic's models behind the port of the core
export {
  type AnthropicClientOptions,
  createAnthropicClient,
  DEFAULT_ANTHROPIC_MODEL,
} from "./llm/anthropic/anthropic-client.ts";
export { ANTHROPIC_PROFILES, type AnthropicProfile } from "./llm/anthropic/profiles.data.ts";
export type { ImageBytes, ImageFitter } from "./llm/image-source.ts";
export type { ProfilePatch } from "./llm/profile-book.ts";
export type { FetchLike } from "./llm/tapped-fetch.ts";
