// a watch, a camera and a moment → the gates it passed, the first that said no, and the least change that flips it
import {
  colourSchema,
  type GateVerdict,
  type Watch,
  type WatchChange,
  type WatchWhy,
  type Why,
} from "@vision-agent/protocol";
import { knobsOf, loosen } from "./loosen-watch.ts";
import { firesIn, firingsOf, outageIn, type StoredPeriod, sceneGates, withWeak } from "./seen-for-watch.ts";
import { withChanges } from "./watch-differences.ts";
import { localDay, localTime, type QuietReason, weekdayOf } from "./watch-times.ts";

type Decision = Why["decisions"][number];

export interface ExplainContext extends StoredPeriod {
  /** Of this watch on this camera in the period, nearest first. */
  readonly decisions: readonly Decision[];
  /** When it told last before a time, in milliseconds since 1970. */
  readonly toldBefore: (watchId: string, camera: string, ms: number) => number | undefined;
  readonly quiet: (watch: Watch, ms: number) => QuietReason | undefined;
  readonly modeAt: (ms: number) => string;
  readonly timeZone: string;
}

/** What one judgement comes to: all verdicts, and when it says no, what might change that. */
interface Judged {
  readonly gates: readonly GateVerdict[];
  readonly change?: WatchChange | undefined;
}

/** Changes that are needed together, at most. */
const MOST_CHANGES = 3;

export async function explainWatch(watch: Watch, camera: string, context: ExplainContext): Promise<WatchWhy> {
  const { id: watch_id, words, enabled, created_at } = watch;
  const about = { watch_id, words };
  if (!enabled) {
    const gates = [fail("off", { found: "off" })];
    return { ...about, outcome: "not_told", gates, change: { changes: {}, resume: true } };
  }
  const decision = decisionAbout(context);
  if (decision === undefined && Date.parse(created_at) >= context.toMs) {
    return { ...about, outcome: "not_told", gates: [fail("made", { found: created_at })] };
  }
  const outage = decision ? undefined : outageIn(context);
  if (outage !== undefined) return { ...about, outcome: "not_told", gates: [fail("frame", { found: outage })] };
  const judged = decision ? await judgeDecision(watch, decision, context) : await judgeAnew(watch, camera, context);
  const isNo = judged.gates.some(({ passed }) => !passed);
  if (!isNo) {
    const outcome = decision?.alert_id === undefined ? "would_tell" : "told";
    return { ...about, outcome, ...(decision?.alert_id && { alert_id: decision.alert_id }), gates: [...judged.gates] };
  }
  const changes = await leastChange(watch, camera, { context, judged });
  return { ...about, outcome: "not_told", gates: [...judged.gates], ...(changes && { change: { changes } }) };
}

/** The one that was asked about, or the nearest; where the camera was blind in that minute, only an alert of it. */
function decisionAbout(context: ExplainContext): Decision | undefined {
  const { decisions, atMs } = context;
  const exact = decisions.find(({ timestamp }) => Date.parse(timestamp) === atMs);
  if (exact) return exact;
  const isOfMinute = ({ timestamp }: Decision): boolean => toMinute(Date.parse(timestamp)) === toMinute(atMs);
  const possible = outageIn(context) === undefined ? decisions : decisions.filter(isOfMinute);
  return (
    possible.find(({ alert_id }) => alert_id !== undefined) ??
    (possible.length === decisions.length ? possible[0] : undefined)
  );
}

function toMinute(ms: number): number {
  return Math.floor(ms / 60_000);
}

/** One change after the other until nothing says no any more. */
async function leastChange(
  watch: Watch,
  camera: string,
  { context, judged }: { readonly context: ExplainContext; readonly judged: Judged },
): Promise<WatchChange | undefined> {
  let [changes, current, next]: [WatchChange, Watch, Judged] = [{}, watch, judged];
  for (let count = 0; count < MOST_CHANGES; count += 1) {
    if (next.change === undefined) return undefined;
    changes = { ...changes, ...next.change };
    current = withChanges<Watch>(watch, changes);
    const lowest = changes.min_confidence;
    const period = typeof lowest === "number" ? { ...context, ...(await withWeak(context, watch, lowest)) } : context;
    next = await judgeAnew(current, camera, period);
    if (next.gates.every(({ passed }) => passed)) return changes;
  }
  return undefined;
}

