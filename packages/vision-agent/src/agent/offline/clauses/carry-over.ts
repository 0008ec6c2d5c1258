// the clauses of an instruction → each with what it takes over from those before it: "it", "there", "longer"
import type { Clause, Slots } from "../intent.ts";
import { toPlainWords } from "../words/plain-words.ts";

type Spoken = Pick<
  Slots,
  "cameras" | "classes" | "model" | "workflow" | "workspace" | "zone" | "line" | "seconds" | "unknownZone"
>;

/** A place that was spoken of: "there", "that corner". */
const THERE =
  /\b(?:(?<!\b(?:is|are) )there\b(?!'s| is\b| are\b| was\b| were\b| has\b| have\b)|(?:is|are|been) there\b|(?:in|inside|into|within) it\b|(?:that|this|the same) (?:spot|corner|area|part|side|place|zone|bit|half|section|region))/;
/** Longer than was said before. */
const LONGER =
  /\b(?:(?<!\b(?:any|no) )longer(?! than (?:\d|an?\b))|overstay\w*|exceed\w*(?! \d)|(?:over|more than|beyond|past) (?:that|this|it|the limit)|too long|that long)\b/;

/** Camera and class are those of the clause before where none are named; a place or a time where it is referred to. */
export function carryOver(clauses: readonly Clause[]): readonly Clause[] {
  let spoken: Spoken = { cameras: [], classes: [] };
  return clauses.map((clause) => {
    const filled: Slots = { ...clause.slots, ...thingsFor(clause, spoken), ...placeFor(clause, spoken) };
    spoken = {
      cameras: filled.cameras.length > 0 ? filled.cameras : spoken.cameras,
      classes: filled.classes.length > 0 ? filled.classes : spoken.classes,
      ...namesOf(spoken),
      ...namesOf(filled),
      ...placeOf(spoken),
      ...placeOf(filled),
    };
    return { ...clause, slots: filled };
  });
}

function takesThings({ act }: Clause): boolean {
  return act.kind === "watch" || act.kind === "count" || act.kind === "detect";
}

function thingsFor(clause: Clause, spoken: Spoken): Partial<Slots> {
  const { slots, act, bare } = clause;
  const takes = takesThings(clause);
  // "How many came yesterday, and how many today?"
  const isAgain = act.kind === "past" && act.asked === "count" && slots.classes.length === 0;
  const looks =
    isAgain || (["look", "past", "totals", "summary"].includes(act.kind) && /\b(?:it|there|here)\b/.test(bare));
  const refers = /\b(?:it|they|them|one|he|she|that|this)\b/.test(bare) || slots.thing === undefined;
  return {
    ...((takes || looks) &&
      slots.unknownCamera === undefined &&
      slots.cameras.length === 0 && { cameras: spoken.cameras }),
    ...((takes || isAgain) &&
      refers &&
      !slots.anything &&
      slots.classes.length === 0 && { classes: meantBy(bare, spoken) }),
    ...(act.kind === "run" && slots.model === undefined && slots.workflow === undefined && namesOf(spoken)),
  };
}

/** "The drivers leave the forklift there. When it stays …": nobody is an "it". */
function meantBy(bare: string, { classes }: Spoken): readonly string[] {
  const things = classes.filter((name) => name !== "person");
  const isThing = /\b(?:it|its|it's)\b/.test(bare) && !/\b(?:he|she|they|them|somebody|someone)\b/.test(bare);
  return isThing && things.length > 0 ? things : classes;
}

function placeFor(clause: Clause, { zone, line, unknownZone, seconds }: Spoken): Partial<Slots> {
  const { slots, words } = clause;
  if (!takesThings(clause)) return {};
  const plain = toPlainWords(words);
  const isPlaced = [slots.zone, slots.line, slots.unknownZone].some((place) => place !== undefined);
  const isThere = !isPlaced && THERE.test(plain);
  const isLonger = slots.seconds === undefined && seconds !== undefined && LONGER.test(plain);
  return {
    ...(isThere && zone && { zone }),
    ...(isThere && line && { line }),
    ...(isThere && unknownZone && { unknownZone }),
    ...(isLonger && { seconds, when: slots.when ?? "stays" }),
  };
}

function placeOf({ zone, line, unknownZone, seconds }: Spoken): Partial<Spoken> {
  return {
    ...(zone && { zone }),
    ...(line && { line }),
    ...(unknownZone && { unknownZone }),
    ...(seconds !== undefined && { seconds }),
  };
}

function namesOf({ model, workflow, workspace }: Pick<Slots, "model" | "workflow" | "workspace">) {
  return {
    ...(model !== undefined && { model }),
    ...(workflow !== undefined && { workflow }),
    ...(workspace !== undefined && { workspace }),
  };
}
