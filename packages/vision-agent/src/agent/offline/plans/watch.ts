// "tell me when …" → create_watch, in place of what it changes
import { evidence, troubleOf } from "../answers/findings.ts";
import { conditionInWords, slotsOfWatch, toTarget, type WatchWords } from "../answers/watch-words.ts";
import { changeClause, changedBy, isOpenLength } from "../clauses/change-clause.ts";
import type { Clause, Known, Slots, When } from "../intent.ts";
import { inWords } from "../slots/amounts.ts";
import { lineAcross, toDirection, toLine } from "../slots/find-places.ts";
import { joinWords, thingsInWords } from "../words/class-words.ts";
import { chooseTargets, refuseUnknownCamera } from "./choose.ts";
import { planAddressWatch, removeReplaced } from "./pipelines.ts";
import {
  type App,
  ask,
  endWith,
  type Made,
  need,
  type Outcome,
  type Plan,
  type Steps,
  say,
  type Wish,
} from "./plan.ts";

/** When nobody says how long. */
const USUAL_SECONDS = 60;
const LONGEST_WORDS = 500;
/** How near, as a share of the picture's width, where nobody says it. */
const NEAR = 0.1;

/** Where the tool calls it otherwise. */
const TOOL_WHEN: { readonly [when in When]?: string } = { crosses: "crosses_line", enters: "enters_zone" };

const ANY_VIDEO =
  "Which video do you mean? Give its path or address, or one of the cameras. I would use the detector, which knows 80 everyday things; if you have a model of your own, name its id.";

export function* planWatch({ clause, replaces }: Wish, app: App): Plan {
  const refused = refuse(clause);
  if (refused !== undefined) return refused;
  const isOfVideo = /\b(?:video|film|clip|recording|stream)\b/i.test(clause.words);
  const isChange = replaces.length > 0;
  const lead = isOfVideo ? ANY_VIDEO : "";
  const { note, ...first } = yield* complete(clause.slots, app.known, { isChange, lead });
  const unnamed = first.cameras.find((name) => app.known.cameras.every((camera) => camera.name !== name));
  if (unnamed !== undefined) return yield* planAddressWatch(unnamed, first, app);
  const steps: WatchWords[] = [];
  for (const { slots } of clause.then ?? []) steps.push(yield* completeStep(slots, app.known, first));
  if (steps.length > 0 && first.withinSeconds === undefined)
    return ask('Within how long should one follow the other? Say for example "within 30 seconds".');
  const watch: WatchWords = { ...first, ...(steps.length > 0 && { steps }) };
  const condition = conditionInWords(watch, app.clock);
  // The words of a change say only what is new; a watch's words must say all of it when they are read again.
  const words = isChange ? `Tell me when ${condition}` : clause.words;
  const replaced = replaces.find(({ kind }) => kind === "watch");
  const made = yield* need("create_watch", {
    args: { ...toArgs(watch, words), replaces: replaced?.id },
    will: `${isChange ? "change it and " : ""}tell you when ${condition}`,
    failed: "I could not set that up",
  });
  return say(
    `${isChange ? "Changed: I" : "I"} will tell you when ${condition}.${troubleOf(made.watch)}`,
    note,
    ...notes(clause.slots, first),
    replaced === undefined ? "" : "It takes the place of the one before.",
    yield* removeReplaced(replaces.filter((one) => one !== replaced)),
    evidence(made.models),
  );
}

/** All that one thing to wait for needs; else the plan ends with a question. */
function* complete(
  said: Slots,
  known: Known,
  { isChange, lead }: { readonly isChange: boolean; readonly lead: string },
): Steps<WatchWords & { readonly note: string }> {
  const slots = withKind(said);
  const { cameras, classes, note } = yield* chooseTargets(ofPeople(slots), known, lead);
  const missing = findMissing(slots, isChange) ?? findUnplaced(slots, cameras, known);
  if (missing !== undefined) return yield* endWith(ask(missing));
  const { when = "appears", seconds = when === "stays" || when === "absent" ? USUAL_SECONDS : undefined } = slots;
  return { ...slots, cameras, classes, when, note, ...(seconds !== undefined && { seconds }) };
}

/** A later step happens on one camera: the one that is named for it, else that of the first. */
function* completeStep(slots: Slots, known: Known, first: WatchWords): Steps<WatchWords> {
  yield* refuseUnknownCamera(slots, known);
  const cameras = slots.cameras.length > 0 ? slots.cameras : first.cameras;
  const isOnOther = cameras.some((name) => !first.cameras.includes(name));
  const { note, ...step } = yield* complete({ ...slots, cameras }, known, { isChange: false, lead: "" });
  if (note !== "") return yield* endWith(ask(`${note} What should it be?`));
  if (isOnOther && cameras.length > 1) return yield* endWith(ask("On which one camera should each step happen?"));
  if (step.atLeast !== undefined && step.atMost !== undefined)
    return yield* endWith(say("In a sequence I can wait for at least, or at most, so many, not for an exact number."));
  return { ...step, cameras: isOnOther ? cameras : [] };
}

