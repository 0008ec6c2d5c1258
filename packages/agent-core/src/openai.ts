// OpenAI's models, and servers that speak like it, behind the port of the core
export type { ImageFitter } from "./llm/image-source.ts";
export type { ProfilePatch } from "./llm/model-profiles.ts";
export {
  createOpenAIClient,
  DEFAULT_OPENAI_MODEL,
  type OpenAIClientOptions,
  openai,
} from "./llm/openai/openai-client.ts";
export { OPENAI_PROFILES, type OpenAIProfile } from "./llm/openai/profiles.data.ts";
export type { FetchLike } from "./llm/watched-fetch.ts";
