// events of the last days → summaries that the day's files do not have yet
import type { SceneEvent } from "@vision-agent/protocol";
import { addDays, type LocalTime } from "./local-time.ts";
import type { NoteFiles } from "./note-files.ts";
import { dayFile, parseNotes, toMarkdown } from "./note-text.ts";
import { type RollUp, type RollUpPeriod, rollUpEvents } from "./roll-up.ts";

/** All events from one moment (ISO 8601, inclusive) to another (exclusive), in any order. */
export type EventsBetween = (from: string, to: string) => Iterable<SceneEvent>;

export interface AppendRollUpsOptions {
  readonly files: NoteFiles;
  readonly events: EventsBetween;
  readonly toLocal: (ms: number) => LocalTime;
  readonly nowMs: number;
  /** Takes secrets out of what is written. */
  readonly redact: (text: string) => string;
}

/** An app that was off over a long weekend still gets its summaries. */
const LOOK_BACK_DAYS = 4;
const DAY_MS = 86_400_000;
/** An event may be told a little after it happened, when its picture is stored. */
const GRACE_MS = 60_000;

/** Each ended hour and day once, however often this is called or cut off. Says how many lines were added. */
export async function appendRollUps(options: AppendRollUpsOptions): Promise<number> {
  const { toLocal, nowMs, events } = options;
  const startMs = nowMs - LOOK_BACK_DAYS * DAY_MS;
  const all = [...events(new Date(startMs).toISOString(), new Date(nowMs).toISOString())];
  const begin = toLocal(startMs);
  const end = toLocal(nowMs - GRACE_MS);
  let added = 0;
  for (const period of ["hour", "day"] as const) {
    const latest = await latestRollUp(options.files, period, begin.day);
    const wanted = rollUpEvents(all, period, toLocal).filter((rollUp) => {
      const label = labelOf(rollUp);
      // Of the period in which the look back begins, only a part is known.
      return label > labelAt(begin, period) && label < labelAt(end, period) && label >= latest;
    });
    for (const [day, rollUps] of Map.groupBy(wanted, (rollUp) => rollUp.day)) {
      added += await appendDay(options, day, rollUps);
    }
  }
  return added;
}

async function appendDay(options: AppendRollUpsOptions, day: string, rollUps: readonly RollUp[]): Promise<number> {
  let count = 0;
  await options.files.append(dayFile(day), (text) => {
    const present = new Set(rollUpsIn(day, text).map(keyOf));
    const missing = rollUps.filter((rollUp) => !present.has(keyOf(rollUp)));
    count = missing.length;
    return missing.map((rollUp) => toLine(rollUp, options.redact)).join("");
  });
  return count;
}

function toLine({ text, day, from, camera, period }: RollUp, redact: (text: string) => string): string {
  const note = { content: redact(text), category: "observation", camera, metadata: { summary: period } } as const;
  return toMarkdown(note, { day, time: from });
}

/** Label of the newest one on disk. What a person deleted before it stays deleted. */
async function latestRollUp(files: NoteFiles, period: RollUpPeriod, firstDay: string): Promise<string> {
  let latest = "";
  for (let ahead = 0; ahead <= LOOK_BACK_DAYS + 1; ahead += 1) {
    const day = addDays(firstDay, ahead);
    const found = rollUpsIn(day, (await files.read(dayFile(day))) ?? "").filter((rollUp) => rollUp.period === period);
    latest = [latest, ...found.map(labelOf)].toSorted().at(-1)!;
  }
  return latest;
}

type RollUpKey = Pick<RollUp, "day" | "period" | "from" | "camera">;

function rollUpsIn(day: string, text: string): readonly RollUpKey[] {
  return parseNotes(dayFile(day), text).flatMap(({ metadata, time = "", camera = "" }) => {
    const period = metadata?.summary;
    return period === "hour" || period === "day" ? [{ day, period, from: time, camera }] : [];
  });
}

function keyOf({ day, period, from, camera }: RollUpKey): string {
  return JSON.stringify([day, period, from, camera.toLowerCase()]);
}

/** Sorts as time does. */
function labelOf({ day, period, from }: Pick<RollUp, "day" | "period" | "from">): string {
  return period === "day" ? day : `${day} ${from}`;
}

function labelAt({ day, time }: LocalTime, period: RollUpPeriod): string {
  return labelOf({ day, period, from: `${time.slice(0, 2)}:00` });
}
