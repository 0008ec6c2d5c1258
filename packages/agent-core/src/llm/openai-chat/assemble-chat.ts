// chunks of a chat completion → shown deltas and one response
import type { StopReason } from "../../types/events.ts";
import type { Part } from "../../types/message.ts";
import type { Usage } from "../../types/usage.ts";
import { type AnswerContext, finishResponse, shownDelta, withoutUsage } from "../finish-response.ts";
import type { LLMDelta, LLMResponse } from "../llm-client.ts";
import { toUsage, UNREPORTED_USAGE } from "../openai/wire-usage.ts";
import { toToolCall } from "../tool-arguments.ts";
import { truncatedStream, unknownStopReason } from "../wire-error.ts";
import { type CallPiece, ToolCallSlots } from "./tool-call-slots.ts";

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
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number | null;
    readonly cache_write_tokens?: number | null;
    readonly image_tokens?: number | null;
  } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: "complete",
  length: "max_tokens",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "content_filter",
};
/** Reasons that may have cut the last call. */
const CUTS: ReadonlySet<StopReason> = new Set(["max_tokens", "content_filter"]);

/** Gathers one answer. `take` gives what can be shown; `finish` throws when the stream ended before its end. */
export class ChatAssembler {
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
    if (chunk.usage) this.#usage = readUsage(chunk.usage);
    for (const { index, delta, finish_reason: finish } of chunk.choices ?? []) {
      // One answer was asked for.
      if ((index ?? 0) !== 0) continue;
      if (finish) this.#finish = finish;
      if (delta) yield* this.#extend(delta);
    }
    yield { type: "alive" };
  }

  finish(context: AnswerContext): LLMResponse {
    if (this.#finish === undefined) throw truncatedStream();
    const said = Object.hasOwn(STOP_REASONS, this.#finish) ? STOP_REASONS[this.#finish] : undefined;
    if (!said) throw unknownStopReason(this.#finish);
    const parts = this.#parts(CUTS.has(said));
    return finishResponse(
      {
        parts,
        usage: this.#usage ?? UNREPORTED_USAGE,
        stopReason: this.#stopReason(said, parts),
        ...(this.#refusal === "" ? {} : { stopDetail: { explanation: this.#refusal } }),
        model: this.#model,
      },
      this.#usage ? context : withoutUsage(context),
    );
  }

  *#extend(delta: ChatDelta): Generator<LLMDelta> {
    const thinking = delta.reasoning_content ?? delta.reasoning ?? "";
    const text = toText(delta.content);
    this.#thinking += thinking;
    this.#text += text;
    this.#refusal += delta.refusal ?? "";
    yield shownDelta("thinking", thinking);
    yield shownDelta("text", text);
    for (const piece of delta.tool_calls ?? []) yield this.#calls.take(piece);
    if (delta.function_call) yield this.#calls.take({ index: 0, function: delta.function_call });
  }

  #parts(cut: boolean): Part[] {
    const calls = this.#calls.calls();
    return [
      ...(this.#thinking === "" ? [] : [{ type: "reasoning" as const, text: this.#thinking }]),
      ...(this.#text === "" ? [] : [{ type: "text" as const, text: this.#text }]),
      ...calls.map(
        (slot): Part => ({
          type: "tool_call",
          call: toToolCall({ ...slot, cut: cut && slot === calls.at(-1) }),
        }),
      ),
    ];
  }

  /** Compatible servers say `stop` and call tools nevertheless. */
  #stopReason(said: StopReason, parts: readonly Part[]): StopReason {
    if (said !== "complete") return said;
    if (parts.some(({ type }) => type === "tool_call")) return "tool_use";
    return this.#refusal === "" ? "complete" : "refusal";
  }
}

function readUsage(usage: ChatUsage): Usage {
  return toUsage({
    prompt: usage.prompt_tokens ?? 0,
    output: usage.completion_tokens ?? 0,
    cached: usage.prompt_tokens_details?.cached_tokens,
    written: usage.prompt_tokens_details?.cache_write_tokens,
    image: usage.prompt_tokens_details?.image_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens,
  });
}

function toText(content: ChatDelta["content"]): string {
  if (!content) return "";
  return typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("");
}
