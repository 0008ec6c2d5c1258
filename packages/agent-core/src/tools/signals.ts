// an answer or a tool call → signals for whoever started the run
import type { Signal } from "../types/events.ts";
import { type Json, type JsonSchema, parseJson } from "../types/json.ts";
import type { Tool } from "./tool.ts";

/** SC-4: names that are understood in text. */
export const TEXT_SIGNALS: readonly string[] = ["GENERATE_ACTIONS", "GENERATE_ASSET", "STORE_MEASUREMENT"];

/**
 * Signals that stand in a text: the name, an optional colon, and a JSON object or list, with or without a code fence.
 * All of them in their order; a name without readable JSON behind it is plain text.
 */
export function parseSignals(text: string, names: readonly string[] = TEXT_SIGNALS): readonly Signal[] {
  if (names.length === 0) return [];
  const escaped = names.map((name) => name.replace(/[^A-Za-z0-9_]/g, "\\$&")).join("|");
  const marker = new RegExp(`\\b(${escaped})\\b\\s*:?\\s*(?:\`{3}(?:json)?\\s*)?(?=[[{])`, "g");
  return [...text.matchAll(marker)].flatMap((match) => {
    const [whole, name = ""] = match;
    const start = match.index + whole.length;
    const data = parseJson(text.slice(start, endOfJson(text, start)));
    return data === undefined ? [] : [{ name, data }];
  });
}

/** What a signal is called, when to send it, and its shape. */
export interface SignalDefinition {
  readonly name: string;
  /** Told to the model. */
  readonly description: string;
  readonly schema: JsonSchema;
}

/** X12: a signal as a typed tool. Its arguments are the data; the model is told that it was noted. */
export function defineSignal<A extends { readonly [key: string]: Json }>(definition: SignalDefinition): Tool<A> {
  const { name, description, schema } = definition;
  return {
    name,
    description,
    parameters: schema,
    annotations: { readOnly: true, idempotent: true },
    execute: async (args, context) => {
      context.emitSignal(name, args);
      return "Noted.";
    },
  };
}

/** Where the object or list that begins here ends, by its brackets outside of strings; its start when it does not end. */
function endOfJson(text: string, start: number): number {
  const token = /"(?:[^"\\]|\\.)*"|[[\]{}]/gs;
  token.lastIndex = start;
  let depth = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [found] = match;
    if (found === "{" || found === "[") depth += 1;
    if (found === "}" || found === "]") depth -= 1;
    if (depth === 0) return token.lastIndex;
  }
  return start;
}
