// LLMRequest → OpenAI, or a server that speaks like it → deltas and a response

import OpenAI, { APIConnectionError, APIError } from "openai";
import { createRedactor, type Redactor } from "../../observability/redact.ts";
import { systemClock } from "../../types/clock.ts";
import { type AgentError, agentError } from "../../types/errors.ts";
import type { CallContext, LLMClient, LLMRequest } from "../llm-client.ts";
import {
  callOnce,
  createModelCalls,
  type FetchLike,
  type ModelCall,
  type ModelClientOptions,
  type ModelWire,
} from "../model-call.ts";
import { createModelProfiles, type ProfilePatch } from "../model-profiles.ts";
import { answerByChat } from "../openai-chat/answer-by-chat.ts";
import { answerByResponses, countByResponses } from "../openai-responses/answer-by-responses.ts";
import { toAbortError, toCallError, toConnectionError, toWireError } from "../wire-error.ts";
import { CAUTIOUS_OPENAI_PROFILE, OPENAI_PROFILES, type OpenAIProfile } from "./profiles.data.ts";
import type { OpenAIWireCall } from "./wire-settings.ts";

/** What a chat uses when nothing else is configured. */
export const DEFAULT_OPENAI_MODEL = "gpt-6.1-terra";
const OWN_ADDRESS = "https://api.openai.com/v1";

export interface OpenAIClientOptions extends ModelClientOptions<OpenAIProfile> {
  /** Default `responses`; `chat` with a `baseURL` (with the `/v1` that most servers have), because compatible servers know that one. */
  readonly api?: "responses" | "chat";
}

/** AF-36: the official SDK behind our port. Retries belong to the caller (`withRetries`). Throws `auth` for an empty key. */
export function createOpenAIClient(options: OpenAIClientOptions): LLMClient {
  if (options.apiKey === "") {
    throw agentError("invalid", "auth", "The API key for OpenAI is empty.");
  }
  const { fetch = globalThis.fetch, api = options.baseURL === undefined ? "responses" : "chat" } = options;
  const redactor = createRedactor({ secrets: [options.apiKey] });
  const models = openProfiles(options, api, fetch);
  const open = async (request: LLMRequest, context: CallContext, call: ModelCall): Promise<OpenAIWireCall> => ({
    sdk: createSdk(options, call.fetch, context.timers),
    signal: call.signal,
    images: { bytes: options.artifacts, fitter: options.imagePreparer },
    profile: await models.find(request.model, call.warn),
    warn: call.warn,
    messageId: context.messageId,
  });
  const wire: ModelWire = {
    fetch,
    classify: (thrown, signal) => classifyOpenAIError(thrown, signal, redactor),
    async *answer(request, context, call) {
      const opened = await open(request, context, call);
      return yield* api === "chat" ? answerByChat(request, opened) : answerByResponses(request, opened);
    },
  };
  const client: LLMClient = { provider: "openai", profile: (model) => models.find(model), ...createModelCalls(wire) };
  // The chat wire has no address for counting.
  if (api === "chat") return client;
  const countTokens: LLMClient["countTokens"] = (request, context) =>
    callOnce(wire, context, async (call) => countByResponses(request, await open(request, context, call)));
  return { ...client, countTokens };
}

function openProfiles(options: OpenAIClientOptions, api: "responses" | "chat", fetch: FetchLike) {
  const list = async (signal: AbortSignal): Promise<readonly ProfilePatch<OpenAIProfile>[]> => {
    const { data } = await createSdk(options, fetch).models.list({ signal });
    return data.map(toPatch);
  };
  return createModelProfiles<OpenAIProfile>({
    // VI-7: pictures in a tool's result are a matter of the wire.
    builtin: OPENAI_PROFILES.map((profile) => ({ ...profile, supportsToolResultImages: api === "responses" })),
    configured: options.profiles ?? [],
    list: options.refreshProfiles === false ? undefined : list,
    guess(model, listed) {
      // A server without a list may have any model; the provider itself is known to have a list.
      const mayBe = listed === "listed" || (listed === "no_list" && options.baseURL !== undefined);
      return mayBe ? { ...CAUTIOUS_OPENAI_PROFILE, id: model } : undefined;
    },
    clock: options.clock ?? systemClock,
  });
}

/** Some compatible servers tell the size of the window. */
function toPatch(model: OpenAI.Model & { readonly max_model_len?: unknown }): ProfilePatch<OpenAIProfile> {
  const { id, max_model_len: window } = model;
  return typeof window === "number" && window > 0 ? { id, contextWindow: window } : { id };
}

/** One SDK object per call, because each call taps its own fetch. Nothing is read from the environment that we set here. */
function createSdk(options: OpenAIClientOptions, fetch: FetchLike, timers?: CallContext["timers"]): OpenAI {
  return new OpenAI({
    apiKey: options.apiKey,
    baseURL: options.baseURL ?? OWN_ADDRESS,
    organization: null,
    project: null,
    fetch,
    maxRetries: 0,
    timeout: timers?.attemptMs,
    logLevel: "off",
  });
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
export function classifyOpenAIError(thrown: unknown, signal: AbortSignal, redactor: Redactor): AgentError {
  if (signal.aborted) return toAbortError(signal);
  if (thrown instanceof APIConnectionError) return toConnectionError(thrown, redactor);
  if (!(thrown instanceof APIError)) return toCallError(thrown, redactor);
  const { code, type } = thrown;
  return toWireError(
    {
      status: thrown.status ?? statusOf(code) ?? statusOf(type),
      names: [type, code === null || code === undefined ? undefined : String(code)],
      said: saidBy(thrown),
      headers: thrown.headers,
    },
    redactor,
  );
}

/** Gateways in front of other servers send a bare status as the code. */
function statusOf(name: unknown): number | undefined {
  const status = Number(name);
  if (Number.isInteger(status) && status >= 400 && status < 600) return status;
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
