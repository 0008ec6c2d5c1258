// LLMRequest → chat completions, of the provider or of a compatible server → deltas and a response
import type { StopReason } from "../../types/events.ts";
import { parseJsonObject } from "../../types/json.ts";
import type { Part, Usage } from "../../types/message.ts";
import type { LLMDelta, LLMRequest } from "../llm-client.ts";
import { ALIVE, argumentsDelta, type GatheredAnswer, shownDelta, toFullStop } from "../model-call.ts";
import { type OpenAIWireCall, type TokenDetails, toUsage } from "../openai/wire-settings.ts";
import { toToolCall } from "../tool-wire.ts";
import { truncatedStream, unknownStopReason } from "../wire-error.ts";
import { toChatRequest } from "./to-chat-request.ts";

export async function* answerByChat(
  request: LLMRequest,
  { sdk, signal, messageId, ...context }: OpenAIWireCall,
): AsyncGenerator<LLMDelta, GatheredAnswer> {
  const body = await toChatRequest(request, context);
  const { data, request_id } = await sdk.chat.completions.create(body, { signal }).withResponse();
  const assembler = new ChatAssembler(messageId);
  for await (const chunk of data) yield* assembler.take(chunk as unknown as ChatChunk);
  return { ...assembler.finish(), requestId: request_id };
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
    }
    for (const { index, delta, finish_reason: finish } of chunk.choices ?? []) {
      // One answer was asked for.
      if ((index ?? 0) !== 0) continue;
      if (finish) this.#finish = finish;
      if (delta) yield* this.#extend(delta);
    }
    yield ALIVE;
  }

  finish(): GatheredAnswer {
    if (this.#finish === undefined) throw truncatedStream();
    const said = Object.hasOwn(STOP_REASONS, this.#finish) ? STOP_REASONS[this.#finish] : undefined;
    if (!said) throw unknownStopReason(this.#finish);
    const parts = this.#parts(CUTS.has(said));
    return {
      parts,
      usage: this.#usage,
      stopReason: toFullStop(said, parts, this.#refusal),
      stopDetail: this.#refusal === "" ? undefined : { explanation: this.#refusal },
      model: this.#model,
    };
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

/** One piece. Every field may be missing, null, or not what the specification says. */
export interface CallPiece {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: {
    readonly name?: string | null;
    /** Some servers send the object itself. */
    readonly arguments?: string | object | null;
  } | null;
}

export interface CallSlot {
  readonly id: string;
  /** The server gave it no id of its own. */
  readonly isNamedHere: boolean;
  name: string;
  json: string;
}

/** Complaint 15: a piece belongs to the call of its id if that is new, else of its index, else to the current one. */
export class ToolCallSlots {
  readonly #slots: CallSlot[] = [];
  readonly #byId = new Map<string, CallSlot>();
  readonly #byIndex = new Map<number, CallSlot>();
  readonly #newId: (number: number) => string;

  /** `newId` names calls that came without an id; numbers count from 1. */
  constructor(newId: (number: number) => string) {
    this.#newId = newId;
  }

  take(piece: CallPiece): LLMDelta {
    const name = piece.function?.name ?? "";
    const json = argumentText(piece.function?.arguments);
    const known = this.#find(piece, name);
    if (known && isRepetition(known, piece, json)) return ALIVE;
    const slot = known && !beginsAnother(known, name, json) ? known : this.#open(piece);
    if (typeof piece.index === "number") this.#byIndex.set(piece.index, slot);
    if (slot.name === "") slot.name = name;
    slot.json += json;
    return argumentsDelta(slot.id, slot.name, json);
  }

  /** In the order in which they began. A piece that never got a name is no call. */
  calls(): readonly CallSlot[] {
    return this.#slots.filter(({ name }) => name !== "");
  }

  #find({ id, index }: CallPiece, name: string): CallSlot | undefined {
    const byIndex = typeof index === "number" ? this.#byIndex.get(index) : undefined;
    if (id) return this.#byId.get(id) ?? (byIndex?.isNamedHere && name === "" ? byIndex : undefined);
    return typeof index === "number" ? byIndex : this.#slots.at(-1);
  }

  #open({ id }: CallPiece): CallSlot {
    const isFree = id && !this.#byId.has(id);
    const slot: CallSlot = {
      id: isFree ? id : this.#newId(this.#slots.length + 1),
      isNamedHere: !isFree,
      name: "",
      json: "",
    };
    this.#slots.push(slot);
    this.#byId.set(slot.id, slot);
    return slot;
  }
}

/** Some servers end by telling a whole call again. */
function isRepetition(slot: CallSlot, { id }: CallPiece, json: string): boolean {
  return Boolean(id) && json !== "" && json === slot.json && parseJsonObject(json) !== undefined;
}

/** A reused index: the call is whole, and here comes a name with arguments again. */
function beginsAnother(slot: CallSlot, name: string, json: string): boolean {
  return name !== "" && json !== "" && parseJsonObject(slot.json) !== undefined;
}

function argumentText(json: string | object | null | undefined): string {
  if (json === null || json === undefined) return "";
  return typeof json === "string" ? json : JSON.stringify(json);
}