/** A place makes it an entering, a number a count, a length of time a stay; who goes from one side to the other crosses the middle. */
function withKind(slots: Slots): Slots {
  const { when = "appears", way, zone, line } = slots;
  if (slots.near.length > 0) return { ...slots, when: "near" };
  if (when !== "appears" && when !== "enters") return slots;
  if (typeof line === "object") return { ...slots, when: "crosses" };
  if (slots.atLeast !== undefined) return { ...slots, when: "count" };
  // In and out need a line that somebody named.
  if (way !== undefined && way !== "in" && way !== "out") return { ...slots, when: "crosses" };
  if (slots.seconds !== undefined) return { ...slots, when: "stays" };
  if (zone !== undefined) return { ...slots, when: "enters" };
  return { ...slots, when: when === "enters" && slots.unknownZone === undefined ? "appears" : when };
}

/** "nobody" and "crowded" speak of people. */
function ofPeople(slots: Slots): Slots {
  const isOpen = slots.classes.length === 0 && !slots.anything;
  return isOpen && (slots.when === "absent" || slots.when === "count") ? { ...slots, classes: ["person"] } : slots;
}

/** One thing without another. */
const APART =
  /\b(?:alone|unaccompanied|unsupervised|on (?:its|his|her|their) own|without(?= an?\b)|with no|while)(?= |$)/;

/** Wishes that are understood and that no watch keeps, or not quite. */
function refuse({ bare, judged, ...clause }: Clause): Outcome | undefined {
  const { metres, ...slots } = clause.slots;
  const instead = (text: string, changed: Slots): Outcome => ({
    text,
    open: true,
    proposal: { ...clause, judged, bare: "", slots: changed },
  });
  const apart = APART.exec(bare)?.[0];
  if (apart !== undefined && slots.classes.length > 0)
    return instead(
      `I cannot keep to "${apart}": a watch tells of one kind of thing or of any of several, whatever else is in the picture. Shall I tell you of ${thingsInWords(slots.classes, "or")} whenever they appear instead?`,
      { ...slots, when: "appears" },
    );
  const { when = "appears" } = withKind(slots);
  if (slots.againSeconds !== undefined && (when === "appears" || when === "enters")) {
    const things = thingsInWords(slots.classes, "or");
    return instead(
      `I can tell you again only of what lasts, not of the moment somebody or something ${when}. Shall I tell you when ${things} are there, and again every ${inWords(slots.againSeconds)} while they are?`,
      { ...slots, when: "count", atLeast: 1 },
    );
  }
  return metres === undefined
    ? undefined
    : instead(
        `I cannot measure ${metres} in a picture: near means within a tenth of its width. Shall I tell you of ${thingsInWords(slots.classes, "or")} so near to ${thingsInWords(slots.near, "or")}?`,
        slots,
      );
}

/** The question for what is not said and cannot be guessed. */
function findMissing(slots: Slots, isChange: boolean): string | undefined {
  const { when, seconds, hours, excluded, days } = slots;
  if (days?.length === 0) return "No day would be left. On which days shall I tell you?";
  // A bit longer than no time; and who has not come by ten is missed at ten, which no watch waits for.
  if (seconds === undefined && ((isChange && when === "stays") || (when === "absent" && hours !== undefined)))
    return 'How long should it be? I wait for a length of time, not until a time of day; say for example "2 minutes".';
  // "Strangers, but not the postman": both are people, and what is left is not what was meant.
  const isAnythingElse = slots.classes.length === 0 && !slots.anything && excluded.length > 0;
  return isAnythingElse && !isChange ? `What shall I look for, if not ${thingsInWords(excluded, "or")}?` : undefined;
}

/** A place that these cameras do not have. */
function findUnplaced(
  { unknownZone, zone, line, when }: Slots,
  cameras: readonly string[],
  known: Known,
): string | undefined {
  const places = known.cameras.filter(({ name }) => cameras.includes(name)).flatMap((camera) => camera.places ?? []);
  const named = joinWords([...new Set(places.map(({ name }) => `"${name}"`))]);
  const there = named === "" ? "" : ` Places with a name: ${named}.`;
  const place = zone?.place ?? (typeof line === "object" ? line.place : undefined);
  if (place !== undefined && places.filter(({ name }) => name === place).length < cameras.length)
    return `Not every one of these cameras has a place called "${place}": ${joinWords(cameras)}.${there} Which one do you mean?`;
  if (unknownZone === undefined || zone !== undefined || line !== undefined || when === "leaves") return undefined;
  return when === "crosses"
    ? `I do not know a line called "${unknownZone}".${there} Shall it be a line through the middle, or at the top, the bottom, the left or the right?`
    : `I do not know where "${unknownZone}" lies in the picture.${there} Which part is it: the left half, the right third, the bottom left corner, the middle …?`;
}

type Args = { readonly [key: string]: unknown };

