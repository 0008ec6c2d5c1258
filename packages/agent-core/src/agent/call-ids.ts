// calls of an answer → ids that no other call of the session has
import type { LLMResponse } from "../llm/llm-client.ts";
import { freeCallId } from "../llm/tool-wire.ts";
import type { TranscriptEntry } from "../session/session-store.ts";
import type { Part, ToolCall } from "../types/message.ts";

/** Results, intents, pauses and idempotency keys go by the id of a call, and some models use an id again. */
export class CallIds {
  readonly #entries: () => readonly TranscriptEntry[];
  #used: Set<string> | undefined;

  constructor(entries: () => readonly TranscriptEntry[]) {
    this.#entries = entries;
  }

  /** What the next call that comes with this id is called. */
  next(id: string): string {
    this.#used ??= new Set(
      this.#entries().flatMap((entry) => (entry.type === "message" ? idsIn(entry.message.parts) : [])),
    );
    return freeCallId(id, this.#used);
  }

  /** The same answer, with ids of its own. */
  adopt(response: LLMResponse): LLMResponse {
    if (response.toolCalls.length === 0) return response;
    const toolCalls = response.toolCalls.map((call) => this.#take(call));
    const rest = [...toolCalls];
    const parts = response.message.parts.map((part): Part => {
      const call = part.type === "tool_call" ? rest.shift() : undefined;
      return part.type === "tool_call" && call ? { ...part, call } : part;
    });
    return { ...response, toolCalls, message: { ...response.message, parts } };
  }

  #take(call: ToolCall): ToolCall {
    const id = this.next(call.id);
    this.#used?.add(id);
    return { ...call, id };
  }
}

function idsIn(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => (part.type === "tool_call" ? [part.call.id] : []));
}
