// LLMRequest → Anthropic's Messages API → deltas and a response
import Anthropic from "@anthropic-ai/sdk";
import { createRedactor, type Redactor } from "../../observability/redact.ts";
import { createChildAbort } from "../../types/child-abort.ts";
import { AgentError } from "../../types/errors.ts";
import type { CallContext, LLMClient, LLMDelta, LLMRequest, LLMResponse, LLMStream } from "../llm-client.ts";
import { watchStream } from "../stream-watch.ts";
import { ResponseAssembler } from "./assemble-response.ts";
import { classifyError } from "./classify-error.ts";
import { findProfile } from "./find-profile.ts";
import type { AnthropicProfile } from "./profiles.data.ts";
import { createTappedFetch, type FetchLike } from "./tapped-fetch.ts";
import { toWireRequest } from "./to-wire-request.ts";
import type { ImageBytes } from "./wire-content.ts";

/** What a chat uses when nothing else is configured. */
export const DEFAULT_ANTHROPIC_MODEL = "claude-sonnet-5-5";

/** What a client needs; nothing is read from the environment. */
export interface AnthropicClientOptions {
  readonly apiKey: string;
  /** Default `https://api.anthropic.com`. */
  readonly baseURL?: string;
  /** Read when a request is built (VI-6). An artifact store is one. */
  readonly artifacts: ImageBytes;
  /** Wins over the built-in table. */
  readonly profiles?: readonly AnthropicProfile[];
  /** Default: the global `fetch`. */
  readonly fetch?: FetchLike;
}

/** AI-12: the official SDK behind our port. Retries belong to the caller (`withRetries`). Throws `auth` for an empty key. */
export function createAnthropicClient(options: AnthropicClientOptions): LLMClient {
  if (options.apiKey === "") {
    throw new AgentError({ kind: "invalid", code: "auth", message: "The API key for Anthropic is empty." });
  }
  const redactor = createRedactor({ secrets: [options.apiKey] });
  const stream = (request: LLMRequest, context: CallContext): LLMStream =>
    createStream(openEvents(request, context, { options, redactor }));
  return {
    provider: "anthropic",
    profile: async (model) => findProfile(model, options.profiles ?? []),
    stream,
    async run(request, context) {
      const answer = stream(request, context);
      for await (const _ of answer);
      return answer.result();
    },
  };
}

interface Wiring {
  readonly options: AnthropicClientOptions;
  readonly redactor: Redactor;
}

async function* openEvents(
  request: LLMRequest,
  context: CallContext,
  { options, redactor }: Wiring,
): AsyncGenerator<LLMDelta, LLMResponse> {
  const call = createChildAbort(context.signal);
  const watch = watchStream(context.clock, context.timers, call);
  const warnings: string[] = [];
  try {
    call.signal.throwIfAborted();
    const profile = findProfile(request.model, options.profiles ?? []);
    const warn = (warning: string): void => {
      warnings.push(warning);
    };
    const body = await toWireRequest(request, { images: options.artifacts, profile, warn });
    const sdk = createSdk(options, createTappedFetch(options.fetch ?? fetch, call.signal, watch.feed), context);
    const { data, request_id } = await sdk.messages.create(body, { signal: call.signal }).withResponse();
    const assembler = new ResponseAssembler();
    for await (const event of data) yield assembler.take(event);
    // The SDK ends an aborted stream without a word.
    call.signal.throwIfAborted();
    return assembler.finish({
      messageId: context.messageId,
      requestModel: request.model,
      ts: new Date(context.clock.now()).toISOString(),
      requestId: request_id ?? undefined,
      warnings,
    });
  } catch (thrown) {
    throw classifyError(thrown, call.signal, redactor);
  } finally {
    watch.stop();
    // Also reached when the reader leaves early: the socket must not live on.
    call.abort(new AgentError({ kind: "cancelled", code: "left", message: "Nobody reads this answer any more." }));
    call.dispose();
  }
}

/** One SDK object per call, because each call taps its own fetch. Nothing is read from the environment that we set here. */
function createSdk(options: AnthropicClientOptions, tapped: FetchLike, context: CallContext): Anthropic {
  return new Anthropic({
    apiKey: options.apiKey,
    baseURL: options.baseURL ?? "https://api.anthropic.com",
    fetch: tapped,
    maxRetries: 0,
    timeout: context.timers.attemptMs,
    logLevel: "off",
    openTelemetry: false,
  });
}

/** The generator's return value becomes the result; an error comes out of both. */
function createStream(events: AsyncGenerator<LLMDelta, LLMResponse>): LLMStream {
  const result = Promise.withResolvers<LLMResponse>();
  // Whoever only iterates has seen the error already.
  result.promise.catch(() => undefined);
  const left = (): AgentError =>
    new AgentError({ kind: "cancelled", code: "left", message: "The answer was not read to its end." });
  return {
    result: () => result.promise,
    async *[Symbol.asyncIterator]() {
      try {
        result.resolve(yield* events);
      } catch (thrown) {
        result.reject(thrown);
        throw thrown;
      } finally {
        result.reject(left());
      }
    },
  };
}
