// LLMRequest → chat completions, of the provider or of a compatible server → deltas and a response
import type OpenAI from "openai";
import type { StopReason, Warn } from "../../types/events.ts";
import {
  type ImagePart,
  type Message,
  type Part,
  type ToolResultPart,
  textOf,
  type Usage,
} from "../../types/message.ts";
import { type EventShape, either, listOf, object, optional, text } from "../event-shape.ts";
import { readImage, resultContent, spokenWords, type WireContext } from "../image-source.ts";
import type { LLMDelta, LLMRequest } from "../llm-client.ts";
import { ALIVE, type GatheredAnswer, readEvents, shownDelta, toFullStop, usageDelta } from "../model-call.ts";
import type { OpenAIProfile } from "../openai/profiles.data.ts";
import {
  OPENAI_ADDRESS,
  type OpenAIWireCall,
  type TokenDetails,
  toSystemText,
  toUsage,
  toWireSettings,
  type WireSettings,
} from "../openai/wire-settings.ts";
import { toToolCall } from "../tool-wire.ts";
import { truncatedStream, unknownStopReason } from "../wire-error.ts";
import { type CallPiece, FUNCTION_CALL, ToolCallSlots, withPlaces } from "./call-slots.ts";

export async function* answerByChat(
  request: LLMRequest,
  { sdk, signal, messageId, lastText, ...context }: OpenAIWireCall,
): AsyncGenerator<LLMDelta, GatheredAnswer> {
  const body = await toChatRequest(request, context);
  const { data, request_id } = await sdk.chat.completions.create(body, { signal }).withResponse();
  const assembler = new ChatAssembler(messageId);
  yield* readEvents<ChatChunk>(data, CHAT_CHUNK, (chunk) => assembler.take(chunk));
  const isCompatible = sdk.baseURL !== OPENAI_ADDRESS;
  const answer = assembler.finish({ isDone: DONE.test(lastText()), isCompatible, warn: context.warn });
  return { ...answer, requestId: request_id };
}

/** A chunk as any compatible server may send it. */
export interface ChatChunk {
  readonly model?: string | null;
  readonly choices?:
    | readonly {
        readonly index?: number | null;
        readonly delta?: ChatDelta | null;
        readonly finish_reason?: string | null;
      }[]
    | null;
  readonly usage?: ChatUsage | null;
}

interface ChatDelta {
  readonly content?: string | readonly { readonly text?: string }[] | null;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly CallPiece[] | null;
  readonly function_call?: CallPiece["function"];
}

interface ChatUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly prompt_tokens_details?: TokenDetails | null;
  readonly completion_tokens_details?: TokenDetails | null;
}

/** The last line of a stream. In a text its line end would be escaped. */
const DONE = /[\r\n]data: ?\[DONE\]/;

const FUNCTION: EventShape = object({ name: optional(text), arguments: optional(either(text, object())) });
const CHAT_CHUNK: EventShape = object({
  model: optional(text),
  choices: optional(
    listOf(
      object({
        finish_reason: optional(text),
        delta: optional(
          object({
            content: optional(either(text, listOf(object({ text: optional(text) })))),
            refusal: optional(text),
            reasoning_content: optional(text),
            reasoning: optional(text),
            tool_calls: optional(listOf(object({ id: optional(text), function: optional(FUNCTION) }))),
            function_call: optional(FUNCTION),
          }),
        ),
      }),
    ),
  ),
});

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: "complete",
  length: "max_tokens",
  max_tokens: "max_tokens",
  max_length: "max_tokens",
  model_length: "max_tokens",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "content_filter",
};
/** Reasons of compatible servers that are no good end. */
const FAILED = /error|abort|cancel|fail|interrupt|insufficient|timeout|filter|safety|block|length|max/i;
/** Reasons that may have cut the last call. */
const CUTS: ReadonlySet<StopReason> = new Set(["max_tokens", "content_filter"]);

interface StreamEnd {
  /** The server sent its last line. */
  readonly isDone: boolean;
  /** A server that only speaks like OpenAI. */
  readonly isCompatible: boolean;
  readonly warn: Warn;
}

/** Gathers one answer. `take` gives what can be shown; `finish` throws when the stream ended before its end. */
class ChatAssembler {
  readonly #calls: ToolCallSlots;
  #model = "";
  #text = "";
  #thinking = "";
  #refusal = "";
  #finish: string | undefined;
  #usage: Usage | undefined;