const SCENE: readonly GateVerdict["gate"][] = ["frame", "motion", "detector", "track", "confidence", "size", "colour"];

/** Its condition came true then: what was decided of that is stored. */
async function judgeDecision(watch: Watch, decision: Decision, context: ExplainContext): Promise<Judged> {
  const seen = [...SCENE, "rule" as const].map((gate) => pass(gate));
  const atMs = Date.parse(decision.timestamp);
  const { gate, failures, alert_id } = decision;
  if (gate === undefined) {
    const failed = failures.map(({ channel }) => channel).join(", ");
    if (failures.length > 0) return { gates: [...seen, fail("channel", { found: failed })] };
    return { gates: alert_id === undefined ? seen : [...seen, pass("channel")] };
  }
  const verdict = tellingGates(watch, decision.camera, { context, atMs }).find((one) => one.gate === gate);
  const toldMs = gate === "cooldown" ? context.toldBefore(watch.id, decision.camera, atMs) : undefined;
  // The watch may have been changed since: what it asked for then is not known any more.
  const found = toldMs === undefined ? {} : ({ found: Math.floor((atMs - toldMs) / 1000), unit: "s" } as const);
  const no = verdict ?? fail(toGate(gate), found);
  return { gates: [...seen, no], change: changeFor(watch, no, { context, atMs }) };
}

function toGate(gate: NonNullable<Decision["gate"]>): GateVerdict["gate"] {
  return gate === "kind" || gate === "pipeline" || gate === "recovered" ? "rule" : gate;
}

/** As if the watch had been as it is now. */
async function judgeAnew(watch: Watch, camera: string, context: ExplainContext): Promise<Judged> {
  const { firedMs, heldBefore } = await firingsOf(watch, context);
  const nearest = firedMs.toSorted((a, b) => Math.abs(a - context.atMs) - Math.abs(b - context.atMs));
  if (nearest.length === 0) {
    const gates = await sceneGates(watch, camera, context);
    if (gates.at(-1)?.passed === true && heldBefore) return { gates: [...gates, fail("told_before", {})] };
    return judgeUnseen(watch, camera, { context, gates });
  }
  const seen = [...SCENE, "rule" as const].map((gate) => pass(gate));
  for (const atMs of nearest) {
    const no = tellingGates(watch, camera, { context, atMs })[0];
    if (no === undefined) return { gates: seen };
  }
  const atMs = nearest[0]!;
  const no = tellingGates(watch, camera, { context, atMs })[0]!;
  return { gates: [...seen, no], change: changeFor(watch, no, { context, atMs }) };
}

/** Its condition did not come true: the first setting that makes it so when it is loosened. */
async function judgeUnseen(
  watch: Watch,
  camera: string,
  { context, gates }: { readonly context: ExplainContext; readonly gates: readonly GateVerdict[] },
): Promise<Judged> {
  const no = gates.find(({ passed }) => !passed);
  if (no?.gate === "detector" && typeof no.found === "number" && no.found > 0) {
    return { gates, change: { min_confidence: Math.floor(no.found * 100) / 100 } };
  }
  if (no !== undefined && ["frame", "motion", "detector", "track"].includes(no.gate)) return { gates };
  if (no?.gate === "colour" && no.found !== undefined) {
    const change = { colour: colourSchema.parse(no.found) };
    return (await firesIn(withChanges<Watch>(watch, change), context)) ? { gates, change } : { gates };
  }
  for (const knob of knobsOf(watch, camera, context.placeOf)) {
    const fires = (value: number): Promise<boolean> => firesIn(withChanges<Watch>(watch, knob.set(value)), context);
    const guess = no?.gate === knob.gate && typeof no.found === "number" ? no.found : undefined;
    const value = await loosen(knob, fires, guess);
    if (value === undefined) continue;
    const { gate, unit, now } = knob;
    const isPlace = gate === "zone" || gate === "line";
    const figures = isPlace ? { found: value, needed: 0, unit } : { found: value, needed: now, unit };
    const before = gates.filter((one) => one.passed && one.gate !== gate);
    return { gates: [...before, no?.gate === gate ? no : fail(gate, figures)], change: knob.set(value) };
  }
  return { gates: no ? gates : [...gates, fail("rule", {})] };
}

