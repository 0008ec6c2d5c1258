// LLMRequest → OpenAI, or a server that speaks like it → deltas and a response

import OpenAI, { APIConnectionError, APIError } from "openai";
import { requireApiKey } from "../../config/credentials.ts";
import type { AgentError } from "../../types/errors.ts";
import type { LanguageModel, LLMClient } from "../llm-client.ts";
import { createProviderClient, type ModelClientOptions } from "../model-call.ts";
import type { ProfilePatch } from "../model-profiles.ts";
import { answerByChat } from "../openai-chat/answer-by-chat.ts";
import { answerByResponses, countByResponses } from "../openai-responses/answer-by-responses.ts";
import {
  type ErrorContext,
  toAbortError,
  toCallError,
  toConnectionError,
  toStatus,
  toWireError,
} from "../wire-error.ts";
import { CAUTIOUS_OPENAI_PROFILE, OPENAI_PROFILES, type OpenAIProfile } from "./profiles.data.ts";
import { OPENAI_ADDRESS } from "./wire-settings.ts";

/** What a chat uses when nothing else is configured. */
export const DEFAULT_OPENAI_MODEL = "gpt-6.1-terra";
/** Servers that answer 400 when an earlier call comes without the thinking before it. */
const RETURNING_HOSTS = /(^|\.)(deepseek\.com|moonshot\.(ai|cn)|z\.ai|bigmodel\.cn)$/;

/** Key, address, wire and limits of an OpenAI client. */
export interface OpenAIClientOptions extends ModelClientOptions<OpenAIProfile> {
  /** Default `responses`; `chat` with a `baseURL` (with the `/v1` that most servers have), because compatible servers know that one. */
  readonly api?: "responses" | "chat" | undefined;
}

/** AF-36: the official SDK behind our port. Retries belong to the caller (`withRetries`). Throws `auth` for an empty key. */
export function createOpenAIClient(options: OpenAIClientOptions): LLMClient {
  const { api = options.baseURL === undefined ? "responses" : "chat" } = options;
  const returnsReasoning = options.baseURL !== undefined && RETURNING_HOSTS.test(new URL(options.baseURL).hostname);
  return createProviderClient<OpenAIProfile, OpenAI>(
    {
      provider: "openai",
      name: "OpenAI",
      profiles: {
        // VI-7: pictures in a tool's result are a matter of the wire.
        builtin: OPENAI_PROFILES.map((profile) => ({
          ...profile,
          supportsToolResultImages: api === "responses",
          returnsReasoning,
        })),
        guess(model, listed) {
          // A server without a list may have any model; the provider itself is known to have a list.
          const mayBe = listed === "listed" || (listed === "no_list" && options.baseURL !== undefined);
          return mayBe ? { ...CAUTIOUS_OPENAI_PROFILE, id: model, returnsReasoning } : undefined;
        },
      },
      openSdk: ({ baseURL = OPENAI_ADDRESS, ...settings }) =>
        new OpenAI({ ...settings, baseURL, organization: null, project: null }),
      listModels: async (sdk, signal) => (await sdk.models.list({ signal })).data.map(toPatch),
      statusOf,
      classify: classifyOpenAIError,
      answer: api === "chat" ? answerByChat : answerByResponses,
      // The chat wire has no address for counting.
      count: api === "chat" ? undefined : countByResponses,
    },
    options,
  );
}

/** A model of OpenAI's, or of a server that speaks like it, for `createAgent`. Without `apiKey` and `baseURL` the key is that of `OPENAI_API_KEY`. */
export function openai(id: string = DEFAULT_OPENAI_MODEL, options: Partial<OpenAIClientOptions> = {}): LanguageModel {
  return { id, client: createOpenAIClient({ ...options, apiKey: requireApiKey("openai", options) }) };
}

/** Some compatible servers tell the size of the window. */
function toPatch(model: OpenAI.Model & { readonly max_model_len?: unknown }): ProfilePatch<OpenAIProfile> {
  const { id, max_model_len: window } = model;
  return typeof window === "number" && window > 0 ? { id, contextWindow: window } : { id };
}

/** An error in the middle of a stream has names and no status. */
const STATUS_BY_NAME: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  invalid_prompt: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  permission_error: 403,
  model_not_found: 404,
  not_found_error: 404,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  requests: 429,
  tokens: 429,
  server_error: 500,
  overloaded_error: 529,
};
/** Codes of pictures that the provider could not take. */
const IMAGE_CODE = /image/;

/** An aborted call gives the abort's own error. */
export function classifyOpenAIError(thrown: unknown, signal: AbortSignal, context: ErrorContext): AgentError {
  if (signal.aborted) return toAbortError(signal);
  if (thrown instanceof APIConnectionError) return toConnectionError(thrown, context);
  if (!(thrown instanceof APIError)) return toCallError(thrown, context);
  const { code, type } = thrown;
  return toWireError(
    {
      status: thrown.status ?? statusOf(code) ?? statusOf(type),
      names: [type, code === null || code === undefined ? undefined : String(code)],
      said: saidBy(thrown),
      headers: thrown.headers,
    },
    context,
  );
}

function statusOf(name: unknown): number | undefined {
  const status = toStatus(name);
  if (status !== undefined) return status;
  if (typeof name !== "string") return undefined;
  return STATUS_BY_NAME[name] ?? (IMAGE_CODE.test(name) ? 400 : undefined);
}

/** The SDK puts the status before the words, and JSON where it finds no words. */
function saidBy(thrown: APIError): string {
  const body: unknown = thrown.error;
  if (typeof body === "object" && body !== null && "message" in body && typeof body.message === "string") {
    return body.message;
  }
  return thrown.message;
}