function toArgs(watch: WatchWords, words: string): Args {
  const { hours } = watch;
  return {
    words: words.slice(0, LONGEST_WORDS),
    cameras: watch.cameras,
    classes: watch.classes,
    colour: watch.colour,
    ...conditionArgs(watch),
    active_from: hours?.from,
    active_to: hours?.to,
    days: watch.days,
    modes: watch.modes,
    expires_at: watch.end?.at,
    cooldown_seconds: watch.cooldownSeconds,
    again_seconds: watch.againSeconds,
    severity: watch.severity,
    model_id: watch.model,
  };
}

/** Flat where one condition says it. */
function conditionArgs(watch: WatchWords): Args {
  const { steps = [], withinSeconds: within_seconds, atLeast, atMost } = watch;
  if (steps.length > 0) {
    const first = { when: toPart(flatArgs(watch)) };
    const others = steps.map((step) => {
      const { cameras, classes, colour } = step;
      const isOnOther = cameras.length > 0;
      return {
        when: {
          ...toPart(flatArgs(isOnOther ? withPoints(step) : step)),
          what: { classes, ...(colour && { colour }) },
        },
        camera: cameras[0],
      };
    });
    return { condition: { kind: "sequence", steps: [first, ...others], within_seconds } };
  }
  if (watch.when !== "count" || atLeast === undefined || atMost === undefined) return flatArgs(watch);
  const { atMost: most, ...least } = watch;
  return { condition: { kind: "all", of: [least, watch].map((part) => toPart(flatArgs(part))) } };
}

function flatArgs({ when, zone, way, seconds, ...watch }: WatchWords): Args {
  const { line = lineAcross(way), atLeast = 1, atMost } = watch;
  const zoned = when === "enters" || when === "stays" || when === "count" || when === "absent" || when === "together";
  const points = typeof line === "object" ? (line.place ?? line.points) : toLine(line);
  return {
    when: TOOL_WHEN[when] ?? when,
    ...(when === "crosses" && { line: points, direction: toDirection(way) }),
    zone: zoned ? (zone?.place ?? zone?.points) : undefined,
    ...(when === "count" && (atMost === undefined ? { at_least: atLeast } : { at_most: atMost })),
    other: when === "near" ? watch.near : watch.together,
    seconds: when === "near" || (zoned && when !== "enters") ? seconds : undefined,
  };
}

/** The same as a part of a condition. */
function toPart({ when: kind, seconds, other, ...rest }: Args): Args {
  return {
    kind,
    ...rest,
    [kind === "stays" ? "seconds" : "for_seconds"]: seconds,
    other: other && { classes: other },
    distance: kind === "near" ? NEAR : undefined,
  };
}

/** A name is one of the watch's own cameras. */
function withPoints({ zone, line, ...watch }: WatchWords): WatchWords {
  return {
    ...watch,
    ...(zone && { zone: { name: zone.name, points: zone.points } }),
    ...(line && { line: typeof line === "object" ? { name: line.name, points: line.points } : line }),
  };
}

/** What was asked for and cannot be, beside what can. */
function notes({ once, seconds }: Slots, { when, zone }: WatchWords): readonly string[] {
  return [
    once === undefined ? "" : `It begins now and goes on until you say stop, not only "${once}".`,
    zone !== undefined && (when === "leaves" || when === "crosses" || when === "near")
      ? `That is of the whole picture, not of ${zone.name}.`
      : "",
    seconds === undefined && (when === "stays" || when === "absent")
      ? `You named no time, so I took ${USUAL_SECONDS} seconds; say "make it 2 minutes" to change that.`
      : "",
  ];
}

/** A change without anything made just before: of the one watch that it can mean. */
export function* planChange({ clause: change, isSure }: Wish, app: App, touched: readonly Made[]): Plan {
  const { watches } = yield* need("list_watches", { failed: "I could not find out what is watched" });
  const called = watches.filter(({ id }) => change.words.toLowerCase().includes(id.toLowerCase()));
  const named = called.length > 0 ? called : changedBy(watches.map(toTarget), change, touched);
  const [only, another] = watches.filter(({ id }) => named.some((one) => one.id === id));
  if (watches.length === 0)
    return say(
      'There is nothing to change: no watch is set up. Say the whole wish, such as "tell me when a person appears, only at night".',
    );
  if (only === undefined || another !== undefined) {
    const lines = watches.map(({ id, words }) => `- ${id}: "${words}"`).join("\n");
    return ask(
      `Which one shall I change? Say it with its name, such as "${watches[0]?.id} ${change.words}".\n${lines}`,
    );
  }
  const slots = slotsOfWatch(only);
  if (slots === undefined)
    return say(`${only.id} waits for more than I can say in one sentence. Change that watch in the dashboard.`);
  if (isOpenLength(slots, change))
    return ask(
      `${only.id} ends by itself. Shall it end then, or tell of what stays so long? Say "for the next …" or "stays …".`,
    );
  const clause = changeClause({ ...change, act: { kind: "watch" }, slots, words: only.words }, change);
  const replaces: readonly Made[] = [{ kind: "watch", id: only.id }];
  return { ...(yield* planWatch({ clause, replaces, isSure }, app)), replaces };
}
