// raw stream events → shown deltas and one response
import type Anthropic from "@anthropic-ai/sdk";
import type { StopReason } from "../../types/events.ts";
import { type Json, parseJsonObject } from "../../types/json.ts";
import { NO_USAGE, type Part, type ProviderPart, type ReasoningPart, type Usage } from "../../types/message.ts";
import { byType, type EventShape, filledText, object, optional, text } from "../event-shape.ts";
import type { LLMDelta, LLMResponse } from "../llm-client.ts";
import { ALIVE, argumentsDelta, type GatheredAnswer, shownDelta, usageDelta } from "../model-call.ts";
import { freeCallId, toToolCall } from "../tool-wire.ts";
import { type GatheredCall, uniqueCalls } from "../unique-calls.ts";
import { protocolError, truncatedStream, unknownStopReason } from "../wire-error.ts";

type JsonObject = { [key: string]: Json };
type Slot =
  | { readonly type: "text"; text: string }
  | { readonly type: "thinking"; text: string; signature: string; closed: boolean }
  | { readonly type: "redacted"; readonly data: string }
  | ({ readonly type: "tool"; readonly id: string; closed: boolean } & GatheredCall)
  /** A block that only the provider understands. `json` is the input of its own tools. */
  | { readonly type: "provider"; readonly block: JsonObject; json: string; closed: boolean };

/** What is read of an event. The provider may add types of events, blocks and pieces at any time. */
export const MESSAGE_EVENT: EventShape = byType({
  message_start: object({ message: object({ model: optional(text), usage: optional(object()) }) }),
  content_block_start: object({
    content_block: byType({
      text: object({ text }),
      thinking: object({ thinking: text, signature: optional(text) }),
      redacted_thinking: object({ data: text }),
      tool_use: object({ id: filledText, name: filledText }),
    }),
  }),
  content_block_delta: object({
    delta: byType({
      text_delta: object({ text }),
      thinking_delta: object({ thinking: text }),
      signature_delta: object({ signature: text }),
      input_json_delta: object({ partial_json: text }),
    }),
  }),
  message_delta: object({ delta: object({ stop_reason: optional(text) }), usage: optional(object()) }),
});

/** Stop reasons that may have cut the last block. */
const CUTS: ReadonlySet<string> = new Set(["max_tokens", "model_context_window_exceeded", "refusal"]);

/** What a piece belongs to. */
const SLOT_OF: Readonly<Record<Anthropic.RawContentBlockDelta["type"], Slot["type"]>> = {
  text_delta: "text",
  citations_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "thinking",
  input_json_delta: "tool",
};

/** Gathers one answer. `take` gives what can be shown; `finish` throws when the stream ended before its end. */
export class ResponseAssembler {
  readonly #slots = new Map<number, Slot>();
  readonly #callIds = new Set<string>();
  /** Absent until the server says. */
  #usage: Usage | undefined;
  #model = "";
  #stopReason: string | null = null;
  #stopDetail: LLMResponse["stopDetail"];
  #stopped = false;

  take(event: Anthropic.RawMessageStreamEvent): LLMDelta {
    switch (event.type) {
      case "message_start":
        this.#model = event.message.model ?? "";
        return this.#noteUsage(event.message.usage as object | undefined);
      case "content_block_start":
        return this.#open(event.index, event.content_block);
      case "content_block_delta":
        return this.#extend(event.index, event.delta);
      case "content_block_stop": {
        const slot = this.#slots.get(event.index);
        if (slot && "closed" in slot) slot.closed = true;
        return ALIVE;
      }
      case "message_delta":
        this.#stopReason = event.delta.stop_reason ?? null;
        this.#stopDetail = toStopDetail(event.delta.stop_details);
        return this.#noteUsage(event.usage as object | undefined);
      case "message_stop":
        this.#stopped = true;
        return ALIVE;
      default:
        // The provider may add event types at any time.
        return ALIVE;
    }
  }

