// the clauses said with a picture → one wish about it
import { isQuestion } from "../acts/reading.ts";
import type { Clause } from "../intent.ts";
import { fill } from "../slots/fill-slots.ts";
import { toPlainWords } from "../words/plain-words.ts";

/** A model that is named is run on the picture; else what is asked about it is asked once, and what leads up to it is not. */
export function aboutPicture(clauses: readonly Clause[]): readonly Clause[] {
  const ofPicture = clauses.filter(({ act }) => ["image", "run", "totals", "none"].includes(act.kind));
  const [first] = ofPicture;
  if (first === undefined) return clauses;
  const others = clauses.filter((clause) => !ofPicture.includes(clause));
  const isRun = ofPicture.some(({ slots }) => slots.model !== undefined || slots.workflow !== undefined);
  if (isRun) return [{ ...onPicture(joined(ofPicture)), act: { kind: "run" } }, ...others];
  const asked = ofPicture.filter(({ words, slots }) => isQuestion(toPlainWords(words)) || slots.classes.length > 0);
  return [{ ...joined(asked.length > 0 ? asked : ofPicture), act: { kind: "image" } }, ...others];
}

/** "I took the picture in the yard" speaks of a place, and the photo is meant. */
function onPicture(clause: Clause): Clause {
  const isMeant = /\b(?:photos?|pictures?|images?|snapshots?|screenshots?|attached|attachment|this)\b/i.test(
    clause.words,
  );
  return isMeant ? { ...clause, slots: { ...clause.slots, cameras: [] } } : clause;
}

function joined(clauses: readonly Clause[]): Clause {
  return clauses.reduce((before, clause) => ({
    ...clause,
    slots: fill(clause.slots, before.slots),
    words: `${before.words} ${clause.words}`,
    bare: `${before.bare} ${clause.bare}`,
  }));
}
