// what is named + what there is → the cameras and classes that are meant, else a question
import type { Known, Slots } from "../intent.ts";
import { isOfOneKind, joinWords, plural } from "../words/class-words.ts";
import { ask, endWith, type Steps, say } from "./plan.ts";

/** The cameras that are named, or the only one; else the plan ends with the question which, after `lead`. */
export function* chooseCameras(slots: Slots, { cameras }: Known, lead = ""): Steps<readonly string[]> {
  if (slots.cameras.length > 0) return slots.cameras;
  const names = cameras.map(({ name }) => name);
  const [only, another] = names;
  const { unknownCamera } = slots;
  if (unknownCamera === undefined && only !== undefined && another === undefined) return [only];
  const unknown = unknownCamera === undefined ? "" : `I do not know a camera called "${unknownCamera}".`;
  const which =
    names.length === 0
      ? "No camera is set up. Add one to CAMERAS.md in the workspace."
      : `Which camera do you mean: ${names.join(", ")}?`;
  return yield* endWith(ask(say(lead, unknown, which).text));
}

/** Ends with a question where a camera is named that there is not, and no other. */
export function* refuseUnknownCamera(slots: Slots, known: Known): Steps<void> {
  if (slots.unknownCamera !== undefined) yield* chooseCameras(slots, known);
}

const DAY_SECONDS = 86_400;
const MOST_THINGS = 1000;
const MOST_FPS = 60;

/** Ends with a question where a figure is named that no tool takes. */
export function* refuseTooMuch({ seconds = 0, atLeast = 1, fps = 1 }: Slots): Steps<void> {
  if (seconds > DAY_SECONDS) yield* endWith(ask("I wait for a day at most. How long should it be?"));
  if (atLeast > MOST_THINGS) yield* endWith(ask(`I count up to ${MOST_THINGS} things at once. How many should it be?`));
  if (fps <= 0 || fps > MOST_FPS)
    yield* endWith(ask(`I look at up to ${MOST_FPS} frames a second. How many should it be?`));
}

/** Where to look and what for; `note` says what was named and is left out, and is empty when nothing is. */
export interface Targets {
  readonly cameras: readonly string[];
  /** Empty means everything. */
  readonly classes: readonly string[];
  readonly note: string;
}

const EXAMPLES = ["person", "car", "bicycle", "truck", "dog"];

const COMMON = `${joinWords(EXAMPLES.map(plural))} and other common things`;

/** A word like "vehicles" keeps what the cameras' detectors find of it. */
export function* chooseTargets(slots: Slots, known: Known, lead = ""): Steps<Targets> {
  const cameras = yield* chooseCameras(slots, known, lead);
  yield* refuseTooMuch(slots);
  const { thing, excluded } = slots;
  const wanted = slots.classes.filter((name) => !excluded.includes(name));
  // Only the person knows what a model of their own finds.
  if (slots.model !== undefined) return { cameras, classes: thing === undefined ? wanted : [thing], note: "" };
  const all = findable(cameras, known);
  if (wanted.length === 0 && thing === undefined) {
    const rest = excluded.length === 0 ? [] : (all ?? EXAMPLES).filter((name) => !excluded.includes(name));
    return { cameras, classes: rest, note: "" };
  }
  const classes = all === undefined ? wanted : wanted.filter((name) => all.includes(name));
  // Of "vehicles" there is no need to say that no bus is found.
  const missing = wanted.filter((name) => !classes.some((other) => other === name || isOfOneKind(name, other)));
  const unknown = joinWords([...missing.map(plural), ...(thing === undefined ? [] : [`"${thing}"`])], "or");
  if (classes.length === 0)
    return yield* endWith(
      ask(
        `No detector here finds ${unknown}. It finds ${COMMON}; a model of yours can be run by its id. What shall I look for?`,
      ),
    );
  return {
    cameras,
    classes,
    note: unknown === "" ? "" : `No detector here finds ${unknown}, so I cannot do that part.`,
  };
}

/** What every one of these cameras can find; undefined when nobody knows. */
function findable(cameras: readonly string[], known: Known): readonly string[] | undefined {
  const lists = cameras.map((name) => known.cameras.find((camera) => camera.name === name)?.classes);
  if (lists.includes(undefined)) return undefined;
  return lists[0]?.filter((name) => lists.every((classes) => classes?.includes(name)));
}
