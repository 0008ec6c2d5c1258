// "tell me when …" → create_watch, in place of what it changes
import { evidence, troubleOf } from "../answers/findings.ts";
import { conditionInWords, slotsOfWatch, type WatchWords } from "../answers/watch-words.ts";
import { changeClause } from "../clauses/change-clause.ts";
import type { Clause, Slots, When } from "../intent.ts";
import { type LinePlacement, lineAcross, toDirection, toLine, type Way } from "../slots/find-places.ts";
import { classesAt, findClasses, thingsInWords } from "../words/class-words.ts";
import { toPlainWords } from "../words/plain-words.ts";
import { chooseClasses, findCameras } from "./choose.ts";
import { planAddressWatch, planNear, removeReplaced } from "./pipelines.ts";
import { type App, ask, callOne, dataOf, need, type Outcome, type Plan, say, type Wish } from "./plan.ts";

/** When nobody says how long. */
const USUAL_SECONDS = 60;
const LONGEST_WORDS = 500;

const TOOL_WHEN: Readonly<Record<When, string>> = {
  appears: "appears",
  leaves: "leaves",
  crosses: "crosses_line",
  enters: "enters_zone",
  stays: "stays",
  count: "count",
  absent: "absent",
};

export function* planWatch(wish: Wish, app: App): Plan {
  const { clause, replaces } = wish;
  const refused = refuse(clause);
  if (refused !== undefined) return refused;
  const slots = withKind(clause.slots);
  const cameras = findCameras(slots, app.known);
  if ("text" in cameras) return askForSource(clause, cameras);
  const { classes, note } = yield* chooseClasses(ofPeople(slots), cameras, app.known);
  const open = missingPlace(slots) ?? missingTime(wish, slots) ?? missingThing(wish);
  if (open !== undefined) return open;
  if (slots.near.length > 0) return yield* planNear(wish, { cameras, classes, note }, app);
  const unnamed = cameras.find((name) => app.known.cameras.every((camera) => camera.name !== name));
  if (unnamed !== undefined) return yield* planAddressWatch(unnamed, { ...slots, classes }, app);
  const watch: WatchWords = { ...slots, cameras, classes, when: slots.when ?? "appears", ...secondsOf(slots) };
  const condition = conditionInWords(watch);
  const isChange = replaces.length > 0;
  // The words of a change say only what is new; a watch's words must say all of it when they are read again.
  const words = isChange ? `Tell me when ${condition}` : clause.words;
  const replaced = replaces.find(({ kind }) => kind === "watch");
  const made = yield* need("create_watch", {
    args: { ...toArgs(watch, words), replaces: replaced?.id },
    will: `${isChange ? "change it and " : ""}tell you when ${condition}`,
    failed: "I could not set that up",
  });
  return say(
    `${isChange ? "Changed: I" : "I"} will tell you when ${condition} (${made.watch.id}).${troubleOf(made.watch)}`,
    note,
    ...notes(slots),
    replaced === undefined ? "" : `It replaces ${replaced.id}.`,
    yield* removeReplaced(replaces.filter((one) => one !== replaced)),
    evidence(made.models),
  );
}

/** A place makes it an entering, a number a count, a length of time a stay. */
function withKind(slots: Slots): Slots {
  const { when = "appears" } = slots;
  if (when !== "appears" && when !== "enters") return slots;
  if (slots.atLeast !== undefined) return { ...slots, when: "count" };
  if (isAcross(slots.way)) return { ...slots, when: "crosses", ...lineFor(slots) };
  if (slots.seconds !== undefined) return { ...slots, when: "stays" };
  if (slots.zone !== undefined) return { ...slots, when: "enters" };
  if (slots.way !== undefined && slots.way !== "in" && slots.way !== "out") return { ...slots, when: "crosses" };
  return { ...slots, when: when === "enters" && slots.unknownZone === undefined ? "appears" : when };
}

/** Who goes from one side to the other crosses the middle; in and out need a line that somebody named. */
function isAcross(way: Way | undefined): boolean {
  return way === "left" || way === "right" || way === "up" || way === "down";
}

/** On the side that is named, where a line there is crossed on that way. */
function lineFor({ way, zone }: Slots): { readonly line: LinePlacement } {
  const side = /\b(left|right|top|bottom)\b/.exec(zone?.name ?? "")?.[1] as LinePlacement | undefined;
  const isLevel = side === "top" || side === "bottom";
  const fits = side !== undefined && isLevel === (lineAcross(way) === "horizontal");
  return { line: fits ? side : lineAcross(way) };
}

