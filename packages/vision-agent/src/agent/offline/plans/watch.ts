// "tell me when …" → create_watch, in place of what it changes
import { evidence, troubleOf } from "../answers/findings.ts";
import { conditionInWords, slotsOfWatch, type WatchWords } from "../answers/watch-words.ts";
import { changeClause, changedBy } from "../clauses/change-clause.ts";
import type { Clause, Known, Slots, When } from "../intent.ts";
import { lineAcross, toDirection, toLine } from "../slots/find-places.ts";
import { joinWords, thingsInWords } from "../words/class-words.ts";
import { chooseTargets } from "./choose.ts";
import { planAddressWatch, removeReplaced } from "./pipelines.ts";
import { type App, ask, type Made, need, type Outcome, type Plan, say, type Wish } from "./plan.ts";

/** When nobody says how long. */
const USUAL_SECONDS = 60;
const LONGEST_WORDS = 500;

/** Where the tool calls it otherwise. */
const TOOL_WHEN: { readonly [when in When]?: string } = { crosses: "crosses_line", enters: "enters_zone" };

const ANY_VIDEO =
  "Which video do you mean? Give its path or address, or one of the cameras. I would use the detector, which knows 80 everyday things; if you have a model of your own, name its id.";

export function* planWatch({ clause, replaces }: Wish, app: App): Plan {
  const refused = refuse(clause);
  if (refused !== undefined) return refused;
  const slots = withKind(clause.slots);
  const isOfVideo = /\b(?:video|film|clip|recording|stream)\b/i.test(clause.words);
  const { cameras, classes, note } = yield* chooseTargets(ofPeople(slots), app.known, isOfVideo ? ANY_VIDEO : "");
  const missing = findMissing(slots, replaces.length > 0) ?? findUnplaced(slots, cameras, app.known);
  if (missing !== undefined) return ask(missing);
  const unnamed = cameras.find((name) => app.known.cameras.every((camera) => camera.name !== name));
  if (unnamed !== undefined) return yield* planAddressWatch(unnamed, { ...slots, classes }, app);
  const { when = "appears", seconds = when === "stays" || when === "absent" ? USUAL_SECONDS : undefined } = slots;
  const watch: WatchWords = { ...slots, cameras, classes, when, ...(seconds !== undefined && { seconds }) };
  const condition = conditionInWords(watch, app.clock);
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
const BETWEEN = /\bbetween \d+ and \d+\b/;

/** Wishes that are understood and that no watch keeps, or not quite. */
function refuse({ bare, judged, ...clause }: Clause): Outcome | undefined {
  const { metres, ...slots } = clause.slots;
  const instead = (text: string, changed: Slots): Outcome => ({
    text,
    open: true,
    proposal: { ...clause, judged, bare: "", slots: changed },
  });
  const range = slots.atLeast === undefined ? BETWEEN.exec(bare)?.[0] : undefined;
  if (range !== undefined)
    return say(`I cannot watch for "${range}": I can tell you when there are at least, or at most, so many.`);
  const apart = APART.exec(bare)?.[0];
  if (apart !== undefined && slots.classes.length > 0)
    return instead(
      `I cannot keep to "${apart}": a watch tells of one kind of thing or of any of several, whatever else is in the picture. Shall I tell you of ${thingsInWords(slots.classes, "or")} whenever they appear instead?`,
      { ...slots, when: "appears" },
    );
  return metres === undefined
    ? undefined
    : instead(
        `I cannot measure ${metres} in a picture: near means within a tenth of its width. Shall I tell you of ${thingsInWords(slots.classes, "or")} so near to ${thingsInWords(slots.near, "or")}?`,
        slots,
      );
}

/** The question for what is not said and cannot be guessed. */
function findMissing(slots: Slots, isChange: boolean): string | undefined {
  const { when, seconds, hours, excluded } = slots;
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

function toArgs(watch: WatchWords, words: string): { readonly [key: string]: unknown } {
  const { when, zone, line = lineAcross(watch.way), way, seconds, hours } = watch;
  const zoned = when === "enters" || when === "stays" || when === "count" || when === "absent" || when === "together";
  const points = typeof line === "object" ? (line.place ?? line.points) : toLine(line);
  return {
    words: words.slice(0, LONGEST_WORDS),
    cameras: watch.cameras,
    classes: watch.classes,
    when: TOOL_WHEN[when] ?? when,
    ...(when === "crosses" && { line: points, direction: toDirection(way) }),
    zone: zoned ? (zone?.place ?? zone?.points) : undefined,
    ...(when === "count" &&
      (watch.atMost === undefined ? { at_least: watch.atLeast ?? 1 } : { at_most: watch.atMost })),
    other: when === "near" ? watch.near : watch.together,
    seconds: when === "near" || (zoned && when !== "enters") ? seconds : undefined,
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

/** What was asked for and cannot be, beside what can. */
function notes({ once, when, zone, seconds }: Slots): readonly string[] {
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
export function* planChange({ clause: change, isSure }: Wish, app: App): Plan {
  const { watches } = yield* need("list_watches", { failed: "I could not find out what is watched" });
  const named = watches.filter(({ id }) => change.words.toLowerCase().includes(id.toLowerCase()));
  const [only, another] = named.length > 0 ? named : changedBy(watches, (watch) => watch, change);
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
  const clause = changeClause({ ...change, act: { kind: "watch" }, slots, words: only.words }, change);
  const replaces: readonly Made[] = [{ kind: "watch", id: only.id }];
  return { ...(yield* planWatch({ clause, replaces, isSure }, app)), replaces };
}
