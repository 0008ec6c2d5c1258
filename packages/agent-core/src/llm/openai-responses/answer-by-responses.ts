// LLMRequest → the Responses API → deltas and a response

import type OpenAI from "openai";
import { APIError } from "openai";
import type { StopReason } from "../../types/events.ts";
import type { Json } from "../../types/json.ts";
import type { ImagePart, Message, Part, ToolResultPart, Usage } from "../../types/message.ts";
import { byType, type EventShape, listOf, object, optional, text } from "../event-shape.ts";
import { readImage, resultContent, spokenWords, type WireContext } from "../image-source.ts";
import type { LLMDelta, LLMRequest } from "../llm-client.ts";
import {
  ALIVE,
  argumentsDelta,
  type GatheredAnswer,
  readEvents,
  shownDelta,
  toFullStop,
  usageDelta,
} from "../model-call.ts";
import type { OpenAIProfile } from "../openai/profiles.data.ts";
import {
  type OpenAIWireCall,
  type TokenDetails,
  toSystemText,
  toUsage,
  toWireSettings,
  type WireSettings,
} from "../openai/wire-settings.ts";
import { toToolCall } from "../tool-wire.ts";
import { protocolError, truncatedStream, unknownStopReason } from "../wire-error.ts";
import { type ItemEvent, type ItemSlot, ItemSlots, type ResponseItem } from "./item-slots.ts";

export async function* answerByResponses(
  request: LLMRequest,
  { sdk, signal, ...context }: OpenAIWireCall,
): AsyncGenerator<LLMDelta, GatheredAnswer> {
  const body = await toResponsesRequest(request, context);
  const { data, request_id } = await sdk.responses.create(body, { signal }).withResponse();
  const assembler = new ItemAssembler();
  yield* readEvents<ResponseEvent>(data, RESPONSE_EVENT, (event) => assembler.read(event));
  return { ...assembler.finish(request.model), requestId: request_id };
}

export async function countByResponses(
  request: LLMRequest,
  { sdk, signal, ...context }: OpenAIWireCall,
): Promise<number> {
  const body = toInputTokensRequest(await toResponsesRequest(request, context));
  return (await sdk.responses.inputTokens.count(body, { signal })).input_tokens;
}

const INCOMPLETE: Readonly<Record<string, StopReason>> = {
  max_output_tokens: "max_tokens",
  max_messages: "pause",
  content_filter: "content_filter",
  steered: "steered",
};

function usageOf({ usage }: ResponseBody): Usage | undefined {
  if (!usage) return undefined;
  return toUsage(usage.input_tokens, usage.output_tokens, usage.input_tokens_details, usage.output_tokens_details);
}

/** Gathers one answer. `read` gives what can be shown and throws what the server reports; `finish` wants a terminal event. */
class ItemAssembler {
  readonly #items = new ItemSlots();
  #last: ResponseEvent | undefined;
  /** Some servers give every event the same number. */
  #isNumbered = true;
  #end: { readonly stop: StopReason; readonly response: ResponseBody } | undefined;

  /** What the server used is told before what it failed with. */
  *read(event: ResponseEvent): Generator<LLMDelta> {
    if (event.response?.usage) yield usageDelta(usageOf(event.response));
    yield this.#take(event);
  }

  #take(event: ResponseEvent): LLMDelta {
    if (this.#isToldAgain(event)) return ALIVE;
    this.#last = event;
    switch (event.type) {
      case "response.output_item.added":
        this.#items.open(event);
        return ALIVE;
      case "response.output_item.done":
        this.#items.close(event);
        return ALIVE;
      case "response.completed":
        return this.#finishAs("complete", event.response);
      case "response.incomplete":
        return this.#finishAs(toIncomplete(event.response), event.response);
      case "response.cancelled":
        throw protocolError("it was cancelled by the server");
      case "response.failed":
        throw reported(event.response?.error);
      case "error":
        throw reported(event);
      default:
        return this.#extend(event);
    }
  }

