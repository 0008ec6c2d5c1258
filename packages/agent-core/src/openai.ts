// OpenAI's models, and servers that speak like it, behind the port of the core
export type { ImageBytes, ImageFitter } from "./llm/image-source.ts";
export { createOpenAIClient, DEFAULT_OPENAI_MODEL, type OpenAIClientOptions } from "./llm/openai/openai-client.ts";
export { OPENAI_PROFILES, type OpenAIProfile } from "./llm/openai/profiles.data.ts";
export type { ProfilePatch } from "./llm/profile-book.ts";
export type { FetchLike } from "./llm/tapped-fetch.ts";
