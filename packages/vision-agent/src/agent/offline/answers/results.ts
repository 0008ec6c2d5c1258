// result lines of tools → sentences
import { type LineCount as ClassCount, parseResultLine, type ResultLine } from "../../../tools/result-lines.ts";
import type { ToolAnswer } from "../plans/plan.ts";
import { countOf, joinWords, plural } from "../words/class-words.ts";
import { evidence, failure } from "./evidence.ts";

export interface LookQuestion {
  readonly classes: readonly string[];
  readonly howMany: boolean;
}

export function lookInWords(answer: ToolAnswer, asked: LookQuestion): string {
  const line = answer.ok ? parseResultLine(answer.text) : undefined;
  if (line === undefined) return failure("I could not look", answer).text;
  const seen = `On ${line.subject} I see ${countsInWords(line.counts)}.`;
  return [reply(asked, line), seen, evidence(answer.text)].filter((part) => part !== "").join(" ");
}

/** Of a single picture: what was found, by whom, and what the tool says is missing. */
export function resultInWords(text: string): string {
  const line = parseResultLine(text);
  if (line === undefined) return text;
  const notes = text
    .split("\n")
    .slice(1)
    .filter((each) => !/^(?:Frame|Boxes|Model)\b/.test(each) && each.trim() !== "");
  return [`On ${line.subject} I see ${countsInWords(line.counts)}.`, ...notes, evidence(text)]
    .filter((part) => part !== "")
    .join(" ");
}

/** Of one pipeline: what crossed since its start, and what is in view. */
export function totalsInWords(answer: ToolAnswer, asked: readonly string[]): string {
  if (!answer.ok) return answer.text;
  const line = parseResultLine(answer.text);
  if (line === undefined) return answer.text.split("\n")[0] ?? "";
  const totals = crossings(line);
  const now = `In view now: ${countsInWords(line.counts)}.`;
  const missing = asked.filter((className) => !line.counts.some((count) => count.className === className));
  const none = totals === "" && missing.length > 0 ? `No ${joinWords(missing)} in view. ` : "";
  return `${line.subject}: ${none}${totals}${now} ${evidence(answer.text)}`.trim();
}

function crossings(line: ResultLine): string {
  const figure = (word: RegExp): number | undefined => {
    const found = line.figures.find(({ name, value }) => word.test(name) && /^\d+$/.test(value));
    return found === undefined ? undefined : Number(found.value);
  };
  const [into, out, inside] = [figure(/(^|_)in$/), figure(/(^|_)out$/), figure(/_in_zone$/)];
  if (inside !== undefined) return `${inside} in the zone now. `;
  if (into === undefined || out === undefined) return "";
  return `${into + out} crossed the line since it started, ${into} in and ${out} out. `;
}

/** To the question itself; empty when nothing in particular was asked for. */
function reply({ classes, howMany }: LookQuestion, { counts, subject }: ResultLine): string {
  if (classes.length === 0) return "";
  const found = counts.filter(({ className }) => classes.includes(className));
  if (found.length === 0) return `No ${joinWords(classes.map(plural), "or")} on ${subject} at this moment.`;
  return howMany ? `${countsInWords(found)} on ${subject} at this moment.` : `Yes, ${countsInWords(found)}.`;
}

export function countsInWords(counts: readonly ClassCount[]): string {
  return counts.length === 0 ? "nothing" : joinWords(counts.map(({ count, className }) => countOf(count, className)));
}
