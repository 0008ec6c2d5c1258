// stored events → how fast grouped questions are answered
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventGrouping, SceneEvent } from "@vision-agent/protocol";
import { EventIndex } from "../../packages/vision-agent/src/store/event-index.ts";
import { createLocalCalendar } from "../../packages/vision-agent/src/store/local-calendar.ts";
import { openDatabase } from "../../packages/vision-agent/src/store/open-database.ts";
import { type Benchmark, type Figure, percentile, round } from "../figure.ts";

const GOAL_MS = 50;
const DAY_MS = 86_400_000;
const DAYS = 14;
const BEGIN = Date.UTC(2026, 2, 20);
const ROUNDS = 3;
const AT_ONCE = 1000;

const GROUPINGS: readonly (readonly EventGrouping[])[] = [
  ...(["hour", "day", "class", "direction", "camera", "kind", "visit", "watch"] as const).map((one) => [one]),
  ...([
    ["day", "class"],
    ["hour", "camera"],
    ["camera", "direction"],
    ["kind", "class"],
    ["day", "visit"],
  ] as const),
];

/** The median of each question; the slowest of them counts. */
export async function eventQueries(
  name: string,
  count: number,
  { signal, say }: Parameters<Benchmark["run"]>[0],
): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-alerts-"));
  const database = openDatabase(join(folder, "events.sqlite"));
  try {
    const index = new EventIndex(database, createLocalCalendar("Europe/Berlin"));
    say(`storing ${count} events …`);
    for (let at = 0; at < count; at += AT_ONCE) {
      signal.throwIfAborted();
      index.insert(Array.from({ length: AT_ONCE }, (_, more) => eventAt(at + more, count)));
    }
    const timed = GROUPINGS.map((by) => ({ by: by.join(" × "), ms: timeOf(() => index.count({}, by)) }));
    const pages = timeOf(() => index.list({ camera: "dock", className: "person", limit: 100 }));
    const slowest = timed.toSorted((a, b) => b.ms - a.ms)[0];
    say(timed.map(({ by, ms }) => `${by} ${round(ms, 1)} ms`).join(", "));
    const value = round(slowest?.ms ?? Number.NaN, 1);
    return [
      { name, value, unit: "ms", goal: `slowest grouped question <= ${GOAL_MS} ms`, met: value <= GOAL_MS },
      {
        ...{ name: `${name}_page`, value: round(pages, 1), unit: "ms" },
        ...{ goal: `a page of 100 <= ${GOAL_MS} ms`, met: pages <= GOAL_MS },
      },
    ];
  } finally {
    database.close();
    await rm(folder, { recursive: true });
  }
}

function timeOf(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const began = performance.now();
    work();
    return performance.now() - began;
  });
  return percentile(times, 0.5);
}

const CAMERAS = ["street", "dock", "yard", "gate"] as const;
const CLASSES = ["person", "car", "bicycle"] as const;
const KINDS = ["appeared", "line_crossed", "left"] as const;

/** Four cameras, each with things that appear, cross a line and leave. */
function eventAt(number: number, count: number): { readonly event: SceneEvent; readonly day: string } {
  const camera = CAMERAS[number % 4] ?? "street";
  const visit = Math.floor(number / 12) * 4 + (number % 4);
  const kind = KINDS[Math.floor(number / 4) % 3] ?? "appeared";
  const className = CLASSES[visit % 3] ?? "person";
  const timestamp = new Date(BEGIN + Math.floor((number * DAYS * DAY_MS) / count)).toISOString();
  const event: SceneEvent = {
    id: `event_${number.toString(36).padStart(22, "0")}`,
    ...{ kind, timestamp, camera, pipeline_id: `pipe_${camera}`, frame_number: number, class_name: className },
    ...(kind === "line_crossed" && {
      direction: number % 3 === 0 ? "out" : "in",
      area: "line 0.500 0.000 0.500 1.000",
    }),
    ...{
      tracker_id: visit,
      visit_id: `visit_${visit.toString(36)}`,
      confidence: 0.871,
      box_xyxy: [1.5, 2, 300.5, 400],
    },
    text: `A ${className}: ${kind} on ${camera}.`,
  };
  return { event, day: timestamp.slice(0, 10) };
}
