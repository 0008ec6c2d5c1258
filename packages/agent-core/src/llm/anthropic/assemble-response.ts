// raw stream events → shown deltas and one response
import type Anthropic from "@anthropic-ai/sdk";
import { AgentError } from "../../types/errors.ts";
import type { Json } from "../../types/json.ts";
import type { Message, Part, ReasoningPart, ToolCall } from "../../types/message.ts";
import { NO_USAGE, type Usage } from "../../types/usage.ts";
import type { LLMDelta, LLMResponse } from "../llm-client.ts";
import { toStopReason } from "./stop-reasons.ts";

type Slot =
  | { readonly type: "text"; text: string }
  | { readonly type: "thinking"; text: string; signature: string; closed: boolean }
  | { readonly type: "redacted"; readonly data: string }
  | { readonly type: "tool"; readonly id: string; readonly name: string; json: string; closed: boolean };

/** Gathers one answer. `take` gives what can be shown; `finish` throws when the stream ended before its end. */
export class ResponseAssembler {
  readonly #slots = new Map<number, Slot>();
  #usage: Usage = { ...NO_USAGE };
  #model = "";
  #stopReason: string | null = null;
  #stopped = false;

  take(event: Anthropic.RawMessageStreamEvent): LLMDelta {
    switch (event.type) {
      case "message_start":
        this.#model = event.message.model;
        this.#usage = addUsage(this.#usage, event.message.usage);
        return { type: "alive" };
      case "content_block_start":
        return this.#open(event.index, event.content_block);
      case "content_block_delta":
        return this.#extend(event.index, event.delta);
      case "content_block_stop":
        this.#close(event.index);
        return { type: "alive" };
      case "message_delta":
        this.#stopReason = event.delta.stop_reason;
        this.#usage = addUsage(this.#usage, event.usage);
        return { type: "alive" };
      case "message_stop":
        this.#stopped = true;
        return { type: "alive" };
      default:
        // The provider may add event types at any time.
        return { type: "alive" };
    }
  }

  finish(options: {
    readonly messageId: string;
    readonly requestModel: string;
    readonly ts: string;
    readonly requestId: string | undefined;
    readonly warnings: readonly string[];
  }): LLMResponse {
    if (!this.#stopped || this.#stopReason === null) {
      throw new AgentError({
        kind: "network",
        code: "truncated_stream",
        message: "The provider closed the connection before the answer was complete.",
        retryable: true,
      });
    }
    const stopReason = toStopReason(this.#stopReason);
    const parts = this.#parts(options.requestModel);
    const message: Message = {
      id: options.messageId,
      role: "assistant",
      parts,
      ts: options.ts,
      origin: "model",
      model: options.requestModel,
    };
    return {
      message,
      content: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
      toolCalls: parts.flatMap((part) => (part.type === "tool_call" ? [part.call] : [])),
      usage: this.#usage,
      stopReason,
      model: this.#model,
      ...(options.requestId === undefined ? {} : { requestId: options.requestId }),
      warnings: options.warnings,
    };
  }

  #open(index: number, block: Anthropic.ContentBlock): LLMDelta {
    if (block.type === "text") {
      this.#slots.set(index, { type: "text", text: block.text });
      return shown("text", block.text);
    }
    if (block.type === "thinking") {
      this.#slots.set(index, { type: "thinking", text: block.thinking, signature: block.signature, closed: false });
      return shown("thinking", block.thinking);
    }
    if (block.type === "redacted_thinking") this.#slots.set(index, { type: "redacted", data: block.data });
    if (block.type === "tool_use") {
      this.#slots.set(index, {
        type: "tool",
        id: block.id,
        name: block.name,
        json: wholeInput(block.input),
        closed: false,
      });
    }
    return { type: "alive" };
  }

  #extend(index: number, delta: Anthropic.RawContentBlockDelta): LLMDelta {
    const slot = this.#slots.get(index);
    if (delta.type === "text_delta" && slot?.type === "text") {
      slot.text += delta.text;
      return shown("text", delta.text);
    }
    if (delta.type === "thinking_delta" && slot?.type === "thinking") {
      slot.text += delta.thinking;
      return shown("thinking", delta.thinking);
    }
    if (delta.type === "signature_delta" && slot?.type === "thinking") slot.signature += delta.signature;
    if (delta.type === "input_json_delta" && slot?.type === "tool") slot.json += delta.partial_json;
    return { type: "alive" };
  }

  #close(index: number): void {
    const slot = this.#slots.get(index);
    if (slot && "closed" in slot) slot.closed = true;
  }

  #parts(model: string): Part[] {
    const inOrder = [...this.#slots].sort(([a], [b]) => a - b);
    const last = inOrder.at(-1)?.[0];
    return inOrder.flatMap(([index, slot]): Part[] => {
      if (slot.type === "text") return slot.text === "" ? [] : [{ type: "text", text: slot.text }];
      if (slot.type === "tool") {
        // A cap that is hit inside the last call still closes its block.
        const cut = !slot.closed || (index === last && CUTS.has(this.#stopReason ?? ""));
        return [{ type: "tool_call", call: toCall(slot, cut) }];
      }
      return toReasoning(slot, model);
    });
  }
}

/** Stop reasons that may have cut the last block. */
const CUTS: ReadonlySet<string> = new Set(["max_tokens", "model_context_window_exceeded", "refusal"]);

/** The numbers are running totals: a later report replaces an earlier one. */
function addUsage(usage: Usage, report: Anthropic.Usage | Anthropic.MessageDeltaUsage): Usage {
  return {
    inputTokens: report.input_tokens ?? usage.inputTokens,
    outputTokens: report.output_tokens ?? usage.outputTokens,
    cacheReadTokens: report.cache_read_input_tokens ?? usage.cacheReadTokens,
    cacheWriteTokens: report.cache_creation_input_tokens ?? usage.cacheWriteTokens,
    reasoningTokens: report.output_tokens_details?.thinking_tokens ?? usage.reasoningTokens,
    estimated: false,
  };
}

function shown(type: "text" | "thinking", text: string): LLMDelta {
  return text === "" ? { type: "alive" } : { type, text };
}

/** Some senders put the whole input at the start; the usual start is an empty object. */
function wholeInput(input: unknown): string {
  const isEmpty = typeof input !== "object" || input === null || Object.keys(input).length === 0;
  return isEmpty ? "" : JSON.stringify(input);
}

function toCall(slot: Extract<Slot, { type: "tool" }>, cut: boolean): ToolCall {
  const call = { id: slot.id, toolName: slot.name };
  if (cut) return { ...call, arguments: {}, state: "truncated" };
  const args = parseObject(slot.json === "" ? "{}" : slot.json);
  return args ? { ...call, arguments: args, state: "complete" } : { ...call, arguments: {}, state: "unparseable" };
}

function parseObject(json: string): { [key: string]: Json } | undefined {
  try {
    const value = JSON.parse(json) as Json;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
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
