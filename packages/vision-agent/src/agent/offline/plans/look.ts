// "what do you see", "is there a dog", "what is in this picture" → one look
import { firstLines, KEY } from "../answers/evidence.ts";
import { lookInWords, resultInWords, totalsInWords } from "../answers/results.ts";
import type { Clause } from "../intent.ts";
import { joinWords } from "../words/class-words.ts";
import { chooseCameras } from "./choose-camera.ts";
import { planPast } from "./past.ts";
import { resultsCall } from "./pipeline-start.ts";
import { type App, ask, callOne, type Plan, say } from "./plan.ts";

export function* planLook({ slots, act }: Clause, { known }: App): Plan {
  const chosen = chooseCameras(slots, known);
  if ("question" in chosen) return chosen.question;
  const { classes, thing } = slots;
  if (thing !== undefined && classes.length === 0) return yield* findThing(thing, chosen.cameras[0] ?? "");
  const answers = yield chosen.cameras.map((camera) => ({ tool: "capture_frame", args: { camera } }));
  const howMany = act.kind === "look" && act.howMany;
  const seen = answers.map((answer) => lookInWords(answer, { classes, howMany }));
  return say([...seen, ...unseen(slots)].join("\n"));
}

/** What was asked beside, and no look can tell. */
function unseen({ thing, deed, zone }: Clause["slots"]): readonly string[] {
  return [
    ...(zone === undefined ? [] : [`That is of the whole picture: one look does not tell ${zone.name} apart.`]),
    ...(thing === undefined ? [] : [`I do not know the class "${thing}", and no detector here finds it.`]),
    ...(deed === undefined
      ? []
      : [
          `Whether somebody or something is "${deed.words}" I cannot tell: I see what is there, not what it does. ${KEY}`,
        ]),
  ];
}

/** A thing that the detector has no class for is looked for by its name, where a model for that can be had. */
function* findThing(thing: string, image: string): Plan {
  const answer = yield* callOne("detect_zero_shot", { image, class_names: [thing] });
  return say(
    answer.ok ? `${resultInWords(answer.text)} ${KEY}` : `I could not look for "${thing}": ${answer.text} ${KEY}`,
  );
}

export function* planImage({ slots, words }: Clause, { images, known }: App): Plan {
  const file = slots.cameras.find((name) => !known.cameras.some((camera) => camera.name === name));
  const image = file ?? images[0];
  if (image === undefined) return ask("There is no picture with your message. Attach one, or name a file or a camera.");
  const wanted = [...slots.classes, ...(slots.thing === undefined ? [] : [slots.thing])];
  const answer =
    wanted.length > 0
      ? yield* callOne("detect_zero_shot", { image, class_names: wanted })
      : yield* callOne("ask_about_image", { image, question: words });
  if (!answer.ok) return say(`I could not look at the picture: ${answer.text}`);
  return say(`${firstLines(resultInWords(answer.text), 12)} ${KEY}`);
}

export function* planTotals(clause: Clause, app: App): Plan {
  const { slots, bare } = clause;
  const { known } = app;
  if (slots.unknownCamera !== undefined) {
    const asked = chooseCameras(slots, known);
    if ("question" in asked) return asked.question;
  }
  const named = known.pipelines.filter(({ name }) => ` ${bare} `.includes(` ${name.toLowerCase()} `));
  const counting = known.pipelines.filter(
    ({ counts, camera }) => counts && (slots.cameras.length === 0 || slots.cameras.includes(camera)),
  );
  const chosen = named.length > 0 ? named : counting;
  if (chosen.length > 0) {
    const answers = yield chosen.map(({ name }) => resultsCall(name));
    return say(answers.map((answer) => totalsInWords(answer, slots.classes)).join("\n"));
  }
  // What a line counted before, or who was seen, is the nearest that is known.
  if (slots.cameras.length > 0 || slots.classes.length > 0) {
    const act = { kind: "past", asked: "count", eventKind: "line_crossed" } as const;
    const past = yield* planPast({ ...clause, act }, app);
    if (/^\d/.test(past.text)) return past;
  }
  const place = slots.cameras.length > 0 ? ` on ${joinWords(slots.cameras)}` : "";
  return say(
    `Nothing counts${place} at the moment. Say "count people on ${slots.cameras[0] ?? known.cameras[0]?.name ?? "street"}" to begin.`,
  );
}
