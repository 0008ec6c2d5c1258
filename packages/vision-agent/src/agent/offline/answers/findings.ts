// data of tool results → sentences
import type { ClassCount, SceneEvent, Sighting, ToolDataOf, WatchReport } from "@vision-agent/protocol";
import { formatTime } from "../../../workspace/format-time.ts";
import type { Slots } from "../intent.ts";
import type { WallClock } from "../slots/find-period.ts";
import type { Way } from "../slots/find-places.ts";
import { countOf, findClasses, joinWords, plural, thingsInWords } from "../words/class-words.ts";

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

/** Of a picture: the answer to what was asked, what is seen, by whom, and what must be known to judge it. */
export function sightingInWords(seen: Sighting, asked: AskedOfPicture = {}): string {
  const where = asked.isOld ? "On that picture" : `On ${seen.subject}`;
  const all = `${where} I see ${countsInWords(seen.counts)}.`;
  return [asked.isOld ? "" : reply(asked, seen), all, ...seen.notes, evidence(seen.models)]
    .filter((part) => part !== "")
    .join(" ");
}

interface AskedOfPicture {
  readonly classes?: readonly string[];
  readonly howMany?: boolean;
  /** The picture is not of now. */
  readonly isOld?: boolean;
}

/** To the question itself; empty when nothing in particular was asked for. */
function reply({ classes = [], howMany }: AskedOfPicture, { counts, subject }: Sighting): string {
  if (classes.length === 0) return "";
  const found = counts.filter(({ class_name }) => classes.includes(class_name));
  if (found.length === 0) return `No ${joinWords(classes.map(plural), "or")} on ${subject} at this moment.`;
  return howMany ? `${countsInWords(found)} on ${subject} at this moment.` : `Yes, ${countsInWords(found)}.`;
}

function countsInWords(counts: readonly ClassCount[]): string {
  return counts.length === 0 ? "nothing" : joinWords(counts.map(({ count, class_name }) => countOf(count, class_name)));
}

/** Of one pipeline: what crossed since its start, what is in view, and where that is not what was asked for. */
export function resultsInWords(
  { pipeline, seen }: ToolDataOf<"get_pipeline_results">,
  clock: WallClock,
  { classes, way }: Pick<Slots, "classes" | "way"> = { classes: [] },
): string {
  if (seen === undefined) return `${pipeline.name} has no result yet: it is ${pipeline.status}.`;
  // Boxes are drawn, not found.
  const finds = findClasses(
    pipeline.workflow_description
      .toLowerCase()
      .replace(/\bbox(?:es)?\b/g, "")
      .split(/[^a-z]+/),
  );
  const isOther = classes.length > 0 && (finds.length === 0 || finds.some((name) => !classes.includes(name)));
  return [
    `${pipeline.name}:`,
    crossings(seen, formatTime(pipeline.started_at, clock)),
    isOther ? `These figures are of ${thingsInWords(finds)}, not of ${thingsInWords(classes)} alone.` : "",
    directionNote(way),
    `In view now: ${countsInWords(seen.counts)}.`,
    evidence(seen.models),
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** Lines tell in and out; empty where somebody speaks of these. */
export function directionNote(way: Way | undefined): string {
  return way === undefined || way === "in" || way === "out"
    ? ""
    : "To the right and up is in, to the left and down is out.";
}

function crossings({ figures }: Sighting, since: string): string {
  const figure = (word: RegExp): number | undefined => {
    const found = figures.find(({ name, value }) => word.test(name) && /^\d+$/.test(value));
    return found === undefined ? undefined : Number(found.value);
  };
  const [into, out, inside] = [figure(/(^|_)in$/), figure(/(^|_)out$/), figure(/_in_zone$/)];
  if (inside !== undefined) return `${inside} in the zone now.`;
  if (into === undefined || out === undefined) return "";
  return `${into + out} crossed the line since it started (${since}), ${into} in and ${out} out.`;
}

/** What things do; all else is told by how often it came. */
const DID: Readonly<Record<string, string>> = {
  appeared: "appeared",
  left: "left",
  line_crossed: "crossed a line",
  zone_entered: "entered a zone",
  zone_left: "left a zone",
  stayed: "stayed",
};
const CAME: Readonly<Record<string, string>> = {
  condition_true: "a watch came true",
  condition_false: "a watch was over",
  count_changed: "the number of things in view changed",
};

/** `8 people appeared, 4 cars crossed a line and a watch came true once`. */
export function totalsInWords(totals: ToolDataOf<"search_events">["totals"]): string {
  return joinWords(
    totals.map(({ kind, class_name = "thing", count }) => {
      const did = DID[kind];
      return did === undefined
        ? `${CAME[kind] ?? kind.replaceAll("_", " ")} ${timesInWords(count)}`
        : `${countOf(count, class_name)} ${did}`;
    }),
  );
}

export function timesInWords(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

export function eventInWords(event: SceneEvent, clock: WallClock): string {
  return `- ${formatTime(event.timestamp, clock)} ${event.camera}: ${event.text}`;
}

/** `No people` for classes, `nothing` without. */
export function noneOf(classes: readonly string[]): string {
  return classes.length === 0 ? "nothing" : `no ${joinWords(classes.map(plural), "or")}`;
}

/** Cameras of a watch that do not run as hoped; empty when all do. */
export function troubleOf({ pipelines }: WatchReport): string {
  const trouble = pipelines.flatMap(({ camera, status = "not running", reason }) => {
    if (status === "running" || status === "starting" || status === "ended") return [];
    return [`${camera} ${status}${reason === undefined ? "" : ` (${reason})`}`];
  });
  return trouble.length === 0 ? "" : ` At the moment: ${joinWords(trouble)}.`;
}
