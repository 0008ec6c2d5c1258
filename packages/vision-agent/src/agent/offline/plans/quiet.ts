// "be quiet about the dock until 8" → mute_watch; "we are leaving" → set_mode
import type { WatchReport } from "@vision-agent/protocol";
import { formatTime } from "../../../workspace/format-time.ts";
import { toTarget } from "../answers/watch-words.ts";
import { oneOrAll, type Pointing, pointedAt } from "../clauses/pointed-at.ts";
import type { Known } from "../intent.ts";
import { daysInWords, MODES, type Weekday } from "../slots/find-days.ts";
import { beginsLater, findQuietEnd } from "../slots/find-end.ts";
import { joinWords } from "../words/class-words.ts";
import { type App, ask, type Made, need, type Plan, say, type WishOf } from "./plan.ts";

const UNKNOWN = { failed: "I could not find out what is watched" };
const SPARES = /\b(?:except(?: for)?|apart from|other than|but not|besides|excluding)\b/;

/** Those that the words point at, or all but those; all where they point at none. */
export function meantBy(watches: readonly WatchReport[], pointing: Pointing): readonly WatchReport[] {
  const { slots, words } = pointing;
  const isSpared = SPARES.test(words);
  const classes = isSpared ? [...slots.classes, ...(slots.excluded ?? [])] : slots.classes;
  const meant = pointedAt(watches.map(toTarget), { ...pointing, slots: { ...slots, classes } });
  return watches.filter(({ id }) => meant === undefined || meant.some((one) => one.id === id) !== isSpared);
}

export function labelOf({ id, words }: WatchReport): string {
  return `${id} ("${words}")`;
}

const FROM_NOW =
  'I can only mute and unmute from now on, not later or every day, so I changed nothing. Say "mute it until 7" when it should begin; for the same hours every day, say "make it only from 7 to 23".';

export function* planQuiet({ clause }: WishOf<"quiet">, { clock, known }: App, made: readonly Made[]): Plan {
  const { act, slots } = clause;
  if (beginsLater(act.words)) return say(FROM_NOW);
  if (slots.unknownCamera !== undefined && slots.cameras.length === 0)
    return say(
      `No camera is called "${slots.unknownCamera}". Cameras: ${known.cameras.map(({ name }) => name).join(", ")}.`,
    );
  const { watches } = yield* need("list_watches", UNKNOWN);
  const muted = act.ends ? watches.filter(({ muted_until }) => muted_until !== undefined) : watches;
  const all = meantBy(muted, { slots, words: act.words, touched: made });
  const meant = oneOrAll(all, act.words);
  if (all.length === 0)
    return say(act.ends ? "No such watch is muted." : "No such watch is set up, so there is nothing to mute.");
  if (meant === undefined)
    return ask(`Which one do you mean? Say its name.\n${all.map((watch) => `- ${labelOf(watch)}`).join("\n")}`);
  const labels = joinWords(meant.map(labelOf));
  const { end } = findQuietEnd(act.words, clock);
  if (!act.ends && end === undefined)
    return ask(`For how long shall I mute ${labels}? Say "for 2 hours", "until 8" or "until Monday".`);
  const until = end === undefined ? "" : formatTime(end.at, clock);
  const will = act.ends ? `end the quiet of ${labels}` : `mute ${labels} from now until ${until}`;
  if (end?.isLater && !act.ends && act.fromNow !== true)
    return { text: `Should I ${will}?`, open: true, proposal: { ...clause, act: { ...act, fromNow: true } } };
  const answers = yield meant.map(({ id }) => ({
    tool: "mute_watch",
    args: { watch_id: id, ...(act.ends ? { minutes: 0 } : { until: end?.at }) },
    will,
  }));
  const done = meant.filter((_, at) => answers[at]?.ok === true);
  const failures = answers.filter(({ ok }) => !ok).map(({ text }) => text);
  if (done.length === 0) return say("Nothing was muted.", ...failures);
  const names = joinWords(done.map(({ words }) => `"${words}"`));
  return say(act.ends ? `I tell you of ${names} again.` : `Muted ${names} until ${until}.`, ...failures);
}

export function* planMode({ clause }: WishOf<"mode">, { known }: App): Plan {
  const { mode, isNew } = clause.act;
  const isUsual = MODES.some((one) => one === mode);
  const modes = isUsual || isNew ? [mode] : modesOf((yield* need("list_watches", UNKNOWN)).watches, known);
  if (!modes.includes(mode))
    return {
      text: `There is no mode "${mode}" yet, and no watch tells in it alone. There are ${joinWords(modes)}. Should I set the mode to ${mode} all the same?`,
      open: true,
      proposal: { ...clause, act: { ...clause.act, isNew: true } },
    };
  const set = yield* need("set_mode", {
    args: { mode },
    will: `set the mode to ${mode}`,
    failed: "I could not set the mode",
  });
  const quiet = joinWords(set.quiet.map(({ words }) => `"${words}"`));
  return say(`The mode is ${mode}.`, quiet === "" ? "" : `Quiet in it: ${quiet}.`);
}

interface ModeTime {
  readonly mode: string;
  readonly at: string;
  readonly days?: readonly Weekday[];
}

/** "Every evening at 10": one more of the times at which the mode changes. */
export function* planModeTimes(rule: ModeTime, spoken: string, { mode: current }: Known): Plan {
  const { mode } = rule;
  if (current === undefined) return say("I do not know when the mode changes already, so I left it as it is.");
  const { watches } = yield* need("list_watches", UNKNOWN);
  const modes = modesOf(watches, { mode: current });
  if (!modes.includes(mode)) return say(`There is no mode "${mode}". There are ${joinWords(modes)}.`);
  const others = current.schedule.filter((one) => JSON.stringify(one) !== JSON.stringify(rule));
  const set = yield* need("set_mode", {
    args: { schedule: [...others, rule] },
    will: `set the mode to ${mode} ${spoken}`,
    failed: "I could not set when the mode changes",
  });
  const times = set.mode.schedule.map(
    (one) => `${one.mode} at ${one.at}${one.days === undefined ? "" : ` ${daysInWords(one.days)}`}`,
  );
  return say(`The mode becomes ${mode} ${spoken}.`, `It changes by itself: ${joinWords(times)}.`);
}

/** Those that there are anyway, and those that somebody uses. */
export function modesOf(watches: readonly WatchReport[], { mode }: Pick<Known, "mode">): readonly string[] {
  const used = watches.flatMap(({ modes = [] }) => modes);
  const set = mode === undefined ? [] : [mode.mode, ...mode.schedule.map((rule) => rule.mode)];
  return [...new Set<string>([...MODES, ...used, ...set])];
}
