// LLMRequest → Anthropic's Messages API → deltas and a response
import Anthropic from "@anthropic-ai/sdk";
import { createRedactor } from "../../observability/redact.ts";
import { type Clock, systemClock } from "../../types/clock.ts";
import { AgentError } from "../../types/errors.ts";
import type { ImageBytes, ImageFitter } from "../image-source.ts";
import type { CallContext, LLMClient, LLMRequest } from "../llm-client.ts";
import { callOnce, createModelCalls, type FetchLike, type ModelCall, type ModelWire } from "../model-call.ts";
import { createModelProfiles, type ProfilePatch } from "../model-profiles.ts";
import { ResponseAssembler } from "./assemble-response.ts";
import { classifyError } from "./classify-error.ts";
import { guessProfile, listProfiles } from "./listed-profiles.ts";
import { ANTHROPIC_PROFILES, type AnthropicProfile } from "./profiles.data.ts";
import { toCountRequest, toWireRequest } from "./to-wire-request.ts";

/** What a chat uses when nothing else is configured. */
export const DEFAULT_ANTHROPIC_MODEL = "claude-sonnet-5-5";

/** What a client needs; nothing is read from the environment. */
export interface AnthropicClientOptions {
  readonly apiKey: string;
  /** Default `https://api.anthropic.com`. */
  readonly baseURL?: string;
  /** Read when a request is built (VI-6). An artifact store is one. Without it a picture is refused with `client_no_vision`. */
  readonly artifacts?: ImageBytes;
  /** Makes pictures fit the model. Default: too large ones are left out with a warning. */
  readonly imagePreparer?: ImageFitter;
  /** Each wins, field by field, over what the provider says and over the built-in table. */
  readonly profiles?: readonly ProfilePatch<AnthropicProfile>[];
  /** Whether the provider is asked what its models can do, once a day. Default true. */
  readonly refreshProfiles?: boolean;
  /** Default: the global `fetch`. */
  readonly fetch?: FetchLike;
  /** For the age of the list of models. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** AI-12: the official SDK behind our port. Retries belong to the caller (`withRetries`). Throws `auth` for an empty key. */
export function createAnthropicClient(options: AnthropicClientOptions): LLMClient {
  if (options.apiKey === "") {
    throw new AgentError({ kind: "invalid", code: "auth", message: "The API key for Anthropic is empty." });
  }
  const { fetch = globalThis.fetch, refreshProfiles = true } = options;
  const redactor = createRedactor({ secrets: [options.apiKey] });
  const models = createModelProfiles<AnthropicProfile>({
    builtin: ANTHROPIC_PROFILES,
    configured: options.profiles ?? [],
    list: refreshProfiles ? (signal) => listProfiles(createSdk(options, fetch), signal) : undefined,
    guess: guessProfile,
    clock: options.clock ?? systemClock,
  });
  const toBody = async (request: LLMRequest, call: ModelCall) => {
    const profile = await models.find(request.model, call.warn);
    const images = { bytes: options.artifacts, fitter: options.imagePreparer };
    return toWireRequest(request, { images, profile, warn: call.warn });
  };
  const wire: ModelWire = {
    fetch,
    classify: (thrown, signal) => classifyError(thrown, signal, redactor),
    async *answer(request, context, call) {
      const body = await toBody(request, call);
      const sdk = createSdk(options, call.fetch, context.timers);
      const { data, request_id } = await sdk.messages.create(body, { signal: call.signal }).withResponse();
      const assembler = new ResponseAssembler();
      for await (const event of data) yield assembler.take(event);
      return assembler.finish({
        messageId: context.messageId,
        requestModel: request.model,
        ts: new Date(context.clock.now()).toISOString(),
        requestId: request_id ?? undefined,
        warnings: call.warnings,
      });
    },
  };
  return {
    provider: "anthropic",
    profile: (model) => models.find(model),
    ...createModelCalls(wire),
    countTokens: (request, context) =>
      callOnce(wire, context, async (call) => {
        const body = toCountRequest(await toBody(request, call));
        const sdk = createSdk(options, call.fetch, context.timers);
        return (await sdk.messages.countTokens(body, { signal: call.signal })).input_tokens;
      }),
  };
}

/** One SDK object per call, because each call taps its own fetch. Nothing is read from the environment that we set here. */
function createSdk(options: AnthropicClientOptions, fetch: FetchLike, timers?: CallContext["timers"]): Anthropic {
  return new Anthropic({
    apiKey: options.apiKey,
    baseURL: options.baseURL ?? "https://api.anthropic.com",
    fetch,
    maxRetries: 0,
    timeout: timers?.attemptMs,
    logLevel: "off",
    openTelemetry: false,
  });
}
