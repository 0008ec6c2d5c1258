// data of tool results → sentences
import type { ClassCount, SceneEvent, Sighting, ToolDataOf, WatchReport } from "@vision-agent/protocol";
import { createLocalTime } from "../../../memory/local-time.ts";
import { inWords } from "../slots/amounts.ts";
import type { WallClock } from "../slots/find-period.ts";
import { countOf, joinWords, plural } from "../words/class-words.ts";

export const KEY = "With a key in ANTHROPIC_API_KEY a language model answers here instead, and understands far more.";

const SIMULATED = "sim/truth";

/** By whom it was seen, so that a scene's own script is not taken for a detector. */
export function evidence([model]: readonly string[] = []): string {
  if (model === undefined) return "";
  return model === SIMULATED
    ? `(Simulated: ${model} reads the scene's script, no detector looked.)`
    : `(Seen by ${model}.)`;
}

/** The first lines, and how many more there are. */
export function firstLines(text: string, most: number): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const rest = lines.length - most;
  return rest > 0 ? [...lines.slice(0, most), `… and ${rest} more lines.`].join("\n") : lines.join("\n");
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export interface LookQuestion {
  readonly classes: readonly string[];
  readonly howMany: boolean;
}

/** Of a picture: the answer to what was asked, what is seen, by whom, and what must be known to judge it. */
export function sightingInWords(seen: Sighting, asked: LookQuestion = { classes: [], howMany: false }): string {
  const all = `On ${seen.subject} I see ${countsInWords(seen.counts)}.`;
  return [reply(asked, seen), all, ...seen.notes, evidence(seen.models)].filter((part) => part !== "").join(" ");
}

/** To the question itself; empty when nothing in particular was asked for. */
function reply({ classes, howMany }: LookQuestion, { counts, subject }: Sighting): string {
  if (classes.length === 0) return "";
  const found = counts.filter(({ class_name }) => classes.includes(class_name));
  if (found.length === 0) return `No ${joinWords(classes.map(plural), "or")} on ${subject} at this moment.`;
  return howMany ? `${countsInWords(found)} on ${subject} at this moment.` : `Yes, ${countsInWords(found)}.`;
}

function countsInWords(counts: readonly ClassCount[]): string {
  return counts.length === 0 ? "nothing" : joinWords(counts.map(({ count, class_name }) => countOf(count, class_name)));
}

/** Of one pipeline: what crossed since its start, and what is in view. */
export function resultsInWords(
  { pipeline, seen }: ToolDataOf<"get_pipeline_results">,
  asked: readonly string[],
): string {
  if (seen === undefined) return `${pipeline.name} has no result yet: it is ${pipeline.status}.`;
  const totals = crossings(seen);
  const missing = asked.filter((className) => !seen.counts.some(({ class_name }) => class_name === className));
  const none = totals === "" && missing.length > 0 ? `No ${joinWords(missing)} in view. ` : "";
  const now = `In view now: ${countsInWords(seen.counts)}.`;
  return `${pipeline.name}: ${none}${totals}${now} ${evidence(seen.models)}`.trim();
}

function crossings({ figures }: Sighting): string {
  const figure = (word: RegExp): number | undefined => {
    const found = figures.find(({ name, value }) => word.test(name) && /^\d+$/.test(value));
    return found === undefined ? undefined : Number(found.value);
  };
  const [into, out, inside] = [figure(/(^|_)in$/), figure(/(^|_)out$/), figure(/_in_zone$/)];
  if (inside !== undefined) return `${inside} in the zone now. `;
  if (into === undefined || out === undefined) return "";
  return `${into + out} crossed the line since it started, ${into} in and ${out} out. `;
}

type EventTotals = ToolDataOf<"search_events">["totals"];

const DID: Readonly<Record<string, string>> = {
  appeared: "appeared",
  left: "left",
  line_crossed: "crossed a line",
  zone_entered: "entered a zone",
  zone_left: "left a zone",
  stayed: "stayed",
};

/** `8 people appeared, 4 cars crossed a line`. */
export function totalsInWords(totals: EventTotals): string {
  return joinWords(
    totals.map(({ kind, class_name, count }) => {
      if (kind === "condition_true") return `a watch came true ${count === 1 ? "once" : `${count} times`}`;
      const did = DID[kind];
      if (did === undefined || class_name === undefined) return `${count} × ${kind.replaceAll("_", " ")}`;
      return `${countOf(count, class_name)} ${did}`;
    }),
  );
}

export function momentInWords(timestamp: string, { timeZone }: WallClock): string {
  const { day, time } = createLocalTime(timeZone)(Date.parse(timestamp));
  return `${day} ${time}:${timestamp.slice(17, 19)}`;
}

export function eventInWords(event: SceneEvent, clock: WallClock): string {
  return `- ${momentInWords(event.timestamp, clock)} ${event.camera}: ${event.text}`;
}

/** `No people` for classes, `nothing` without. */
export function noneOf(classes: readonly string[]): string {
  return classes.length === 0 ? "nothing" : `no ${joinWords(classes.map(plural), "or")}`;
}

export function watchInWords({ id, words, active_hours: hours, ...watch }: WatchReport, condition: string): string {
  const when = hours === undefined ? "always" : `between ${hours.from} and ${hours.to}`;
  const state = watch.enabled ? "" : "; switched off";
  const fired = watch.fired === 0 ? "" : `; came true ${watch.fired === 1 ? "once" : `${watch.fired} times`}`;
  return `- ${id} "${words}": ${condition} on ${watch.cameras.join(", ")}; ${when}, at most once in ${inWords(watch.cooldown_seconds)}${fired}${state}`;
}

/** Cameras of a watch that do not run as hoped; empty when all do. */
export function troubleOf({ pipelines }: WatchReport): string {
  const trouble = pipelines.flatMap(({ camera, status = "not running", reason }) => {
    if (status === "running" || status === "starting" || status === "ended") return [];
    return [`${camera} ${status}${reason === undefined ? "" : ` (${reason})`}`];
  });
  return trouble.length === 0 ? "" : ` At the moment: ${joinWords(trouble)}.`;
}
