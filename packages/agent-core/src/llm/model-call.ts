// one call of a client: its signal, its timers, its tapped fetch → deltas and a response
import { createRedactor, type Redactor } from "../observability/redact.ts";
import { type Clock, raceAbort, systemClock } from "../types/clock.ts";
import { type AgentError, agentError } from "../types/errors.ts";
import type { AgentWarning, StopReason, Warn } from "../types/events.ts";
import { NO_USAGE, type Part, textOf, type Usage } from "../types/message.ts";
import { toCalls } from "./decorated-client.ts";
import { createEventBody, toRefusal } from "./event-body.ts";
import { assertShape, type EventShape } from "./event-shape.ts";
import type { ImageFitter, WireContext } from "./image-source.ts";
import type { CallContext, LLMClient, LLMDelta, LLMRequest, LLMResponse, ModelProfile } from "./llm-client.ts";
import { createModelProfiles, type ModelProfilesOptions, type ProfilePatch } from "./model-profiles.ts";
import { tellOutput } from "./tool-wire.ts";
import { watchCall } from "./watched-call.ts";
import { createTappedFetch, type FetchLike } from "./watched-fetch.ts";
import { type ErrorContext, toReadError } from "./wire-error.ts";

/** What the client of any provider needs; nothing is read from the environment. */
export interface ModelClientOptions<P extends ModelProfile> {
  /** Any word for a server that wants none. */
  readonly apiKey: string;
  /** Default: the provider's own address. On `localhost`, 127.0.0.0/8 and ::1 a model without a price is free. */
  readonly baseURL?: string | undefined;
  /** Makes pictures fit the model. Default: too large ones are left out with a warning. */
  readonly imagePreparer?: ImageFitter | undefined;
  /** Each wins, field by field, over what the provider says and over the built-in table. */
  readonly profiles?: readonly ProfilePatch<P>[] | undefined;
  /** Whether the provider is asked about its models, once a day. Default true. */
  readonly refreshProfiles?: boolean | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: FetchLike | undefined;
  /** For the age of the list of models, and for dates in a `retry-after`. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

/** One answer as its provider gave it. */
export interface GatheredAnswer {
  readonly parts: readonly Part[];
  /** Absent when the server never said. */
  readonly usage: Usage | undefined;
  readonly stopReason: StopReason;
  readonly stopDetail?: LLMResponse["stopDetail"];
  /** As the provider named it; empty when it did not. */
  readonly model: string;
  readonly requestId?: string | null;
}

/** What a provider's code gets to make one call with. */
export interface ProviderCall<P extends ModelProfile, Sdk> extends WireContext<P> {
  readonly sdk: Sdk;
  /** Fires when the caller aborts, a timer is due, or nobody reads any more. */
  readonly signal: AbortSignal;
  /** Id that the assistant message gets. */
  readonly messageId: string;
  /** The last characters of the stream so far, as the server sent them. */
  lastText(): string;
}

/** How a provider speaks, without timers, signals and retries. */
export interface ProviderWire<P extends ModelProfile, Sdk> {
  readonly provider: string;
  /** For people. */
  readonly name: string;
  readonly profiles: Pick<ModelProfilesOptions<P>, "builtin" | "guess">;
  /** One SDK object per call, because each call taps its own fetch. Nothing is to be read from the environment. */
  openSdk(settings: SdkSettings): Sdk;
  listModels(sdk: Sdk, signal: AbortSignal): Promise<readonly ProfilePatch<P>[]>;
  answer(request: LLMRequest, call: ProviderCall<P, Sdk>): AsyncGenerator<LLMDelta, GatheredAnswer>;
  /** Input tokens; absent where the wire has no address for it. */
  readonly count?: ((request: LLMRequest, call: ProviderCall<P, Sdk>) => Promise<number>) | undefined;
  /** The HTTP status that a name or code of an error stands for. */
  statusOf(name: string): number | undefined;
  /** Whatever was thrown → an error with a kind. An aborted signal's own reason wins. */
  classify(thrown: unknown, signal: AbortSignal, context: ErrorContext): AgentError;
}

interface SdkSettings extends Pick<ModelClientOptions<never>, "apiKey" | "baseURL"> {
  readonly fetch: FetchLike;
  readonly maxRetries: 0;
  readonly timeout: number | undefined;
  readonly logLevel: "off";
}

/** A client over its provider's wire. Throws `auth` for an empty key. */
export function createProviderClient<P extends ModelProfile, Sdk>(
  wire: ProviderWire<P, Sdk>,
  options: ModelClientOptions<P>,
): LLMClient {
  const { apiKey, baseURL, fetch = globalThis.fetch, imagePreparer: fitter, clock = systemClock } = options;
  if (apiKey === "") throw agentError("invalid", "auth", `The API key for ${wire.name} is empty.`);
  const redactor = createRedactor({ secrets: [apiKey] });
  const openSdk = (ownFetch: FetchLike, timeout?: number): Sdk =>
    wire.openSdk({ apiKey, baseURL, fetch: ownFetch, maxRetries: 0, timeout, logLevel: "off" });
  const models = createModelProfiles<P>({
    ...wire.profiles,
    configured: options.profiles ?? [],
    list: options.refreshProfiles === false ? undefined : (signal) => wire.listModels(openSdk(fetch), signal),
    clock,
  });
  const isFree = baseURL !== undefined && isLoopback(baseURL);
  const findProfile = async (model: string, warn?: Warn): Promise<P> => {
    const profile = await models.find(model, warn);
    return isFree ? { price: "free", ...profile } : profile;
  };
  const toProviderCall = async (
    request: LLMRequest,
    context: CallContext,
    call: ModelCall,
  ): Promise<ProviderCall<P, Sdk>> => {
    const { signal, warn, lastText } = call;
    const profile = await findProfile(request.model, warn);
    const sdk = openSdk(call.fetch, context.timers.attemptMs);
    const { messageId, artifacts: bytes } = context;
    return { sdk, signal, messageId, images: { bytes, fitter }, profile, warn, lastText };
  };
  const watched: WatchedWire = {
    fetch,
    redactor,
    classify: (thrown, signal) => wire.classify(thrown, signal, { redactor, nowMs: clock.now() }),
    refuse: (document) => toRefusal(document, { statusOf: wire.statusOf, redactor, nowMs: clock.now() }),
    async *answer(request, context, call) {
      const made = await toProviderCall(request, context, call);
      return yield* wire.answer(tellOutput(request, made.profile), made);
    },
  };
  const { count } = wire;
  return {
    provider: wire.provider,
    profile: (model) => findProfile(model),
    ...toCalls((request, context) => watchAnswer(request, context, watched)),
    ...(count && {
      countTokens: (request, context) =>
        callOnce(watched, context, async (call) => {
          const made = await toProviderCall(request, context, call);
          return count(tellOutput(request, made.profile), made);
        }),
    }),
  };
}

/** A server on this machine: a model that nobody priced costs nothing there. */
export function isLoopback(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

interface ModelCall {
  readonly signal: AbortSignal;
  readonly fetch: FetchLike;
  /** Collected for the response, each once. */
  readonly warn: Warn;
  readonly warnings: readonly AgentWarning[];
  lastText(): string;
}

interface WatchedWire {
  readonly fetch: FetchLike;
  readonly redactor: Redactor;
  answer(request: LLMRequest, context: CallContext, call: ModelCall): AsyncGenerator<LLMDelta, GatheredAnswer>;
  classify(thrown: unknown, signal: AbortSignal): AgentError;
  /** For a document that came in place of a stream. */
  refuse(document: string): AgentError;
}

/** A call whose answer is one value, such as a count. */
async function callOnce<T>(wire: WatchedWire, context: CallContext, ask: (call: ModelCall) => Promise<T>): Promise<T> {
  const { call, close } = openCall(wire, context, "document");
  try {
    call.signal.throwIfAborted();
    return await raceAbort(ask(call), call.signal);
  } catch (thrown) {
    throw wire.classify(thrown, call.signal);
  } finally {
    close();
  }
}

async function* watchAnswer(
  request: LLMRequest,
  context: CallContext,
  wire: WatchedWire,
): AsyncGenerator<LLMDelta, LLMResponse> {
  const { call, close } = openCall(wire, context, "events");
  const answer = wire.answer(request, context, call);
  try {
    call.signal.throwIfAborted();
    for (;;) {
      // Invariant 7: whatever the SDK waits for, an abort is heard at once.
      const next = await raceAbort(answer.next(), call.signal);
      // The SDKs end an aborted stream without a word.
      call.signal.throwIfAborted();
      if (next.done) return toResponse(next.value, request, context, call);
      yield next.value;
    }
  } catch (thrown) {
    throw wire.classify(thrown, call.signal);
  } finally {
    close();
    // Not awaited: an SDK that hangs would hang its own closing too.
    answer.return(undefined as never).catch(() => undefined);
  }
}

function toResponse(answer: GatheredAnswer, request: LLMRequest, context: CallContext, call: ModelCall): LLMResponse {
  const { parts, usage, stopReason, stopDetail, requestId } = answer;
  if (!usage) call.warn("usage_missing", "The server did not say how many tokens were used.");
  const { messageId: id, clock } = context;
  const ts = new Date(clock.now()).toISOString();
  return {
    message: { id, role: "assistant", parts, ts, origin: "model", model: request.model },
    content: textOf(parts),
    toolCalls: parts.flatMap((part) => (part.type === "tool_call" ? [part.call] : [])),
    usage: usage ?? { ...NO_USAGE, estimated: true },
    stopReason,
    stopDetail,
    model: answer.model || request.model,
    requestId: requestId ?? undefined,
    warnings: [...call.warnings],
  };
}

/** Every event through `take`. Where one lacks its shape or cannot be read the answer is malformed: our own code is not to blame. */
export async function* readEvents<E>(
  events: AsyncIterable<unknown>,
  shape: EventShape,
  take: (event: E) => Iterable<LLMDelta>,
): AsyncGenerator<LLMDelta, void> {
  try {
    for await (const event of events) {
      assertShape(event, shape);
      yield* take(event as E);
    }
  } catch (thrown) {
    throw toReadError(thrown);
  }
}

/** Nothing to show: a sign of life. */
export const ALIVE: LLMDelta = { type: "alive" };

/** Counts although the answer may fail or be cut after it. */
export function usageDelta(usage: Usage | undefined): LLMDelta {
  return usage ? { type: "alive", usage } : ALIVE;
}

/** Text that can be shown; an empty one is a sign of life. */
export function shownDelta(type: "text" | "thinking", text: string): LLMDelta {
  return text === "" ? ALIVE : { type, text };
}

/** A piece of a call's arguments; an empty one is a sign of life. */
export function argumentsDelta(callId: string, toolName: string, json: string): LLMDelta {
  return json === "" ? ALIVE : { type: "tool_args", callId, toolName, json };
}

/** Compatible servers say that all is done and call tools nevertheless, or refuse without saying so. */
export function toFullStop(stop: StopReason, parts: readonly Part[], refusal: string): StopReason {
  if (stop !== "complete") return stop;
  if (parts.some(({ type }) => type === "tool_call")) return "tool_use";
  return refusal === "" ? "complete" : "refusal";
}

function openCall(
  wire: WatchedWire,
  context: CallContext,
  expected: "events" | "document",
): { readonly call: ModelCall; close(): void } {
  const { signal, onBytes, close } = watchCall(context);
  const warnings: AgentWarning[] = [];
  const { inspect, lastText } = createEventBody(wire.refuse);
  const tap = { ...wire, inspect: expected === "events" ? inspect : undefined };
  const call: ModelCall = {
    signal,
    fetch: createTappedFetch(tap, signal, onBytes),
    warn: (code, message) => {
      if (!warnings.some((told) => told.code === code && told.message === message)) warnings.push({ code, message });
    },
    warnings,
    lastText,
  };
  return { call, close };
}
