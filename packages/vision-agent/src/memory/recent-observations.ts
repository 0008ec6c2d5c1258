// the files of the last days → Markdown for a prompt, the newest kept
import { FROM_OUTSIDE } from "./memory.ts";
import { withoutComments } from "./note-text.ts";

export interface DayText {
  readonly day: string;
  readonly markdown: string;
}

/** Cautious: times and counts are many tokens for few characters. */
const BYTES_A_TOKEN = 3;

/** An estimate that errs on the high side. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_A_TOKEN);
}

/** Days in the order given, oldest first. At most about `maxTokens`; a first line says when older lines were cut. */
export function toRecentObservations(days: readonly DayText[], maxTokens: number): string {
  const lines = days.flatMap(({ day, markdown }) => toLines(markdown).map((text) => ({ day, text })));
  const whole = join(lines);
  if (estimateTokens(whole) <= maxTokens) return whole;
  const note = (shown: number): string =>
    `[Older observations are cut off: ${shown} of ${lines.length} lines are shown.]`;
  let room = maxTokens * BYTES_A_TOKEN - Buffer.byteLength(note(lines.length)) - 2;
  let first = lines.length;
  while (first > 0) {
    const { day, text } = lines[first - 1]!;
    const isOtherDay = lines[first]?.day !== day;
    // A line break each, and for another day its heading between blank lines.
    room -= Buffer.byteLength(text) + 1 + (isOtherDay ? Buffer.byteLength(headingOf(day)) + 3 : 0);
    if (room < 0) break;
    first -= 1;
  }
  return [note(lines.length - first), join(lines.slice(first))].filter((part) => part !== "").join("\n\n");
}

function join(lines: readonly { readonly day: string; readonly text: string }[]): string {
  const days = Map.groupBy(lines, ({ day }) => day);
  return [...days].map(([day, own]) => `${headingOf(day)}\n\n${own.map(({ text }) => text).join("\n")}`).join("\n\n");
}

function headingOf(day: string): string {
  return `## ${day}`;
}

/** An item with the lines that belong to it, and the mark of what came from outside at its end. */
const OUTSIDE_ITEM = new RegExp(`^- (?:(?!^- )[\\s\\S])*?<!--[^\\n]*"${FROM_OUTSIDE}":true[^\\n]*-->[ \\t]*$`, "gm");

function toLines(markdown: string): readonly string[] {
  return withoutComments(markdown.replaceAll(OUTSIDE_ITEM, ""))
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !line.startsWith("# "));
}
