// questions about now → a look at a camera, a picture or what counts
import { troubleInWords } from "../../../scene/scene-words.ts";
import { formatTime } from "../../../workspace/format-time.ts";
import { KEY, resultsInWords, sightingInWords } from "../answers/findings.ts";
import { unknownWords } from "../kind/judge-sentence.ts";
import { lately } from "../slots/find-period.ts";
import { toDirection } from "../slots/find-places.ts";
import { joinWords } from "../words/class-words.ts";
import { chooseCameras, refuseUnknownCamera } from "./choose.ts";
import { countCrossings } from "./crossings.ts";
import { planPast } from "./past.ts";
import { resultsCall } from "./pipelines.ts";
import { type App, ask, dataOf, failure, need, type Plan, say, type Wish, type WishOf } from "./plan.ts";

/** Where no camera is named, so many are looked at. */
const MOST_LOOKS = 4;

export function* planLook({ clause }: WishOf<"look">, { known, clock }: App): Plan {
  const { slots, act } = clause;
  const { classes, thing, zone } = slots;
  const all = known.cameras.map(({ name }) => name);
  const isAnywhere = slots.cameras.length === 0 && slots.unknownCamera === undefined && thing === undefined;
  const cameras = isAnywhere && all.length > 0 && all.length <= MOST_LOOKS ? all : yield* chooseCameras(slots, known);
  // Nobody there, more of these than of those: figures answer it, a yes does not.
  const howMany = act.howMany || slots.when === "absent" || /\b(?:more|fewer|less)\b/.test(clause.bare);
  if (thing !== undefined && classes.length === 0) return yield* findByName(cameras[0] ?? "", [thing]);
  const answers = yield cameras.map((camera) => ({ tool: "capture_frame", args: { camera } }));
  const lines = answers.map((answer) => {
    const look = dataOf(answer, "capture_frame");
    if (look === undefined) return failure("I could not look", answer).text;
    const { camera, trouble, seen } = look;
    const warning =
      trouble === undefined ? "" : troubleInWords(camera, trouble, (instant) => formatTime(instant, clock));
    const isOld = trouble !== undefined && trouble.state !== "moved";
    return say(warning, sightingInWords(seen, { classes, howMany, isOld })).text;
  });
  // What was asked beside, and no look can tell.
  if (zone !== undefined) lines.push(`That is of the whole picture: one look does not tell ${zone.name} apart.`);
  const unknown = unknownWords(clause).map((word) => `"${word}"`);
  if (unknown.length > 0) lines.push(`I do not know ${joinWords(unknown)}.`);
  return say(lines.join("\n"));
}

/** What the detector may have no class for is looked for by its name, where a model for that can be had. */
function* findByName(image: string, class_names: readonly string[]): Plan {
  const failed = `I could not look for ${joinWords(class_names, "or")}`;
  const found = yield* need("detect_zero_shot", { args: { image, class_names }, failed });
  const { subject, seen, guess, not_looked_for, reason = "" } = found;
  const guessed =
    guess?.words ?? joinWords(guess?.counts.map(({ class_name, count }) => `${count} ${class_name}`) ?? []);
  return say(
    seen === undefined ? "" : sightingInWords(seen),
    guess === undefined ? "" : `${guess.by} guesses on ${subject}: ${guessed || "nothing"}.`,
    not_looked_for.length > 0 ? `Nobody here can look for ${joinWords(not_looked_for, "or")}.` : "",
    reason,
    KEY,
  );
}

export function* planImage({ clause: { slots, words } }: Wish, { images, known }: App): Plan {
  const file = slots.cameras.find((name) => !known.cameras.some((camera) => camera.name === name));
  const image = file ?? images[0];
  if (image === undefined) return ask("There is no picture with your message. Attach one, or name a file or a camera.");
  const { classes, thing } = slots;
  const wanted = thing === undefined ? classes : [...classes, thing];
  if (wanted.length > 0) return yield* findByName(image, wanted);
  const failed = "I could not look at the picture";
  const told = yield* need("ask_about_image", { args: { image, question: words }, failed });
  if (told.kind === "answered") return say(`${told.answer} (Answered by ${told.answered_by}.)`, KEY);
  const limits = "No model here can answer questions about pictures: I only find names and places of things.";
  return say(sightingInWords(told.seen), limits, `What is missing: ${told.missing.join(" ")}`);
}

export function* planTotals(wish: Wish, app: App): Plan {
  const { slots, bare } = wish.clause;
  const { known, clock } = app;
  yield* refuseUnknownCamera(slots, known);
  const { from, to, words } = slots.period ?? lately(clock);
  // Events tell classes apart, which the figures of a pipeline do not.
  const direction = toDirection(slots.way);
  const asked = { ...slots, from, to, words, ...(direction !== "any" && { direction }) };
  const crossed = slots.classes.length === 0 ? undefined : yield* countCrossings(asked, known);
  if (crossed !== undefined) return say(crossed);
  const named = known.pipelines.filter(({ name }) => ` ${bare} `.includes(` ${name.toLowerCase()} `));
  const counting = known.pipelines.filter(
    ({ counts, camera }) => counts && (slots.cameras.length === 0 || slots.cameras.includes(camera)),
  );
  const chosen = named.length > 0 ? named : counting;
  if (chosen.length > 0) {
    const answers = yield chosen.map(({ name }) => resultsCall(name));
    const lines = answers.map((answer) => {
      const results = dataOf(answer, "get_pipeline_results");
      return results === undefined ? answer.text : resultsInWords(results, clock, slots);
    });
    return say(lines.join("\n"));
  }
  const place = slots.cameras.length > 0 ? ` on ${joinWords(slots.cameras)}` : "";
  const example = slots.cameras[0] ?? known.cameras[0]?.name ?? "street";
  const nothing = `Nothing counts${place} at the moment. Say "count people on ${example}" to begin.`;
  // What a line counted before, or who was seen, is the nearest that is known.
  const act = { kind: "past", asked: "count", eventKind: "line_crossed" } as const;
  const past = yield* planPast({ ...wish, clause: { ...wish.clause, act } }, app);
  return say(nothing, past.text);
}
