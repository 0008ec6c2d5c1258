// questions in one breath → each with what it takes over from the one before: "… yesterday, and how many went out?"
import { isQuestion } from "./acts/reading.ts";
import type { Act, Clause } from "./intent.ts";
import { toPlainWords } from "./plain-words.ts";

/** What was asked is asked again in other words: "I mean, how many came?" */
const RESTATES = /^(?:well |or |so )*(?:i mean|i meant|that is|that is to say|in other words|rather|put differently)$/;
const AGAIN = /^(?:(?:and|or|but|then|so|also) )*(?:how (?:many|often)|what about|how about)\b/;
/** They speak of now, whatever was asked before. */
const NOW = /\b(?:now|at the moment|currently|at present|are there|is there|do you see)\b/;

/** A question without a time of its own is about the time of the one before; one that was said better is not asked twice. */
export function askOn(clauses: readonly Clause[]): readonly Clause[] {
  const asked: Clause[] = [];
  let isRestated = false;
  for (const clause of clauses) {
    const before = asked.at(-1);
    if (before?.act.kind === "past" && RESTATES.test(toPlainWords(clause.words))) {
      isRestated = true;
      continue;
    }
    const goesOn = before === undefined ? clause : continuing(before, clause);
    if (isRestated && goesOn.act.kind === "past") asked.pop();
    isRestated = false;
    asked.push(goesOn);
  }
  return asked;
}

function continuing({ act: earlier, slots: spoken }: Clause, clause: Clause): Clause {
  const { act, slots } = clause;
  const plain = toPlainWords(clause.words);
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
function againOf(earlier: Extract<Act, { kind: "past" }>, { act, slots: { way } }: Clause): Act {
  if (act.kind === "past") return act;
  return way === "in" || way === "out"
    ? { kind: "past", asked: "count", eventKind: "line_crossed", direction: way }
    : { ...earlier, asked: "count" };
}

function placeOf({ slots }: Clause, cameras: readonly string[]): Partial<Clause["slots"]> {
  return slots.cameras.length === 0 && slots.unknownCamera === undefined ? { cameras } : {};
}
