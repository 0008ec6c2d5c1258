// tools that a run may use + what the model asked for → those it is sent in full, and `load_tools` for the rest
import type { ToolDefinition } from "../llm/llm-client.ts";
import type { TranscriptEntry } from "../session/session-store.ts";
import { nearestNames } from "../types/known-options.ts";
import type { Part, ToolCall, ToolResultPart } from "../types/message.ts";
import { textResult } from "./tool-output.ts";

/** The name under which the model loads deferred tools. No other tool may have it. */
export const LOAD_TOOLS = "load_tools";

const MAX_SUMMARY_CHARS = 60;
const MAX_NEAR_NAMES = 3;

/**
 * What a model is sent of these tools when it has asked for `asked`, and may use `load_tools` (default true). First the tools that are always there, then `load_tools`, then what was asked for, in that order: what stood in an
 * earlier request keeps its place. Where `load_tools` may not be used, every tool is sent.
 */
export function toSentTools(
  allowed: readonly ToolDefinition[],
  asked: ReadonlySet<string> = new Set(),
  canLoad = true,
): readonly ToolDefinition[] {
  const all = allowed.map(({ deferLoading: _, ...tool }) => tool);
  const deferred = allowed.filter(({ deferLoading }) => deferLoading);
  if (!canLoad || deferred.length === 0) return all;
  const names = new Set(deferred.map(({ name }) => name));
  const fixed = all.filter(({ name }) => !names.has(name));
  const loaded = [...asked].filter((name) => names.has(name));
  return [...fixed, loadTools(deferred), ...loaded.flatMap((name) => all.find((tool) => tool.name === name) ?? [])];
}

function loadTools(deferred: readonly ToolDefinition[]): ToolDefinition {
  const lines = deferred.map(({ name, description }) => `- ${name}: ${summarize(description)}`);
  return {
    name: LOAD_TOOLS,
    description: `Load more tools by name; you can call them in the next step. Load all that you need at once.\n${lines.join("\n")}`,
    parameters: {
      type: "object",
      properties: { names: { type: "array", items: { type: "string" }, minItems: 1, description: "From this list." } },
      required: ["names"],
      additionalProperties: false,
    },
  };
}

/** The first sentence, or as much of it as fits. */
function summarize(description: string): string {
  const [sentence = ""] = description.trim().split(/(?<=[.!?:])\s|\n/, 1);
  const plain = sentence.replace(/[.:]$/, "");
  if (plain.length <= MAX_SUMMARY_CHARS) return plain;
  return `${plain.slice(0, MAX_SUMMARY_CHARS).replace(/\s+\S*$/, "")}…`;
}

/** The answer to `load_tools`. The call itself, in the transcript, is what loads them. */
export function answerLoad(call: ToolCall, allowed: readonly ToolDefinition[]): ToolResultPart {
  const names = toNames(call);
  if (names.length === 0) {
    return textResult(call, "invalid_args", 'Not executed: names: expected a list of names, such as ["a", "b"].');
  }
  const known = allowed.map(({ name }) => name);
  const found = names.filter((name) => known.includes(name));
  const unknown = names.filter((name) => !known.includes(name));
  const lines = [
    ...(found.length > 0 ? [`You can call now: ${found.join(", ")}.`] : []),
    ...unknown.map(
      (name) => `There is no tool "${name}". The nearest are: ${nearestNames(name, known, MAX_NEAR_NAMES).join(", ")}.`,
    ),
  ];
  return textResult(call, found.length > 0 ? "ok" : "unknown_tool", lines.join("\n"));
}

/** What the model asked for in one session, by loading or by calling it, oldest first. */
export class AskedTools {
  readonly #names = new Set<string>();
  #linesRead = 0;

  /** Reads only what was written since the last time. */
  readOn(entries: readonly TranscriptEntry[]): ReadonlySet<string> {
    for (; this.#linesRead < entries.length; this.#linesRead++) {
      const entry = entries[this.#linesRead];
      if (entry?.type !== "message" || entry.message.role !== "assistant") continue;
      for (const name of entry.message.parts.flatMap(namesIn)) this.#names.add(name);
    }
    return this.#names;
  }
}

function namesIn(part: Part): readonly string[] {
  if (part.type !== "tool_call") return [];
  return part.call.toolName === LOAD_TOOLS ? toNames(part.call) : [part.call.toolName];
}

function toNames({ arguments: { names } }: ToolCall): readonly string[] {
  const given = Array.isArray(names) ? names : [names];
  return [...new Set(given.filter((name) => typeof name === "string"))];
}