  /** Numbers are dense, so a number that was seen is an event told twice, unless another event has it. */
  #isToldAgain(event: ResponseEvent): boolean {
    const [last, now] = [this.#last?.sequence_number, event.sequence_number];
    if (!this.#isNumbered || typeof last !== "number" || typeof now !== "number" || now > last) return false;
    this.#isNumbered = now < last || JSON.stringify(event) === JSON.stringify(this.#last);
    return this.#isNumbered;
  }

  finish(requestModel: string): GatheredAnswer {
    if (!this.#end) throw truncatedStream();
    const { stop, response } = this.#end;
    const slots = this.#items.items();
    const parts = slots.flatMap((slot) => toParts(slot, requestModel, stop === "complete"));
    const refusal = slots.map((slot) => slot.refusal).join("");
    return {
      parts,
      usage: usageOf(response),
      stopReason: toFullStop(stop, parts, refusal),
      stopDetail: refusal === "" ? undefined : { explanation: refusal },
      model: response.model ?? "",
    };
  }

  /** Pieces of an item that was never announced say by their type what it is; only a call's name has to come later. */
  #extend(event: ResponseEvent): LLMDelta {
    const delta = event.delta ?? "";
    switch (event.type) {
      case "response.output_text.delta":
        this.#items.of(event, "message").text += delta;
        return shownDelta("text", delta);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return shownDelta("thinking", delta);
      case "response.reasoning_summary_part.added":
        return shownDelta("thinking", event.summary_index ? "\n\n" : "");
      case "response.refusal.delta":
        this.#items.of(event, "message").refusal += delta;
        return ALIVE;
      case "response.function_call_arguments.delta": {
        const slot = this.#items.of(event, "function_call");
        slot.json += delta;
        return slot.callId === undefined ? ALIVE : argumentsDelta(slot.callId, slot.name, delta);
      }
      case "response.function_call_arguments.done": {
        const slot = this.#items.of(event, "function_call");
        if (!slot.closed) slot.json = event.arguments ?? slot.json;
        return ALIVE;
      }
      default:
        // The provider may add event types at any time.
        return ALIVE;
    }
  }

  #finishAs(stop: StopReason, response: ResponseBody = {}): LLMDelta {
    this.#end = { stop, response };
    this.#items.complete(response.output ?? []);
    return ALIVE;
  }
}

function toIncomplete(response: ResponseBody | undefined): StopReason {
  const reason = response?.incomplete_details?.reason ?? "incomplete";
  const known = Object.hasOwn(INCOMPLETE, reason) ? INCOMPLETE[reason] : undefined;
  if (known) return known;
  throw unknownStopReason(reason);
}

function toParts({ item, callId, name, text, json, closed }: ItemSlot, model: string, isComplete: boolean): Part[] {
  switch (item.type) {
    case "message":
      return text === "" ? [] : [{ type: "text", text }];
    case "function_call":
      if (name === "" || callId === undefined) throw protocolError("a tool call has no name");
      if (json === "" && !closed && isComplete) throw protocolError("the arguments of a tool call never came");
      return [{ type: "tool_call", call: toToolCall({ id: callId, name, json, cut: !closed && !isComplete }) }];
    case "reasoning":
      return toReasoning(item, model);
    default:
      return closed ? [{ type: "provider", opaque: { provider: "openai", model, data: item as unknown as Json } }] : [];
  }
}

/** Only what is encrypted can be sent back, because nothing is stored. */
function toReasoning(item: ResponseItem, model: string): Part[] {
  const pieces = [...(item.summary ?? []), ...(item.content ?? [])];
  const text = pieces.map((piece) => piece.text ?? "").join("\n\n");
  if (item.encrypted_content) {
    return [{ type: "reasoning", text, opaque: { provider: "openai", model, data: item as unknown as Json } }];
  }
  return text === "" ? [] : [{ type: "reasoning", text }];
}

