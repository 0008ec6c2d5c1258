// scene events → a line for each camera and hour or day, without a model
import type { SceneEvent, SceneEventKind } from "@vision-agent/protocol";
import type { LocalTime } from "./local-time.ts";

export type RollUpPeriod = "hour" | "day";

/** What happened at one camera in one hour or day. */
export interface RollUp {
  readonly period: RollUpPeriod;
  readonly day: string;
  /** HH:00 where it begins. */
  readonly from: string;
  readonly camera: string;
  /** One sentence or two for people. */
  readonly text: string;
}

const DID: Readonly<Record<SceneEventKind, string>> = {
  appeared: "appeared",
  left: "left",
  line_crossed: "crossed a line",
  zone_entered: "entered a zone",
  zone_left: "left a zone",
  stayed: "stayed long",
  count_changed: "changes of the count",
  condition_true: "times a condition began to hold",
  condition_false: "times a condition ceased to hold",
  camera_down: "times down",
  camera_up: "times up again",
  camera_frozen: "times frozen",
  camera_covered: "times covered",
  camera_moved: "times moved",
  camera_dark: "times in the dark",
  camera_ended: "times at the end of its recording",
};

interface LocalEvent extends LocalTime {
  readonly event: SceneEvent;
}

/** In the order of periods, then of cameras. The same events give the same lines. */
export function rollUpEvents(
  events: Iterable<SceneEvent>,
  period: RollUpPeriod,
  toLocal: (ms: number) => LocalTime,
): readonly RollUp[] {
  const local = Array.from(events, (event): LocalEvent => ({ event, ...toLocal(Date.parse(event.timestamp)) }));
  const groups = Map.groupBy(local, ({ event, day, time }) => {
    const from = period === "hour" ? hourOf(time) : "00:00";
    return JSON.stringify([day, from, event.camera]);
  });
  return [...groups.keys()].toSorted().map((key) => {
    const [day, from, camera] = JSON.parse(key) as readonly [string, string, string];
    const group = groups.get(key)!.toSorted((a, b) => a.event.timestamp.localeCompare(b.event.timestamp));
    const span = period === "hour" ? `${from}–${hourAfter(from)}` : "the day";
    return { period, day, from, camera, text: `Summary of ${span}: ${describe(group, period)}` };
  });
}

function describe(group: readonly LocalEvent[], period: RollUpPeriod): string {
  const byClass = Map.groupBy(group, ({ event }) => event.class_name ?? subjectOf(event.kind));
  const parts = [...byClass.keys()].toSorted().map((name) => `${name}: ${countKinds(byClass.get(name)!)}`);
  const when = group.length === 1 ? `at ${group[0]!.time}` : `first ${group[0]!.time}, last ${group.at(-1)!.time}`;
  const total = group.length === 1 ? "1 event" : `${group.length} events`;
  const busiest = group.length > 2 ? `, busiest ${busiestOf(group, period)}` : "";
  return `${parts.join("; ")}. ${total}, ${when}${busiest}.`;
}

function subjectOf(kind: SceneEventKind): string {
  return kind.startsWith("camera_") ? "camera" : "scene";
}

function countKinds(group: readonly LocalEvent[]): string {
  const byKind = Map.groupBy(group, ({ event }) => event.kind);
  return [...byKind.keys()]
    .toSorted()
    .map((kind) => `${byKind.get(kind)!.length} ${DID[kind]}${directionsOf(byKind.get(kind)!)}`)
    .join(", ");
}

function directionsOf(group: readonly LocalEvent[]): string {
  const count = (way: "in" | "out"): number => group.filter(({ event }) => event.direction === way).length;
  return count("in") + count("out") === 0 ? "" : ` (${count("in")} in, ${count("out")} out)`;
}

/** Ten minutes of an hour, an hour of a day; the earlier one of two that are equal. */
function busiestOf(group: readonly LocalEvent[], period: RollUpPeriod): string {
  const slots = Map.groupBy(group, ({ time }) => (period === "hour" ? `${time.slice(0, 4)}0` : hourOf(time)));
  const [first, ...rest] = [...slots].toSorted(([a], [b]) => a.localeCompare(b));
  const [slot, most] = rest.reduce((best, other) => (other[1].length > best[1].length ? other : best), first!);
  const end = period === "hour" ? `${slot.slice(0, 4)}9` : hourAfter(slot);
  return `${slot}–${end} (${most.length})`;
}

function hourOf(time: string): string {
  return `${time.slice(0, 2)}:00`;
}

function hourAfter(from: string): string {
  return `${String(Number(from.slice(0, 2)) + 1).padStart(2, "0")}:00`;
}
