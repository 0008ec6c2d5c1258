// the clauses of an instruction → each with what it takes over from those before it: "it", "there", "longer"
import type { Clause, Slots } from "../intent.ts";
import { hasAny, withoutGaps } from "../slots/fill-slots.ts";
import { toPlainWords } from "../words/plain-words.ts";

/** A place that was spoken of: "there", "that corner". */
const THERE =
  /\b(?:(?<!\b(?:is|are) )there\b(?!'s| is\b| are\b| was\b| were\b| has\b| have\b)|(?:is|are|been) there\b|(?:in|inside|into|within) it\b|(?:that|this|the same) (?:spot|corner|area|part|side|place|zone|bit|half|section|region))/;
/** Longer than was said before. */
const LONGER =
  /\b(?:(?<!\b(?:any|no) )longer(?! than (?:\d|an?\b))|overstay\w*|exceed\w*(?! \d)|(?:over|more than|beyond|past) (?:that|this|it|the limit)|too long|that long)\b/;

/** What was spoken of last, each by itself. */
type Spoken = Pick<Slots, "cameras" | "classes"> & Partial<Slots>;

/** Camera and class are those of the clause before where none are named; a place or a time where it is referred to. */
export function carryOver(clauses: readonly Clause[]): readonly Clause[] {
  let spoken: Spoken = { cameras: [], classes: [] };
  return clauses.map((clause) => {
    const slots: Slots = { ...clause.slots, ...takenOver(clause, spoken) };
    const { model, workflow, workspace, zone, line, unknownZone, seconds } = slots;
    spoken = {
      ...spoken,
      ...withoutGaps({ model, workflow, workspace, zone, line, unknownZone, seconds }),
      cameras: slots.cameras.length > 0 ? slots.cameras : spoken.cameras,
      classes: slots.classes.length > 0 ? slots.classes : spoken.classes,
    };
    return { ...clause, slots };
  });
}

function takenOver({ act, slots, bare, words }: Clause, spoken: Spoken): Partial<Slots> {
  const { model, workflow, workspace, zone, line, unknownZone, seconds } = spoken;
  if (act.kind === "run") return hasAny(slots, "model", "workflow") ? {} : withoutGaps({ model, workflow, workspace });
  const starts = act.kind === "watch" || act.kind === "count" || act.kind === "detect";
  // "How many came yesterday, and how many today?"
  const isAgain = act.kind === "past" && act.asked === "count" && slots.classes.length === 0;
  const isThere = ["look", "past", "totals", "summary"].includes(act.kind) && /\b(?:it|there|here)\b/.test(bare);
  const isHere = (starts || isAgain || isThere) && !slots.unknownCamera && slots.cameras.length === 0;
  const refers = /\b(?:it|they|them|one|he|she|that|this)\b/.test(bare) || slots.thing === undefined;
  const isOfThem = (starts || isAgain) && refers && !slots.anything && slots.classes.length === 0;
  const plain = toPlainWords(words);
  const isPlaced = hasAny(slots, "zone", "line", "unknownZone");
  const isLonger = starts && slots.seconds === undefined && seconds !== undefined && LONGER.test(plain);
  return {
    ...(isHere && { cameras: spoken.cameras }),
    ...(isOfThem && { classes: meantBy(bare, spoken) }),
    ...(starts && !isPlaced && THERE.test(plain) && withoutGaps({ zone, line, unknownZone })),
    ...(isLonger && { seconds, when: slots.when ?? "stays" }),
  };
}

/** "The drivers leave the forklift there. When it stays …": nobody is an "it". */
function meantBy(bare: string, { classes }: Spoken): readonly string[] {
  const things = classes.filter((name) => name !== "person");
  const isThing = /\b(?:it|its|it's)\b/.test(bare) && !/\b(?:he|she|they|them|somebody|someone)\b/.test(bare);
  return isThing && things.length > 0 ? things : classes;
}
