// what a watch would have told, as it is or with a change → preview_watch
import type { ToolDataOf } from "@vision-agent/protocol";
import { formatTime } from "../../../workspace/format-time.ts";
import { counted, timesInWords } from "../answers/findings.ts";
import type { Clause, Slots } from "../intent.ts";
import { lately, type Period, type WallClock } from "../slots/find-period.ts";
import { joinWords } from "../words/class-words.ts";
import { type App, ask, type Made, need, type Plan, say, type WishOf } from "./plan.ts";
import { chooseWatch } from "./take-back.ts";

const SHOWN = 8;
const WHAT_IF = /\b(?:if|with|using)\b/;

export function* planPreview({ clause }: WishOf<"preview">, app: App, made: readonly Made[]): Plan {
  const { act, slots, words } = clause;
  const [asked = "", ...rest] = words.replace(/[?.!\s]+$/, "").split(WHAT_IF);
  const [word = "if"] = WHAT_IF.exec(words) ?? [];
  const wanted = rest.join(word).trim();
  const read = wanted === "" ? [] : app.read(wanted);
  const changes = read.map(toChanges);
  if (wanted !== "" && (changes.length === 0 || changes.some((one) => Object.keys(one).length === 0)))
    return ask(
      `I did not understand what should be different: "${wanted}". Say it as a change of the watch, such as "if the cooldown was 5 minutes", "if it was only at night" or "if it was only for cars".`,
    );
  const watch = yield* chooseWatch({ slots: namedBy(app.read(asked), slots, read), words: act.words, made });
  // A preview is of the last day unless somebody says when.
  const period = slots.period ?? lately(app.clock);
  const { from, to } = period;
  const args = { watch_id: watch.id, changes: Object.assign({}, ...changes), from, to };
  const replay = yield* need("preview_watch", { args, failed: "I could not find out" });
  const lead = wanted === "" ? "" : `${word === "if" ? "If" : "With"} ${wanted}: `;
  return say(`${lead}${replayInWords(replay, { period, clock: app.clock, isChange: wanted !== "" })}`);
}

/** Before the "if" a watch is named; after it, how it should be. An answer to "which one?" names it, too. */
function namedBy(head: readonly Clause[], said: Slots, tail: readonly Clause[]): Slots {
  const named = head[0]?.slots ?? said;
  const isInTail = tail.some(({ slots }) => slots.cameras.length > 0);
  return named.cameras.length > 0 || isInTail ? named : { ...named, cameras: said.cameras };
}

/** Only what a watch can be given; empty where there is something else, too. */
function toChanges({ slots, act }: Clause): { readonly [key: string]: unknown } {
  if (slots.thing !== undefined || slots.unknownZone !== undefined || slots.unknownCamera !== undefined) return {};
  if (act.kind === "beyond" || act.kind === "mode" || act.kind === "quiet") return {};
  const { hours, zone, cameras, classes, days, modes, severity } = slots;
  const changes = {
    cooldown_seconds: slots.cooldownSeconds,
    again_seconds: slots.againSeconds,
    active_from: hours?.from,
    active_to: hours?.to,
    days,
    modes,
    severity,
    seconds: slots.seconds,
    at_least: slots.atLeast,
    at_most: slots.atMost,
    zone: zone?.place ?? zone?.points,
    ...(cameras.length > 0 && { cameras }),
    ...(classes.length > 0 && { classes }),
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

interface ReplayAsked {
  readonly period: Period;
  readonly clock: WallClock;
  readonly isChange: boolean;
}

function replayInWords(replay: ToolDataOf<"preview_watch">, { period, clock, isChange }: ReplayAsked): string {
  const { words, footage, sent, seen, suppressed, alerts, not_judged } = replay;
  if (footage === undefined) return `Nothing is stored of what was seen ${period.words}, so I cannot say.`;
  const held = joinWords(suppressed.map(({ gate, count }) => `${count} by ${gate.replaceAll("_", " ")}`));
  const count = (change: (typeof alerts)[number]["change"]): number =>
    alerts.filter((one) => one.change === change).length;
  const against = `Against the watch as it is: ${count("gained")} more, ${count("lost")} fewer, ${count("moved")} at another time.`;
  const told = alerts.filter(({ change }) => change !== "lost").map(({ alert }) => alert);
  const lines = told
    .slice(-SHOWN)
    .map(({ at, camera, text }) => `- ${at ? `${formatTime(at, clock)} ` : ""}${camera}: ${text}`);
  return [
    say(
      `"${words}" would have sent ${counted(sent, "alert")} ${period.words}; it came true ${seen === 0 ? "not once" : timesInWords(seen)}.`,
      held === "" ? "" : `Held back: ${held}.`,
      isChange ? against : "",
      footage.from && footage.to
        ? `Looked at: ${formatTime(footage.from, clock)} to ${formatTime(footage.to, clock)}.`
        : `Looked at: ${footage.seconds} s.`,
      ...not_judged,
    ).text,
    ...(told.length > lines.length ? [`The last ${lines.length}:`] : []),
    ...lines,
  ].join("\n");
}
