// calls and their results → the same thing over and over
import { createHash } from "node:crypto";
import { canonicalJson } from "../tools/canonical-json.ts";
import type { ToolCall, ToolResultPart } from "../types/message.ts";

export interface LoopDetector {
  /** Counts one turn; gives the name of a tool that was called alike, with the same result, too often. */
  note(turn: readonly { readonly call: ToolCall; readonly result: ToolResultPart }[]): string | undefined;
}

export function createLoopDetector(maxRepeats: number): LoopDetector {
  const counts = new Map<string, number>();
  const seen = new Set<string>();
  return {
    note(turn) {
      // Several alike in one turn are one decision of the model.
      const keys = new Map(turn.map((step) => [keyOf(step.call, step.result), step.call.toolName]));
      // Something new came of it: looking again and again meanwhile was no loop.
      if ([...keys.keys()].some((key) => !seen.has(key))) counts.clear();
      for (const key of keys.keys()) seen.add(key);
      for (const [key, toolName] of keys) {
        const count = (counts.get(key) ?? 0) + 1;
        counts.set(key, count);
        if (count >= maxRepeats) return toolName;
      }
      return undefined;
    },
  };
}

function keyOf(call: ToolCall, result: ToolResultPart): string {
  const parts = [call.toolName, canonicalJson(call.arguments), result.outcome, JSON.stringify(result.content)];
  return createHash("sha256").update(parts.join("\0")).digest("base64");
}
