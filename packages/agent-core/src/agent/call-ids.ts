// calls of an answer → ids that no other call of the session has
import type { LLMResponse } from "../llm/llm-client.ts";
import { freeCallId } from "../llm/tool-wire.ts";
import type { TranscriptEntry } from "../session/session-store.ts";
import type { Part, ToolCall } from "../types/message.ts";

/** Results, intents, pauses and idempotency keys go by the id of a call, and some models use an id again. */
export class CallIds {
  readonly #entries: () => readonly TranscriptEntry[];
  #used: Set<string> | undefined;
  /** Names of calls whose pieces were shown, by the id they came with. */
  readonly #shown = new Map<string, string>();

  constructor(entries: () => readonly TranscriptEntry[]) {
    this.#entries = entries;
  }

  /** What the call with this id, of the answer that is coming, is called. */
  next(id: string): string {
    const shown = this.#shown.get(id);
    if (shown !== undefined) return shown;
    const name = this.#free(id);
    this.#shown.set(id, name);
    return name;
  }

  /** The same answer, with ids of its own. */
  adopt(response: LLMResponse): LLMResponse {
    if (response.toolCalls.length === 0) return response;
    const toolCalls = response.toolCalls.map((call) => this.#take(call));
    this.#shown.clear();
    const rest = [...toolCalls];
    const parts = response.message.parts.map((part): Part => {
      const call = part.type === "tool_call" ? rest.shift() : undefined;
      return part.type === "tool_call" && call ? { ...part, call } : part;
    });
    return { ...response, toolCalls, message: { ...response.message, parts } };
  }

  #take(call: ToolCall): ToolCall {
    // The first call of this id has the name that its pieces were shown under.
    const id = this.next(call.id);
    this.#shown.delete(call.id);
    this.#ids().add(id);
    return { ...call, id };
  }

  #free(id: string): string {
    const used = this.#ids();
    const given = new Set(this.#shown.values());
    return freeCallId(id, { has: (name) => used.has(name) || given.has(name) });
  }

  #ids(): Set<string> {
    this.#used ??= new Set(
      this.#entries().flatMap((entry) => (entry.type === "message" ? idsIn(entry.message.parts) : [])),
    );
    return this.#used;
  }
}

function idsIn(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => (part.type === "tool_call" ? [part.call.id] : []));
}
