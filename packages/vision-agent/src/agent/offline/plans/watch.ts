// "tell me when …" → create_watch, in place of what it changes
import { evidence, troubleOf } from "../answers/findings.ts";
import { conditionInWords, slotsOfWatch, type WatchWords } from "../answers/watch-words.ts";
import { changeClause, changedBy } from "../clauses/change-clause.ts";
import type { Clause, Slots, When } from "../intent.ts";
import { lineAcross, toDirection, toLine } from "../slots/find-places.ts";
import { thingsInWords } from "../words/class-words.ts";
import { chooseTargets } from "./choose.ts";
import { planAddressWatch, planNear, removeReplaced } from "./pipelines.ts";
import { type App, ask, type Made, need, type Outcome, type Plan, say, type Wish } from "./plan.ts";

/** When nobody says how long. */
const USUAL_SECONDS = 60;
const LONGEST_WORDS = 500;

/** Where the tool calls it otherwise. */
const TOOL_WHEN: { readonly [when in When]?: string } = { crosses: "crosses_line", enters: "enters_zone" };

const ANY_VIDEO =
  "Which video do you mean? Give its path or address, or one of the cameras. I would use the detector, which knows 80 everyday things; if you have a model of your own, name its id.";

export function* planWatch(wish: Wish, app: App): Plan {
  const { clause, replaces } = wish;
  const refused = refuse(clause);
  if (refused !== undefined) return refused;
  const slots = withKind(clause.slots);
  const isOfVideo = /\b(?:video|film|clip|recording|stream)\b/i.test(clause.words);
  const targets = yield* chooseTargets(ofPeople(slots), app.known, isOfVideo ? ANY_VIDEO : "");
  const { cameras, classes, note } = targets;
  const missing = findMissing(slots, replaces.length > 0);
  if (missing !== undefined) return ask(missing);
  if (slots.near.length > 0) return yield* planNear(wish, targets, app);
  const unnamed = cameras.find((name) => app.known.cameras.every((camera) => camera.name !== name));
  if (unnamed !== undefined) return yield* planAddressWatch(unnamed, { ...slots, classes }, app);
  const { when = "appears", seconds = when === "stays" || when === "absent" ? USUAL_SECONDS : undefined } = slots;
  const watch: WatchWords = { ...slots, cameras, classes, when, ...(seconds !== undefined && { seconds }) };
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

/** A place makes it an entering, a number a count, a length of time a stay; who goes from one side to the other crosses the middle. */
function withKind(slots: Slots): Slots {
  const { when = "appears", way, zone } = slots;
  if (when !== "appears" && when !== "enters") return slots;
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

/** One thing with another, or without it. */
const TOGETHER =
  /\b(?:both(?! (?:ways|directions|sides|cameras?|cams?))|alone|unaccompanied|unsupervised|on (?:its|his|her|their) own|without(?= an?\b)|with no|side by side|while|(?<=\b(?:when(?:ever)?|if|once|as soon as|in case)\b.*@thing (?:(?:is|are|@c) )*)(?:and|with|plus)(?= (?:(?!or\b|@)[a-z']+ ){0,3}@thing))(?= |$)/;
const AT_ONCE = /\b(?:at the same time|simultaneously|together)\b/;
const AT_MOST = /\b(?:(?:fewer|less) than(?! (?:an?|one|1)\b)|at most \d|between \d+ and \d+)\b/;

/** Wishes that are understood and that no watch keeps. */
function refuse({ bare, judged, ...clause }: Clause): Outcome | undefined {
  const { days, ...slots } = clause.slots;
  const atMost = slots.atLeast === undefined ? AT_MOST.exec(bare)?.[0] : undefined;
  if (atMost !== undefined)
    return say(
      `I cannot watch for "${atMost}": I can tell you when there are at least so many, or when nobody has been there for a while.`,
    );
  const said = bare === "" ? "" : judged.words.join(" ");
  const together = (TOGETHER.exec(said) ?? (slots.atLeast === undefined ? AT_ONCE.exec(said) : null))?.[0];
  if (together !== undefined && slots.classes.length > 0) {
    return {
      text: `I cannot keep to "${together}": a watch tells of one kind of thing or of any of several, whatever else is in the picture. Shall I tell you of ${thingsInWords(slots.classes, "or")} whenever they appear instead?`,
      open: true,
      proposal: { ...clause, judged, bare: "", slots: { ...clause.slots, when: "appears" } },
    };
  }
  if (days === undefined) return undefined;
  return {
    text: `I keep hours of the day, not days of the week, so "${days}" cannot be done. Shall I do it every day instead?`,
    open: true,
    proposal: { ...clause, judged, bare, slots },
  };
}

/** The question for what is not said and cannot be guessed. */
function findMissing(slots: Slots, isChange: boolean): string | undefined {
  const { unknownZone, zone, when, seconds, hours, excluded } = slots;
  if (unknownZone !== undefined && zone === undefined && when !== "crosses" && when !== "leaves")
    return `I do not know where "${unknownZone}" lies in the picture. Which part is it: the left half, the right third, the bottom left corner, the middle …?`;
  // A bit longer than no time; and who has not come by ten is missed at ten, which no watch waits for.
  if (seconds === undefined && ((isChange && when === "stays") || (when === "absent" && hours !== undefined)))
    return 'How long should it be? I wait for a length of time, not until a time of day; say for example "2 minutes".';
  // "Strangers, but not the postman": both are people, and what is left is not what was meant.
  const isAnythingElse = slots.classes.length === 0 && !slots.anything && excluded.length > 0;
  return isAnythingElse && !isChange ? `What shall I look for, if not ${thingsInWords(excluded, "or")}?` : undefined;
}

function toArgs(watch: WatchWords, words: string): { readonly [key: string]: unknown } {
  const { when, zone, way, seconds, hours } = watch;
  const zoned = when === "enters" || when === "stays" || when === "count" || when === "absent";
  return {
    words: words.slice(0, LONGEST_WORDS),
    cameras: watch.cameras,
    classes: watch.classes,
    when: TOOL_WHEN[when] ?? when,
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
function notes({ once, when, zone, seconds }: Slots): readonly string[] {
  return [
    once === undefined ? "" : `I cannot end it by itself: it goes on until you say stop, not only "${once}".`,
    zone !== undefined && (when === "leaves" || when === "crosses")
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
  if (slots.when === "crosses" && slots.line === undefined)
    return say(`The line of ${only.id} was drawn by hand, and I would lose it. Change that watch in the dashboard.`);
  const clause = changeClause({ ...change, act: { kind: "watch" }, slots, words: only.words }, change);
  const replaces: readonly Made[] = [{ kind: "watch", id: only.id }];
  return { ...(yield* planWatch({ clause, replaces, isSure }, app)), replaces };
}