/** Those that say no of what a watch saw at a time, in their order. */
function tellingGates(
  watch: Watch,
  camera: string,
  { context, atMs }: { readonly context: ExplainContext; readonly atMs: number },
): readonly GateVerdict[] {
  const { muted_until, cooldown_seconds } = watch;
  const verdicts: GateVerdict[] = [];
  if (muted_until !== undefined && atMs < Date.parse(muted_until)) {
    verdicts.push(fail("muted", { found: new Date(atMs).toISOString(), needed: muted_until }));
  }
  const quiet = context.quiet(watch, atMs);
  if (quiet) verdicts.push(fail(quiet.gate, quietFigures(watch, quiet.gate, { context, atMs })));
  const toldMs = context.toldBefore(watch.id, camera, atMs);
  const elapsed = toldMs === undefined ? Number.POSITIVE_INFINITY : (atMs - toldMs) / 1000;
  if (elapsed < cooldown_seconds) {
    verdicts.push(fail("cooldown", { found: Math.floor(elapsed), needed: cooldown_seconds, unit: "s" }));
  }
  return verdicts;
}

function quietFigures(
  { active_hours, days, dates, modes }: Watch,
  gate: QuietReason["gate"],
  { context, atMs }: { readonly context: ExplainContext; readonly atMs: number },
): Partial<GateVerdict> {
  const day = localDay(atMs, context.timeZone);
  switch (gate) {
    case "hours":
      return { found: localTime(atMs, context.timeZone), needed: `${active_hours?.from} to ${active_hours?.to}` };
    case "days":
      return { found: weekdayOf(day), needed: days?.join(", ") ?? "" };
    case "dates":
      return { found: day, needed: `${dates?.from ?? ""} to ${dates?.to ?? ""}` };
    case "mode":
      return { found: context.modeAt(atMs), needed: modes?.join(", ") ?? "" };
  }
}

/** What of the watch has to be otherwise for this gate to say yes. */
function changeFor(
  watch: Watch,
  { gate, found }: GateVerdict,
  { context, atMs }: { readonly context: ExplainContext; readonly atMs: number },
): WatchChange | undefined {
  const { timeZone } = context;
  const { active_hours: hours, days = [], dates, modes = [] } = watch;
  const day = localDay(atMs, timeZone);
  switch (gate) {
    case "muted":
      return { muted_until: null };
    case "hours":
      return hours && { active_hours: widen(hours, atMs, timeZone) };
    case "days":
      return { days: [...days, weekdayOf(day)] };
    case "dates":
      return { dates: { ...dates, ...(dates?.from && day < dates.from ? { from: day } : { to: day }) } };
    case "mode":
      return { modes: [...modes, context.modeAt(atMs)] };
    case "cooldown":
      return typeof found === "number" && found < watch.cooldown_seconds ? { cooldown_seconds: found } : undefined;
    case "check":
      return { check: null };
    default:
      return undefined;
  }
}

const DAY_MINUTES = 1440;

/** The end that is nearer goes to the moment. Sunrise and sunset become times of the clock. */
function widen(
  { from, to }: NonNullable<Watch["active_hours"]>,
  atMs: number,
  timeZone: string,
): NonNullable<Watch["active_hours"]> {
  const minutesOf = (time: string): number => {
    const [hour = 0, minute = 0] = time.split(":").map(Number);
    return hour * 60 + minute;
  };
  const now = minutesOf(localTime(atMs, timeZone));
  const before = /^\d/.test(from) ? (minutesOf(from) - now + DAY_MINUTES) % DAY_MINUTES : DAY_MINUTES;
  const after = /^\d/.test(to) ? (now - minutesOf(to) + DAY_MINUTES) % DAY_MINUTES : DAY_MINUTES;
  const toTime = (minutes: number): string => {
    const time = (minutes + DAY_MINUTES) % DAY_MINUTES;
    return `${String(Math.floor(time / 60)).padStart(2, "0")}:${String(time % 60).padStart(2, "0")}`;
  };
  // The end itself is outside.
  return before <= after ? { from: toTime(now), to } : { from, to: toTime(now + 1) };
}

function pass(gate: GateVerdict["gate"]): GateVerdict {
  return { gate, passed: true };
}

function fail(gate: GateVerdict["gate"], more: Partial<GateVerdict>): GateVerdict {
  return { gate, passed: false, ...more };
}
