// questions in one breath → each with what it takes over from the one before: "… yesterday, and how many went out?"
import { eventKindOf } from "../acts/questions.ts";
import { isQuestion } from "../acts/reading.ts";
import type { Act, Clause } from "../intent.ts";
import { toPlainWords } from "../words/plain-words.ts";

/** What was asked is asked again in other words: "I mean, how many came?" */
const RESTATES = /^(?:well |or |so )*(?:i mean|i meant|that is to say|in other words|or rather|put differently)\b ?/;
const AGAIN = /^(?:(?:and|or|but|then|so|also) )*(?:how (?:many|often)|what about|how about)\b/;
/** They speak of now, whatever was asked before. */
const NOW = /\b(?:now|at the moment|currently|at present|are there|is there|do you see)\b/;

/** A question without a time of its own is about the time of the one before; one that was said better is not asked twice. */
export function askOn(clauses: readonly Clause[]): readonly Clause[] {
  const asked: Clause[] = [];
  let isRestated = false;
  for (const clause of clauses) {
    const before = asked.at(-1);
    const plain = toPlainWords(clause.words);
    isRestated ||= before?.act.kind === "past" && RESTATES.test(plain);
    if (isRestated && plain.replace(RESTATES, "") === "") continue;
    const goesOn = before === undefined ? clause : continuing(before, clause);
    if (isRestated && goesOn.act.kind === "past") asked.pop();
    isRestated = false;
    asked.push(goesOn);
  }
  return asked;
}

function continuing({ act: earlier, slots: spoken }: Clause, clause: Clause): Clause {
  const { act, slots } = clause;
  const plain = toPlainWords(clause.words).replace(RESTATES, "");
  if (earlier.kind !== "past" || spoken.period === undefined || slots.period !== undefined) return clause;
  const isMore = act.kind === "past" || (AGAIN.test(plain) && ["look", "totals", "none"].includes(act.kind));
  if (!isMore || NOW.test(plain) || (act.kind === "past" && !isQuestion(plain))) return clause;
  return {
    ...clause,
    act: againOf(earlier, clause),
    slots: { ...slots, period: spoken.period, ...placeOf(clause, spoken.cameras) },
  };
}

/** The same is asked, or what these words name instead: a way, a coming or going. */
function againOf(earlier: Extract<Act, { kind: "past" }>, { act, bare, slots: { way } }: Clause): Act {
  if (act.kind === "past") return act;
  if (way === "in" || way === "out") return { kind: "past", asked: "count", eventKind: "line_crossed", direction: way };
  const eventKind = eventKindOf(bare);
  return eventKind === undefined ? { ...earlier, asked: "count" } : { kind: "past", asked: "count", eventKind };
}

function placeOf({ slots }: Clause, cameras: readonly string[]): Partial<Clause["slots"]> {
  return slots.cameras.length === 0 && slots.unknownCamera === undefined ? { cameras } : {};
}