function reported(error: { readonly code?: string | null; readonly message?: string } | null | undefined): APIError {
  const message = error?.message ?? "the answer failed";
  return new APIError(undefined, { code: error?.code ?? null, message }, message, undefined);
}

/** What is read of a streamed event, whichever it is: compatible servers leave fields out. */
interface ResponseEvent extends ItemEvent {
  readonly type: string;
  readonly sequence_number?: number;
  readonly summary_index?: number;
  readonly delta?: string;
  readonly arguments?: string;
  readonly response?: ResponseBody;
  readonly code?: string | null;
  readonly message?: string;
}

const PIECES: EventShape = optional(listOf(object({ text: optional(text), refusal: optional(text) })));
const ITEM: EventShape = byType({
  message: object({ id: optional(text), content: PIECES }),
  function_call: object({
    id: optional(text),
    call_id: optional(text),
    name: optional(text),
    arguments: optional(text),
  }),
  reasoning: object({ id: optional(text), content: PIECES, summary: PIECES, encrypted_content: optional(text) }),
});
const PIECE: EventShape = object({ item_id: optional(text), delta: optional(text) });
const DESCRIBED: EventShape = object({ item: ITEM });
const ENDED: EventShape = object({
  response: object({ model: optional(text), output: optional(listOf(ITEM)), usage: optional(object()) }),
});
const RESPONSE_EVENT: EventShape = byType({
  "response.output_item.added": DESCRIBED,
  "response.output_item.done": DESCRIBED,
  "response.output_text.delta": PIECE,
  "response.reasoning_summary_text.delta": PIECE,
  "response.reasoning_text.delta": PIECE,
  "response.refusal.delta": PIECE,
  "response.function_call_arguments.delta": PIECE,
  "response.function_call_arguments.done": object({ item_id: optional(text), arguments: optional(text) }),
  "response.completed": ENDED,
  "response.incomplete": ENDED,
});

interface ResponseBody {
  readonly model?: string;
  readonly output?: readonly ResponseItem[];
  readonly error?: { readonly code?: string; readonly message?: string } | null;
  readonly incomplete_details?: { readonly reason?: string } | null;
  readonly usage?: {
    readonly input_tokens?: number;
    readonly output_tokens?: number;
    readonly input_tokens_details?: TokenDetails;
    readonly output_tokens_details?: TokenDetails;
  } | null;
}

type Item = OpenAI.Responses.ResponseInputItem;
type Content = OpenAI.Responses.ResponseInputText | OpenAI.Responses.ResponseInputImage;
type Body = OpenAI.Responses.ResponseCreateParamsStreaming;
type Context = WireContext<OpenAIProfile>;

/** Stateless: nothing is kept by the provider, and reasoning comes back encrypted. */
export async function toResponsesRequest(request: LLMRequest, context: Context): Promise<Body> {
  const { profile, warn } = context;
  const { tools: ownTools, ...own } = request.config?.providerOptions ?? {};
  const tools = [...request.tools.map(toTool), ...((ownTools ?? []) as unknown as OpenAI.Responses.Tool[])];
  const items = await Promise.all(request.messages.map((message) => toItems(message, context)));
  return {
    model: request.model,
    stream: true,
    store: false,
    instructions: toSystemText(request) || undefined,
    input: resultsFirst(items.flat()),
    tools: tools.length > 0 ? tools : undefined,
    ...spell(toWireSettings(request, profile, warn), profile),
    ...own,
  };
}

/** The body of POST /v1/responses/input_tokens: the same without what only an answer needs. */
export function toInputTokensRequest(body: Body): OpenAI.Responses.InputTokenCountParams {
  const { model, instructions, tools, input } = body;
  return { model: String(model), input: input as Item[], instructions, tools };
}

