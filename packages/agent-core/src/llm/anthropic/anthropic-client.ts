// LLMRequest → Anthropic's Messages API → deltas and a response

import Anthropic, { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { requireApiKey } from "../../config/credentials.ts";
import type { AgentError } from "../../types/errors.ts";
import type { LanguageModel, LLMClient } from "../llm-client.ts";
import { createProviderClient, type ModelClientOptions, type ProviderWire, readEvents } from "../model-call.ts";
import type { ProfilePatch } from "../model-profiles.ts";
import {
  type ErrorContext,
  protocolError,
  toAbortError,
  toCallError,
  toConnectionError,
  toStatus,
  toWireError,
} from "../wire-error.ts";
import { MESSAGE_EVENT, ResponseAssembler } from "./assemble-response.ts";
import { ANTHROPIC_PROFILES, type AnthropicProfile, CAUTIOUS_PROFILE } from "./profiles.data.ts";
import { toCountRequest, toWireRequest } from "./to-wire-request.ts";

/** What a chat uses when nothing else is configured. */
export const DEFAULT_ANTHROPIC_MODEL = "claude-sonnet-5-5";

/** Key, address and limits of an Anthropic client. */
export type AnthropicClientOptions = ModelClientOptions<AnthropicProfile>;

/** AI-12: the official SDK behind our port. Retries belong to the caller (`withRetries`). Throws `auth` for an empty key. */
export function createAnthropicClient(options: AnthropicClientOptions): LLMClient {
  return createProviderClient(WIRE, options);
}

/** A model of Anthropic's for `createAgent`. Without `apiKey` the key is that of `ANTHROPIC_API_KEY`. */
export function anthropic(
  id: string = DEFAULT_ANTHROPIC_MODEL,
  options: Partial<AnthropicClientOptions> = {},
): LanguageModel {
  return { id, client: createAnthropicClient({ ...options, apiKey: requireApiKey("anthropic", options) }) };
}

const WIRE: ProviderWire<AnthropicProfile, Anthropic> = {
  provider: "anthropic",
  name: "Anthropic",
  profiles: { builtin: ANTHROPIC_PROFILES, guess: guessProfile },
  openSdk: ({ baseURL = "https://api.anthropic.com", ...settings }) =>
    new Anthropic({ ...settings, baseURL, openTelemetry: false }),
  // VI-7: capabilities as stated; what the list does not say is left to the table.
  listModels: async (sdk, signal) => (await sdk.models.list({ limit: 1_000 }, { signal })).data.map(toPatch),
  statusOf: (name) => toStatus(name) ?? STATUS_BY_TYPE[name],
  classify: classifyError,
  async *answer(request, { sdk, signal, lastText, ...context }) {
    const body = await toWireRequest(request, context);
    const { data, request_id } = await sdk.messages.create(body, { signal }).withResponse();
    const assembler = new ResponseAssembler();
    yield* readEvents<Anthropic.RawMessageStreamEvent>(data, MESSAGE_EVENT, (event) => [assembler.take(event)]);
    if (NAMELESS.test(lastText())) throw protocolError("an event has no name");
    return { ...assembler.finish(request.model), requestId: request_id };
  },
  async count(request, { sdk, signal, ...context }) {
    const body = toCountRequest(await toWireRequest(request, context));
    return (await sdk.messages.countTokens(body, { signal })).input_tokens;
  },
};

/** An event without its name, which the SDK passes over. */
const NAMELESS = /(?:^|\n\r?\n)data:[^\n]*\n\r?\n\s*$/;
const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;

/** A `claude-` id that is nowhere described gets a small window, no pictures and no extras. */
export function guessProfile(model: string, listed: "listed" | "not_listed" | "no_list"): AnthropicProfile | undefined {
  return listed === "listed" || model.startsWith("claude-") ? { ...CAUTIOUS_PROFILE, id: model } : undefined;
}

function toPatch(model: Anthropic.ModelInfo): ProfilePatch<AnthropicProfile> {
  const { capabilities, max_input_tokens: window, max_tokens: output, deprecated_at, retires_at } = model;
  const lifecycle = {
    ...(deprecated_at ? { deprecatedAt: deprecated_at } : {}),
    ...(retires_at ? { retiresAt: retires_at } : {}),
  };
  return {
    id: model.id,
    ...(window ? { contextWindow: window } : {}),
    ...(output ? { maxOutput: output } : {}),
    ...(Object.keys(lifecycle).length > 0 ? { lifecycle } : {}),
    ...(capabilities ? toCapabilities(capabilities) : {}),
  };
}

function toCapabilities(said: Anthropic.ModelCapabilities): Partial<AnthropicProfile> {
  const { adaptive, enabled, disabled, between_tools: betweenTools } = said.thinking.types;
  const canStop = disabled.supported || betweenTools.supported;
  const modes: AnthropicProfile["reasoning"]["modes"] = [
    ...(adaptive.supported ? (["adaptive"] as const) : []),
    ...(enabled.supported ? (["budget"] as const) : []),
    ...(canStop ? (["off"] as const) : []),
  ];
  return {
    supportsVision: said.image_input.supported,
    supportsStructuredOutput: said.structured_outputs.supported,
    reasoning: {
      modes: said.thinking.supported ? modes : [],
      efforts: said.effort.supported ? EFFORTS.filter((effort) => said.effort[effort]?.supported) : [],
      prefixBound: true,
    },
    ...(canStop ? { thinkingOff: disabled.supported ? "disabled" : "between_tools" } : {}),
  };
}

/** An `error` event in the middle of a stream has a type and no status. */
const STATUS_BY_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  timeout_error: 504,
  api_error: 500,
  overloaded_error: 529,
};

/** An aborted call gives the abort's own error. */
export function classifyError(thrown: unknown, signal: AbortSignal, context: ErrorContext): AgentError {
  if (signal.aborted) return toAbortError(signal);
  if (thrown instanceof APIConnectionError) return toConnectionError(thrown, context);
  if (!(thrown instanceof APIError)) return toCallError(thrown, context);
  return toWireError(
    {
      status: thrown.status ?? STATUS_BY_TYPE[thrown.type ?? ""],
      names: [thrown.type, thrown.errorCode],
      said: thrown.apiMessage ?? thrown.message,
      headers: thrown.headers,
    },
    context,
  );
}