  finish(requestModel: string): GatheredAnswer {
    if (!this.#stopped || this.#stopReason === null) throw truncatedStream();
    return {
      parts: this.#parts(requestModel),
      usage: this.#usage,
      stopReason: toStopReason(this.#stopReason),
      stopDetail: this.#stopDetail,
      model: this.#model,
    };
  }

  #noteUsage(report: object | undefined): LLMDelta {
    if (report) this.#usage = mergeUsage(this.#usage ?? NO_USAGE, report);
    return usageDelta(this.#usage);
  }

  #open(index: number, block: Anthropic.ContentBlock): LLMDelta {
    // Told twice, a block must not begin again.
    if (this.#slots.has(index)) return ALIVE;
    switch (block.type) {
      case "text":
        this.#slots.set(index, { type: "text", text: block.text });
        return shownDelta("text", block.text);
      case "thinking":
        this.#slots.set(index, {
          type: "thinking",
          text: block.thinking,
          signature: block.signature ?? "",
          closed: false,
        });
        return shownDelta("thinking", block.thinking);
      case "redacted_thinking":
        this.#slots.set(index, { type: "redacted", data: block.data });
        return ALIVE;
      case "tool_use": {
        const { name } = block;
        const json = wholeInput(block.input);
        const id = freeCallId(block.id, this.#callIds);
        this.#callIds.add(id);
        this.#slots.set(index, { type: "tool", id, sentId: block.id, position: index, name, json, closed: false });
        return argumentsDelta(id, name, json);
      }
      default:
        this.#slots.set(index, { type: "provider", block: block as unknown as JsonObject, json: "", closed: false });
        return ALIVE;
    }
  }

  #extend(index: number, delta: Anthropic.RawContentBlockDelta): LLMDelta {
    const slot = this.#slots.get(index) ?? this.#openBy(index, delta);
    if (slot?.type === "provider") extendProviderBlock(slot, delta as unknown as JsonObject);
    // The provider may add kinds of pieces at any time.
    if (!slot || slot.type === "provider" || !Object.hasOwn(SLOT_OF, delta.type)) return ALIVE;
    if (delta.type === "text_delta" && slot.type === "text") {
      slot.text += delta.text;
      return shownDelta("text", delta.text);
    }
    if (delta.type === "thinking_delta" && slot.type === "thinking") {
      slot.text += delta.thinking;
      return shownDelta("thinking", delta.thinking);
    }
    if (delta.type === "signature_delta" && slot.type === "thinking") {
      slot.signature += delta.signature;
      return ALIVE;
    }
    if (delta.type === "input_json_delta" && slot.type === "tool" && !slot.closed) {
      slot.json += delta.partial_json;
      return argumentsDelta(slot.id, slot.name, delta.partial_json);
    }
    if (delta.type === "citations_delta") return ALIVE;
    throw protocolError(`a ${delta.type} came for a block of another kind, or after its end`);
  }

  /** A piece of a block that never began: its kind says what the block is, but for a call, whose name is missing. */
  #openBy(index: number, delta: Anthropic.RawContentBlockDelta): Slot | undefined {
    const type = Object.hasOwn(SLOT_OF, delta.type) ? SLOT_OF[delta.type] : undefined;
    if (type === "tool") throw protocolError("arguments came for a tool call that never began");
    if (type === "text") this.#slots.set(index, { type, text: "" });
    if (type === "thinking") this.#slots.set(index, { type, text: "", signature: "", closed: false });
    return this.#slots.get(index);
  }

  #parts(model: string): Part[] {
    const inOrder = [...this.#slots].sort(([a], [b]) => a - b);
    const last = inOrder.at(-1)?.[0];
    const calls = new Set<Slot>(uniqueCalls(inOrder.flatMap(([, slot]) => (slot.type === "tool" ? [slot] : []))));
    return inOrder.flatMap(([index, slot]): Part[] => {
      // A cap that is hit inside the last block still closes it.
      const cut = index === last && CUTS.has(this.#stopReason ?? "");
      switch (slot.type) {
        case "text":
          return slot.text === "" ? [] : [{ type: "text", text: slot.text }];
        case "tool":
          return !calls.has(slot)
            ? []
            : [{ type: "tool_call", call: toToolCall({ ...slot, cut: cut || !slot.closed }) }];
        case "provider":
          return toProviderPart(slot, model);
        default:
          return toReasoning(slot, model);
      }
    });
  }
}

/** Some senders put the whole input at the start; the usual start is an empty object. */
function wholeInput(input: unknown): string {
  const isEmpty = typeof input !== "object" || input === null || Object.keys(input).length === 0;
  return isEmpty ? "" : JSON.stringify(input);
}