function spell(
  { maxTokens, effort, temperature, format, toolChoice, parallelTools }: WireSettings,
  { reasoning }: OpenAIProfile,
): Partial<Body> {
  const thinks = reasoning.efforts.length > 0;
  const choice = typeof toolChoice === "object" ? { type: "function" as const, name: toolChoice.tool } : toolChoice;
  return {
    max_output_tokens: maxTokens,
    include: thinks ? ["reasoning.encrypted_content"] : undefined,
    reasoning: thinks ? { effort, summary: effort === "none" ? undefined : "auto" } : undefined,
    temperature,
    text: format && { format: { type: "json_schema", ...format } },
    tool_choice: choice,
    parallel_tool_calls: parallelTools,
  };
}

function toTool({ name, description, parameters, strict = false }: LLMRequest["tools"][number]): OpenAI.Responses.Tool {
  return { type: "function", name, description, parameters, strict };
}

async function toItems(message: Message, context: Context): Promise<Item[]> {
  if (message.role === "assistant") return toAssistantItems(message, context.profile.id);
  const content: Content[] = [];
  const results: Item[] = [];
  for (const part of message.parts) {
    if (part.type === "tool_result") results.push(await toResult(part, context));
    else content.push(...(await toContent(part, context)));
  }
  const role = message.role === "system" ? "developer" : "user";
  return [...results, ...(content.length > 0 ? [{ type: "message" as const, role, content } satisfies Item] : [])];
}

async function toContent(part: Part, context: Context): Promise<Content[]> {
  if (part.type === "image") return [await toImage(part, context)];
  const text = spokenWords(part);
  return text === "" ? [] : [{ type: "input_text", text }];
}

/** In the order in which they were said: reasoning belongs to what follows it. */
function toAssistantItems({ parts }: Message, model: string): Item[] {
  const items = parts.flatMap((part): Item[] => {
    switch (part.type) {
      case "text":
        return part.text === "" ? [] : [{ type: "message", role: "assistant", content: part.text }];
      case "tool_call": {
        const { id, toolName, arguments: args } = part.call;
        return [{ type: "function_call", call_id: id, name: toolName, arguments: JSON.stringify(args) }];
      }
      case "reasoning": {
        const isOwn = part.opaque?.provider === "openai" && part.opaque.model === model;
        return isOwn ? [part.opaque?.data as unknown as Item] : [];
      }
      case "provider":
        return part.opaque.provider === "openai" ? [part.opaque.data as unknown as Item] : [];
      default:
        return [];
    }
  });
  // Refused without the item that it led to, as when an answer was cut.
  const end = items.findLastIndex((item) => item.type !== "reasoning");
  return items.slice(0, end + 1);
}

/** This wire has no mark for a failure, so the outcome stands in the text. */
async function toResult(result: ToolResultPart, context: Context): Promise<Item> {
  const { callId, outcome } = result;
  const mark: Content[] = outcome === "ok" ? [] : [{ type: "input_text", text: `[${outcome}]` }];
  const shown = await Promise.all(resultContent(result).map((item) => toContent(item, context)));
  const parts = [...mark, ...shown.flat()];
  const isText = parts.every((part) => part.type === "input_text");
  const output = isText ? parts.map(({ text }) => text).join("\n") : parts;
  return { type: "function_call_output", call_id: callId, output: output as string };
}

/** What was said while tools ran comes after their results. */
function resultsFirst(items: readonly Item[]): Item[] {
  const sorted: Item[] = [];
  let said: Item[] = [];
  for (const item of items) {
    const isUserSide = "role" in item && item.role !== "assistant";
    if (isUserSide) said.push(item);
    else if (item.type === "function_call_output") sorted.push(item);
    else {
      sorted.push(...said, item);
      said = [];
    }
  }
  return [...sorted, ...said];
}

async function toImage(part: ImagePart, context: Context): Promise<Content> {
  const shown = await readImage(part, context);
  if (shown.kind === "text") return { type: "input_text", text: shown.text };
  const image_url = `data:${shown.mimeType};base64,${shown.base64}`;
  return { type: "input_image", image_url, detail: part.detail ?? "auto" };
}
