// tool results → the words that prove an answer
import type { Outcome, ToolAnswer } from "../plans/plan.ts";

export const KEY = "With a key in ANTHROPIC_API_KEY a language model answers here instead, and understands far more.";

/** By whom it was seen, so that a scene's own script is not taken for a detector. */
export function evidence(text: string): string {
  const model = /^Model: ([^\s,]+)( \(simulated)?/m.exec(text);
  if (model === null) return "";
  const [, id = "", simulated] = model;
  return simulated ? `(Simulated: ${id} reads the scene's script, no detector looked.)` : `(Seen by ${id}.)`;
}

/** The tool's own reason, which says what to do. */
export function failure(what: string, { text }: ToolAnswer): Outcome {
  return { text: `${what}: ${text}` };
}

/** The first lines, and how many more there are. */
export function firstLines(text: string, most: number): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const rest = lines.length - most;
  return rest > 0 ? [...lines.slice(0, most), `… and ${rest} more lines.`].join("\n") : lines.join("\n");
}