/** "nobody" and "crowded" speak of people. */
function ofPeople(slots: Slots): Slots {
  const isOpen = slots.classes.length === 0 && !slots.anything;
  return isOpen && (slots.when === "absent" || slots.when === "count") ? { ...slots, classes: ["person"] } : slots;
}

function secondsOf({ when, seconds }: Slots): { readonly seconds?: number } {
  if (when !== "stays" && when !== "absent") return seconds === undefined ? {} : { seconds };
  return { seconds: seconds ?? USUAL_SECONDS };
}

/** One thing beside another, or without it. */
const TOGETHER =
  /\bboth\b(?! (?:ways|directions|sides|cameras?|cams?))|\b(?:all )?alone\b|\bby (?:itself|himself|herself|themselves)\b|\bunsupervised\b|\bunaccompanied\b|\bon (?:its|his|her|their) own\b|\bwithout (?:an?|any|its|his|her|their) (?=person|people|adult|owner|parent|human|driver)\w+/;

const WITH = /^(?:and|while|with|plus|whilst|alongside|without)$/;
const OF_THING = /^(?:an?|the|my|our|some|another|any|no|their|his|her|its|is|are|there|there's|at least|one|two|@c)$/;

/** "When a person and a dog are there": the one with the other. After "watch for" it is a list. */
function joined(bare: string): string | undefined {
  const condition = /\b(?:when(?:ever)?|if|once|as soon as|in case)\b (.*)$/.exec(bare)?.[1]?.split(" ") ?? [];
  let before: { readonly at: number; readonly end: number } | undefined;
  for (let at = 0; at < condition.length; ) {
    const { length } = classesAt(condition, at);
    if (length > 0 && before !== undefined) {
      const between = condition.slice(before.end, at);
      if (between.some((word) => WITH.test(word)) && between.every((word) => WITH.test(word) || OF_THING.test(word)))
        return condition.slice(before.at, at + length).join(" ");
    }
    if (length > 0) before = { at, end: at + length };
    at += Math.max(1, length);
  }
  return undefined;
}

const AT_ONCE = /\b(?:at the same time|simultaneously|together|meets?|alongside|side by side)\b/;

/** Wishes that are understood and that no watch keeps. */
function refuse({ slots, bare, ...clause }: Clause): Outcome | undefined {
  if (
    /\b(?:fewer|less) than\b|\bat most \d|\bbetween \d+ and \d+\b/.test(bare) &&
    slots.atLeast === undefined &&
    !/\bless than (?:an?|one|1)\b/.test(bare)
  ) {
    return {
      text: 'I cannot watch for "fewer than" or "at most": I can tell you when there are at least so many, or when nobody has been there for a while. Say for example "tell me if nobody is there for 10 minutes".',
    };
  }
  const together =
    TOGETHER.exec(bare)?.[0] ?? joined(bare) ?? (slots.atLeast === undefined ? AT_ONCE.exec(bare)?.[0] : undefined);
  if (together !== undefined && slots.classes.length > 0) {
    return {
      text: `I cannot wait for "${together}": a watch tells of one kind of thing or of any of several, whatever else is in the picture. Shall I tell you of ${thingsInWords(slots.classes, "or")} whenever they appear instead?`,
      open: true,
      proposal: { ...clause, bare: "", slots: { ...slots, when: "appears" } },
    };
  }
  if (slots.days === undefined) return undefined;
  const { days, ...rest } = slots;
  const proposal: Clause = { ...clause, bare, slots: rest };
  return {
    text: `I keep hours of the day, not days of the week, so "${days}" cannot be done. Shall I do it every day instead?`,
    open: true,
    proposal,
  };
}

/** Where a video is meant that nobody named, what could be used is said with the question. */
function askForSource({ words }: Clause, question: Outcome): Outcome {
  if (!/\b(?:video|film|clip|recording|stream)\b/i.test(words)) return question;
  return ask(
    `Which video do you mean? Give its path or address, or one of the cameras. I would use the detector, which knows 80 everyday things; if you have a model of your own, name its id. ${question.text}`,
  );
}

function missingPlace({ unknownZone, zone, when }: Slots): Outcome | undefined {
  if (zone !== undefined || unknownZone === undefined || when === "crosses" || when === "leaves") return undefined;
  return ask(
    `I do not know where "${unknownZone}" lies in the picture. Which part is it: the left half, the right third, the bottom left corner, the middle …?`,
  );
}

/** "Strangers, but not the postman": both are people, and what is left is not what was meant. */
function missingThing({ clause: { slots, words }, replaces }: Wish): Outcome | undefined {
  const { classes, excluded, anything } = slots;
  if (replaces.length > 0 || classes.length > 0 || anything || excluded.length === 0) return undefined;
  const isNamed = findClasses(toPlainWords(words).split(" ")).length > 0 && !/\b(?:except|all but|but)\b/i.test(words);
  return isNamed || /\bbut not\b/i.test(words)
    ? ask(`I cannot tell ${thingsInWords(excluded)} from one another. What shall I look for?`)
    : undefined;
}

/** "A bit longer" of something that has no length. */
function missingTime({ replaces, clause }: Wish, { when, seconds }: Slots): Outcome | undefined {
  const isOpen = replaces.length > 0 && clause.slots.seconds === undefined && seconds === undefined && when === "stays";
  return isOpen ? ask('How long should it be? Say for example "2 minutes".') : undefined;
}

function toArgs(watch: WatchWords, words: string): { readonly [key: string]: unknown } {
  const { when, zone, way, seconds, hours } = watch;
  const zoned = when === "enters" || when === "stays" || when === "count" || when === "absent";
  return {
    words: words.slice(0, LONGEST_WORDS),
    cameras: watch.cameras,
    classes: watch.classes,
    when: TOOL_WHEN[when],
    ...(when === "crosses" && { line: toLine(watch.line ?? lineAcross(way)), direction: toDirection(way) }),
    zone: zoned ? zone?.points : undefined,
    at_least: when === "count" ? (watch.atLeast ?? 1) : undefined,
    seconds: zoned && when !== "enters" ? seconds : undefined,
    active_from: hours?.from,
    active_to: hours?.to,
    cooldown_seconds: watch.cooldownSeconds,
    severity: watch.severity,
    model_id: watch.model,
  };
}

/** What was asked for and cannot be, beside what can. */
function notes({ once, when, zone, seconds, classes }: Slots): readonly string[] {
  const found: string[] = [];
  if (once !== undefined) found.push(`I cannot end it by itself: it goes on until you say stop, not only "${once}".`);
  if (when === "leaves" && zone !== undefined)
    found.push(`I tell of ${thingsInWords(classes)} leaving the picture, not ${zone.name}.`);
  if ((when === "stays" || when === "absent") && seconds === undefined)
    found.push(`You named no time, so I took ${USUAL_SECONDS} seconds; say "make it 2 minutes" to change that.`);
  return found;
}

/** A change without anything made just before: of the one watch that it can mean. */
export function* planChange({ clause: change, isSure }: Wish, app: App): Plan {
  const watches = dataOf(yield* callOne("list_watches", {}), "list_watches")?.watches ?? [];
  const named = watches.filter(({ id }) => change.words.toLowerCase().includes(id.toLowerCase()));
  const here = watches.filter(({ cameras }) => change.slots.cameras.some((camera) => cameras.includes(camera)));
  const isNew = change.act.kind === "watch" && change.slots.cameras.length > 0 && here.length === 0;
  if (isNew && named.length === 0) return yield* planWatch({ clause: change, replaces: [], isSure }, app);
  const [only, another] = [named, here, watches].find((list) => list.length > 0) ?? [];
  if (only === undefined)
    return say(
      'There is nothing to change: no watch is set up. Say the whole wish, such as "tell me when a person appears, only at night".',
    );
  if (another !== undefined) {
    const lines = watches.map(({ id, words }) => `- ${id}: "${words}"`).join("\n");
    return ask(`Which one shall I change? Say it with its name, such as "${only.id} ${change.words}".\n${lines}`);
  }
  const clause: Clause = { ...change, act: { kind: "watch" }, slots: slotsOfWatch(only), words: only.words, bare: "" };
  const changed = { ...changeClause(clause, change), judged: change.judged };
  return yield* planWatch({ clause: changed, replaces: [{ kind: "watch", id: only.id }], isSure }, app);
}
