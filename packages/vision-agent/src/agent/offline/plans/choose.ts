// what is named + what there is → the cameras and classes that are meant, else a question
import type { Known, Slots } from "../intent.ts";
import { isOfOneKind, joinWords, plural, thingsInWords } from "../words/class-words.ts";
import { ask, endWith, type Outcome, type Steps } from "./plan.ts";

/** The cameras that are named, the only one, or the only one on which something runs; else the question which. */
export function findCameras(slots: Slots, known: Known): readonly string[] | Outcome {
  if (slots.cameras.length > 0) return slots.cameras;
  if (slots.unknownCamera !== undefined) return unknownCamera(slots.unknownCamera, known);
  const names = known.cameras.map(({ name }) => name);
  if (names.length === 0) return ask("No camera is set up. Add one to CAMERAS.md in the workspace.");
  const busy = names.filter((name) => known.pipelines.some(({ camera }) => camera === name));
  const [only, another] = names.length === 1 ? names : busy;
  if (only !== undefined && another === undefined) return [only];
  return ask(`Which camera do you mean: ${names.join(", ")}?`);
}

/** The same; the plan ends where it is a question. */
export function* chooseCameras(slots: Slots, known: Known): Steps<readonly string[]> {
  const found = findCameras(slots, known);
  return "text" in found ? yield* endWith(found) : found;
}

function unknownCamera(name: string, { cameras }: Known): Outcome {
  const names = cameras.map((camera) => camera.name);
  const there =
    names.length === 0 ? "There are none yet." : `There ${names.length === 1 ? "is" : "are"} ${joinWords(names)}.`;
  return ask(`I do not know a camera called "${name}". ${there} Which one do you mean?`);
}

/** Ends with a question where a camera is named that there is not, and no other. */
export function* refuseUnknownCamera(slots: Slots, known: Known): Steps<void> {
  if (slots.unknownCamera !== undefined) yield* chooseCameras(slots, known);
}

/** `note` says what was named and is left out; empty when nothing is. */
export interface ChosenClasses {
  readonly classes: readonly string[];
  readonly note: string;
}

const EXAMPLES = ["person", "car", "bicycle", "truck", "dog"];

/** A word like "vehicles" keeps what the camera's detector finds of it; empty means everything. */
export function* chooseClasses(slots: Slots, cameras: readonly string[], known: Known): Steps<ChosenClasses> {
  const wanted = slots.classes.filter((name) => !slots.excluded.includes(name));
  // Only the person knows what a model of their own finds.
  if (slots.model !== undefined) return { classes: slots.thing === undefined ? wanted : [slots.thing], note: "" };
  if (slots.thing !== undefined && wanted.length === 0) return yield* endWith(ask(unknownThing(slots.thing)));
  const all = findable(cameras, known);
  if (wanted.length === 0) {
    const rest = slots.excluded.length > 0 ? (all ?? EXAMPLES).filter((name) => !slots.excluded.includes(name)) : [];
    return { classes: rest, note: "" };
  }
  const found = all === undefined ? wanted : wanted.filter((name) => all.includes(name));
  if (found.length > 0) return { classes: found, note: leftOut(slots.thing, wanted, found) };
  const text = `No detector here finds ${thingsInWords(wanted)} on ${joinWords(cameras)}. It finds ${joinWords(EXAMPLES.map(plural))} and other common things. What shall I look for?`;
  return yield* endWith(ask(text));
}

/** Of "vehicles" there is no need to say that no bus is found. */
function leftOut(thing: string | undefined, wanted: readonly string[], found: readonly string[]): string {
  const missing = wanted.filter((name) => !found.includes(name) && !found.some((other) => isOfOneKind(name, other)));
  const names = [...missing.map(plural), ...(thing === undefined ? [] : [`"${thing}"`])];
  return names.length === 0 ? "" : `No detector here finds ${joinWords(names, "or")}, so I cannot do that part.`;
}

/** What every one of these cameras can find; undefined when nobody knows. */
function findable(cameras: readonly string[], known: Known): readonly string[] | undefined {
  const lists = cameras.map((name) => known.cameras.find((camera) => camera.name === name)?.classes);
  if (lists.includes(undefined)) return undefined;
  return lists[0]?.filter((name) => lists.every((classes) => classes?.includes(name)));
}

function unknownThing(thing: string): string {
  return `I do not know the class "${thing}", and no detector here finds it. I know ${joinWords(EXAMPLES.map(plural))} and other common things; a model of yours can be run by its id. What shall I look for?`;
}