  /** `messageId` names calls that came without an id. */
  constructor(messageId: string) {
    this.#calls = new ToolCallSlots((number) => `call_${messageId}_${number}`);
  }

  *take(chunk: ChatChunk): Generator<LLMDelta> {
    if (chunk.model) this.#model = chunk.model;
    if (chunk.usage) {
      const { prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details } = chunk.usage;
      this.#usage = toUsage(prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details);
      yield usageDelta(this.#usage);
    }
    for (const { index, delta, finish_reason: finish } of chunk.choices ?? []) {
      // One answer was asked for.
      if ((index ?? 0) !== 0) continue;
      if (finish) this.#finish = finish;
      if (delta) yield* this.#extend(delta);
    }
    yield ALIVE;
  }

  finish(end: StreamEnd): GatheredAnswer {
    const said = this.#stopReason(end);
    const parts = this.#parts(CUTS.has(said));
    return {
      parts,
      usage: this.#usage,
      stopReason: toFullStop(said, parts, this.#refusal),
      stopDetail: this.#refusal === "" ? undefined : { explanation: this.#refusal },
      model: this.#model,
    };
  }

  /** Compatible servers have other words for a good end, or none but the last line. */
  #stopReason({ isDone, isCompatible, warn }: StreamEnd): StopReason {
    const finish = this.#finish;
    const hasAnswer = this.#text !== "" || this.#calls.calls().length > 0;
    if (finish === undefined) {
      if (isDone && hasAnswer) return "complete";
      throw truncatedStream();
    }
    const known = Object.hasOwn(STOP_REASONS, finish) ? STOP_REASONS[finish] : undefined;
    if (known) return known;
    if (!isCompatible || !hasAnswer || FAILED.test(finish)) throw unknownStopReason(finish);
    warn("stop_reason_unknown", `The server ended its answer with "${finish}", which is taken for a normal end.`);
    return "complete";
  }

  *#extend(delta: ChatDelta): Generator<LLMDelta> {
    const thinking = delta.reasoning_content ?? delta.reasoning ?? "";
    const text = toText(delta.content);
    this.#thinking += thinking;
    this.#text += text;
    this.#refusal += delta.refusal ?? "";
    yield shownDelta("thinking", thinking);
    yield shownDelta("text", text);
    for (const piece of withPlaces(delta.tool_calls ?? [])) yield this.#calls.take(piece);
    if (delta.function_call) yield this.#calls.take({ index: FUNCTION_CALL, function: delta.function_call });
  }

  #parts(cut: boolean): Part[] {
    const calls = this.#calls.calls();
    return [
      ...(this.#thinking === "" ? [] : [{ type: "reasoning" as const, text: this.#thinking }]),
      ...(this.#text === "" ? [] : [{ type: "text" as const, text: this.#text }]),
      ...calls.map((slot) => ({
        type: "tool_call" as const,
        call: toToolCall({ ...slot, cut: cut && slot === calls.at(-1) }),
      })),
    ];
  }
}

function toText(content: ChatDelta["content"]): string {
  if (!content) return "";
  return typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("");
}

type WireMessage = OpenAI.ChatCompletionMessageParam;
type WirePart = OpenAI.ChatCompletionContentPart;
type ReturnedAnswer = OpenAI.ChatCompletionAssistantMessageParam & { readonly reasoning_content?: string };
type Context = WireContext<OpenAIProfile>;

export async function toChatRequest(
  request: LLMRequest,
  context: Context,
): Promise<OpenAI.ChatCompletionCreateParamsStreaming> {
  const { profile, warn } = context;
  const system = toSystemText(request);
  const tools = request.tools.map(({ name, description, parameters, strict }) => {
    return { type: "function" as const, function: { name, description, parameters, strict: strict || undefined } };
  });
  return {
    model: request.model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
      ...(await toMessages(request.messages, context)),
    ],
    tools: tools.length > 0 ? tools : undefined,
    ...spell(toWireSettings(request, profile, warn), profile),
    ...request.config?.providerOptions,
  };
}

function spell(
  { maxTokens, effort, temperature, format, toolChoice, parallelTools }: WireSettings,
  { maxTokensField = "max_completion_tokens" }: OpenAIProfile,
): Partial<OpenAI.ChatCompletionCreateParamsStreaming> {
  const choice =
    typeof toolChoice === "object" ? { type: "function" as const, function: { name: toolChoice.tool } } : toolChoice;
  return {
    [maxTokensField]: maxTokens,
    reasoning_effort: effort,
    temperature,
    response_format: format && { type: "json_schema", json_schema: { ...format } },
    tool_choice: choice,
    parallel_tool_calls: parallelTools,
  };
}

