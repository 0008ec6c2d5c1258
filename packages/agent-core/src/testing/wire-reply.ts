// a scripted answer → the events of the Messages API
import { signThinking, type WireRequest } from "./wire-checks.ts";

/** What the model says. */
export type ReplyBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | {
      readonly type: "tool_use";
      readonly name: string;
      /** Sent as it is when a string, so that broken JSON can be scripted. */
      readonly input: object | string;
      /** Default `toolu_<request>_<index>`. */
      readonly id?: string;
    }
  /** A block of the provider's own, such as a server tool's: `start` as it begins, `deltas` as they come. */
  | {
      readonly type: "provider";
      readonly start: WireBlock;
      readonly deltas?: readonly object[];
      readonly whole: WireBlock;
    };

/** A block as the wire has it. */
export type WireBlock = { readonly type: string; readonly [key: string]: unknown };

/** What the server answers to one request. */
export interface LoopbackReply {
  readonly blocks: readonly ReplyBlock[];
  /** Default `tool_use` when there is a call, else `end_turn`. Null leaves it out. */
  readonly stopReason?: string | null;
  /** For a refusal. */
  readonly stopDetails?: object;
  readonly usage?: { readonly [name: string]: unknown };
}

export interface AnthropicWireEvent {
  readonly event: string;
  readonly data: object;
}

const USAGE = {
  input_tokens: 12,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 100,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: 1,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: "standard",
  speed: "standard",
  inference_geo: null,
};

export function toWireEvents(
  reply: LoopbackReply,
  request: WireRequest,
  number: number,
): readonly AnthropicWireEvent[] {
  const usual = reply.blocks.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn";
  const stopReason = reply.stopReason === undefined ? usual : reply.stopReason;
  const sent: object[] = [];
  const blocks = reply.blocks.flatMap((block, index) => {
    const { start, deltas, whole } = toPieces(block, request, sent, `toolu_${number}_${index + 1}`);
    sent.push(whole);
    return [
      toEvent("content_block_start", { index, content_block: start }),
      ...deltas.map((delta) => toEvent("content_block_delta", { index, delta })),
      toEvent("content_block_stop", { index }),
    ];
  });
  const message = {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model: request.model,
    content: [],
    container: null,
    diagnostics: null,
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: { ...USAGE, ...(reply.usage ?? {}), output_tokens: 1 },
  };
  const stop_details = reply.stopDetails ?? null;
  const delta = { stop_reason: stopReason, stop_sequence: null, stop_details, container: null };
  const usage = { input_tokens: null, output_tokens: 20, ...reply.usage };
  return [
    toEvent("message_start", { message }),
    toEvent("ping", {}),
    ...blocks,
    toEvent("message_delta", { delta, usage }),
    toEvent("message_stop", {}),
  ];
}

function toEvent(type: string, data: object): AnthropicWireEvent {
  return { event: type, data: { type, ...data } };
}

interface Pieces {
  readonly start: object;
  readonly deltas: readonly object[];
  /** The block as it comes back in the next request. */
  readonly whole: object;
}

function toPieces(block: ReplyBlock, request: WireRequest, before: readonly object[], callId: string): Pieces {
  switch (block.type) {
    case "text":
      return {
        start: { type: "text", text: "", citations: null },
        deltas: halves(block.text).map((text) => ({ type: "text_delta", text })),
        whole: { type: "text", text: block.text },
      };
    case "thinking": {
      const earlier = before as readonly { readonly [key: string]: unknown }[];
      const signature = signThinking(request.model, request.messages, earlier, block.text);
      return {
        start: { type: "thinking", thinking: "", signature: "" },
        deltas: [
          ...halves(block.text).map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature },
        ],
        whole: { type: "thinking", thinking: block.text, signature },
      };
    }
    case "redacted_thinking":
      return { start: block, deltas: [], whole: block };
    case "provider":
      return { start: block.start, deltas: block.deltas ?? [], whole: block.whole };
    case "tool_use": {
      const json = typeof block.input === "string" ? block.input : JSON.stringify(block.input);
      const call = { type: "tool_use", id: block.id ?? callId, name: block.name };
      return {
        start: { ...call, input: {}, caller: { type: "direct" } },
        deltas: halves(json).map((partial_json) => ({ type: "input_json_delta", partial_json })),
        whole: { ...call, input: block.input },
      };
    }
  }
}

/** Two pieces show that the receiver joins them. */
function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}
