// calls that change something + a sentence that is not clear → a question in their place
import { CHANGING_TOOLS, toolDataSchemas } from "@vision-agent/protocol";
import type { Outcome, PlannedCall, Wish } from "../plans/plan.ts";
import { joinWords } from "../words/class-words.ts";
import { unusedWords } from "./judge-sentence.ts";

/** A tool that nobody knows may change anything. */
function mayChange({ tool }: PlannedCall): boolean {
  return !Object.hasOwn(toolDataSchemas, tool) || CHANGING_TOOLS.has(tool);
}

/** Undefined when the calls may be made. A question changes nothing even where somebody would say yes. */
export function askFirst(calls: readonly PlannedCall[], { clause, isSure }: Wish): Outcome | undefined {
  const changing = calls.filter(mayChange);
  if (changing.length === 0 || isSure) return undefined;
  const unexplained = unusedWords(clause);
  const will = changing.map(({ tool, will: does = tool.replaceAll("_", " ") }) => does);
  const unread =
    unexplained.length === 0 ? "" : `I could not use ${joinWords(unexplained.map((word) => `"${word}"`))}. `;
  // "We are leaving" is clear; whether a mode is meant is not.
  const lead = clause.act.kind === "mode" && unread === "" ? "" : "I am not sure I understood you. ";
  return {
    text: `${lead}${unread}Should I ${joinWords([...new Set(will)])}?`,
    open: true,
    proposal: clause,
  };
}