/** Between two assistant messages the results come first, then their pictures, then what was said meanwhile. */
async function toMessages(messages: readonly Message[], context: Context): Promise<WireMessage[]> {
  const wire: WireMessage[] = [];
  let pending: Message[] = [];
  const flush = async (): Promise<void> => {
    wire.push(...(await toUserSide(pending, context)));
    pending = [];
  };
  for (const message of messages) {
    if (message.role !== "assistant") {
      pending.push(message);
      continue;
    }
    await flush();
    wire.push(...toAssistant(message, context.profile));
  }
  await flush();
  return wire;
}

async function toUserSide(messages: readonly Message[], context: Context): Promise<WireMessage[]> {
  const results = messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool_result"));
  const shown = await Promise.all(results.map((result) => toResultImages(result, context)));
  const said = await Promise.all(messages.map((message) => toSpoken(message, context)));
  return [
    ...results.map(toResult),
    ...(shown.flat().length > 0 ? [{ role: "user" as const, content: shown.flat() }] : []),
    ...said.flat(),
  ];
}

/** Tool messages are text only. This wire has no mark for a failure, so the outcome stands in the text. */
function toResult(result: ToolResultPart): WireMessage {
  const { callId, outcome } = result;
  const content = resultContent(result);
  const mark = outcome === "ok" ? [] : [`[${outcome}]`];
  const texts = content.flatMap((item) => (item.type === "text" && item.text.trim() !== "" ? [item.text] : []));
  const images = content.some(({ type }) => type === "image") ? [`[images of ${callId} follow]`] : [];
  const words = [...mark, ...texts, ...images];
  return { role: "tool", tool_call_id: callId, content: words.join("\n") };
}

/** VI-12: pictures of a tool go into a user message that names the call. */
async function toResultImages({ callId, toolName, content }: ToolResultPart, context: Context): Promise<WirePart[]> {
  const images = content.filter((item) => item.type === "image");
  if (images.length === 0) return [];
  const label: WirePart = { type: "text", text: `Images from ${toolName}, call ${callId}:` };
  return [label, ...(await Promise.all(images.map((image) => toImage(image, context))))];
}

async function toSpoken(message: Message, context: Context): Promise<WireMessage[]> {
  const parts = (
    await Promise.all(
      message.parts.map(async (part): Promise<WirePart[]> => {
        if (part.type === "image") return [await toImage(part, context)];
        const text = spokenWords(part);
        return text === "" ? [] : [{ type: "text", text }];
      }),
    )
  ).flat();
  const [first, ...more] = parts;
  if (!first) return [];
  // Not every compatible server takes a list where a string would do.
  const content = first.type === "text" && more.length === 0 ? first.text : parts;
  if (message.role !== "system") return [{ role: "user", content }];
  return [{ role: "system", content: parts.map((part) => (part.type === "text" ? part.text : "")).join("\n") }];
}

/** Thinking goes back only to the model that thought it, and only where its server asks for that. */
function toAssistant({ parts, model }: Message, { id, returnsReasoning = false }: OpenAIProfile): WireMessage[] {
  const text = textOf(parts);
  const calls = parts.flatMap((part) => (part.type === "tool_call" ? [part.call] : []));
  if (text === "" && calls.length === 0) return [];
  const toolCalls = calls.map(({ id, toolName, arguments: args }) => ({
    id,
    type: "function" as const,
    function: { name: toolName, arguments: JSON.stringify(args) },
  }));
  const thoughts = parts.flatMap((part) => (part.type === "reasoning" && model === id ? [part.text] : []));
  const reasoning = returnsReasoning && calls.length > 0 ? { reasoning_content: thoughts.join("\n\n") } : {};
  const tool_calls = toolCalls.length > 0 ? toolCalls : undefined;
  return [{ role: "assistant", content: text || null, tool_calls, ...reasoning } satisfies ReturnedAnswer];
}

async function toImage(part: ImagePart, context: Context): Promise<WirePart> {
  const shown = await readImage(part, context);
  if (shown.kind === "text") return { type: "text", text: shown.text };
  const url = `data:${shown.mimeType};base64,${shown.base64}`;
  return { type: "image_url", image_url: { url, detail: part.detail as "auto" | undefined } };
}