/** Input comes as JSON in pieces; anything else names the fields that it adds to. */
function extendProviderBlock(slot: Extract<Slot, { type: "provider" }>, delta: JsonObject): void {
  const { type, ...fields } = delta;
  if (type === "input_json_delta") {
    slot.json += String(fields.partial_json ?? "");
    return;
  }
  for (const [name, value] of Object.entries(fields)) {
    const before = slot.block[name];
    if (typeof value === "string") slot.block[name] = typeof before === "string" ? before + value : value;
    else if (value !== null) slot.block[name] = value;
  }
}

function toProviderPart(slot: Extract<Slot, { type: "provider" }>, model: string): ProviderPart[] {
  const input = slot.json === "" ? undefined : parseJsonObject(slot.json);
  // What was cut cannot be sent back.
  if (!slot.closed || (slot.json !== "" && !input)) return [];
  const data = input ? { ...slot.block, input } : slot.block;
  return [{ type: "provider", opaque: { provider: "anthropic", model, data } }];
}

/** Thinking that was cut before its signature cannot be sent back, so it is not kept. */
function toReasoning(slot: Extract<Slot, { type: "thinking" | "redacted" }>, model: string): ReasoningPart[] {
  if (slot.type === "redacted") {
    const data = { type: "redacted_thinking", data: slot.data };
    return [{ type: "reasoning", text: "", opaque: { provider: "anthropic", model, data } }];
  }
  if (!slot.closed || slot.signature === "") return [];
  const data = { type: "thinking", thinking: slot.text, signature: slot.signature };
  return [{ type: "reasoning", text: slot.text, opaque: { provider: "anthropic", model, data } }];
}

function toStopDetail(details: Anthropic.RefusalStopDetails | null | undefined): LLMResponse["stopDetail"] {
  const [category, explanation] = [details?.category || undefined, details?.explanation || undefined];
  return category || explanation ? { category, explanation } : undefined;
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: "complete",
  tool_use: "tool_use",
  max_tokens: "max_tokens",
  stop_sequence: "stop_sequence",
  pause_turn: "pause",
  refusal: "refusal",
  model_context_window_exceeded: "context_exceeded",
  compaction: "compaction",
};

/** AI-8. A value that the table does not know is an error, never silence. */
export function toStopReason(value: string): StopReason {
  const known = Object.hasOwn(STOP_REASONS, value) ? STOP_REASONS[value] : undefined;
  if (known) return known;
  throw unknownStopReason(value);
}

/** What a report may hold. Numbers are running totals: a later report replaces an earlier one. */
interface RunningTotals {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_creation?: { readonly ephemeral_1h_input_tokens?: number | null } | null;
  readonly output_tokens_details?: { readonly thinking_tokens?: number | null } | null;
  readonly server_tool_use?: { readonly [tool: string]: number | null } | null;
  /** Only with betas. Compaction and fallback are billed beside the totals. */
  readonly iterations?: readonly (RunningTotals & { readonly type?: string })[] | null;
}

/** `report` is what came from the wire, older or newer than the SDK's types. */
export function mergeUsage(usage: Usage, report: RunningTotals): Usage {
  const hourTokens = report.cache_creation?.ephemeral_1h_input_tokens ?? usage.cacheWrite1hTokens;
  const counts = report.server_tool_use && Object.values(report.server_tool_use);
  const requests = counts ? counts.reduce<number>((sum, count) => sum + (count ?? 0), 0) : usage.serverToolRequests;
  const extra = report.iterations
    ?.filter(({ type }) => type !== "message")
    .map((iteration) => mergeUsage(NO_USAGE, iteration));
  const extraIterations = extra && extra.length > 0 ? extra : usage.extraIterations;
  return {
    inputTokens: report.input_tokens ?? usage.inputTokens,
    outputTokens: report.output_tokens ?? usage.outputTokens,
    cacheReadTokens: report.cache_read_input_tokens ?? usage.cacheReadTokens,
    cacheWriteTokens: report.cache_creation_input_tokens ?? usage.cacheWriteTokens,
    cacheWrite1hTokens: hourTokens || undefined,
    reasoningTokens: report.output_tokens_details?.thinking_tokens ?? usage.reasoningTokens,
    serverToolRequests: requests || undefined,
    extraIterations,
    estimated: false,
  };
}
