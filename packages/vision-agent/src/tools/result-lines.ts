// frame result → one stable line that people, models and programs read, and back
import type { Detections, FrameResult } from "@vision-agent/protocol";

export interface ClassCount {
  readonly className: string;
  readonly count: number;
}

/** What a first line says: whose it is, how many of what are there now, and the named figures of the workflow. */
export interface ResultLine {
  readonly subject: string;
  readonly counts: readonly ClassCount[];
  readonly figures: readonly { readonly name: string; readonly value: string }[];
}

const NOTHING = "nothing";
const LONGEST_FIGURE = 40;

export function countByClass(detections: Detections | undefined): readonly ClassCount[] {
  return countNames(detections?.class_name ?? []);
}

/** Most frequent first, then by name. */
export function countNames(names: readonly string[]): readonly ClassCount[] {
  const counts = new Map<string, number>();
  for (const className of names) counts.set(className, (counts.get(className) ?? 0) + 1);
  return [...counts]
    .map(([className, count]) => ({ className, count }))
    .sort((a, b) => b.count - a.count || a.className.localeCompare(b.className));
}

/** The fullest set of boxes, tracked ones first: others are parts of it, such as what crossed in this frame. */
export function mainDetections(result: FrameResult): Detections | undefined {
  const all = Object.values(result.outputs).flatMap((output) =>
    output.kind === "detections" ? [output.detections] : [],
  );
  const weight = (detections: Detections): number =>
    detections.class_name.length + (detections.tracker_id === null ? 0 : Number.MAX_SAFE_INTEGER / 2);
  return all.toSorted((a, b) => weight(b) - weight(a))[0];
}

/** Name of the drawn picture among the outputs, when the workflow has one. */
export function imageOutput(result: FrameResult): string | undefined {
  return Object.entries(result.outputs).find(([, output]) => output.kind === "image")?.[0];
}

export function toResultLine(subject: string, result: FrameResult): ResultLine {
  const figures = Object.entries(result.outputs).flatMap(([name, output]) => {
    if (output.kind !== "value" || output.value === null || typeof output.value === "object") return [];
    const value = String(output.value);
    return value.length <= LONGEST_FIGURE && !/[,;\n]/.test(value) ? [{ name, value }] : [];
  });
  return { subject, counts: countByClass(mainDetections(result)), figures };
}

/** e.g. `street: 3 person, 1 car; count_in 4, count_out 2.` */
export function formatResultLine(line: ResultLine): string {
  const counts = line.counts.map(({ className, count }) => `${count} ${className}`).join(", ") || NOTHING;
  const figures = line.figures.map(({ name, value }) => `${name} ${value}`).join(", ");
  return `${line.subject}: ${counts}${figures === "" ? "" : `; ${figures}`}.`;
}

/** Reads the first line of a text; undefined when it is no result line. */
export function parseResultLine(text: string): ResultLine | undefined {
  const match = /^([^:\n]+): (nothing|\d+ [^;\n]*?)(?:; ([^\n]*))?\.(?:\n|$)/.exec(text);
  if (match === null) return undefined;
  const [, subject = "", counts = "", figures = ""] = match;
  return {
    subject,
    counts: pairs(counts === NOTHING ? "" : counts).map(([count, className]) => ({ className, count: Number(count) })),
    figures: pairs(figures).map(([name, value]) => ({ name, value })),
  };
}

/** The largest boxes first, in pixels of the frame: `person#3 0.91 at 10,20,110,220`. */
export function formatBoxes(detections: Detections | undefined, limit: number): string {
  if (detections === undefined) return "";
  const rows = detections.class_name.map((className, row) => {
    const [left = 0, top = 0, right = 0, bottom = 0] = detections.xyxy.slice(row * 4, row * 4 + 4);
    const tracker = detections.tracker_id?.[row];
    const confidence = (detections.confidence[row] ?? 0).toFixed(2);
    return {
      area: (right - left) * (bottom - top),
      text: `${className}${tracker === undefined ? "" : `#${tracker}`} ${confidence} at ${[left, top, right, bottom].map(Math.round).join(",")}`,
    };
  });
  const shown = rows.toSorted((a, b) => b.area - a.area).slice(0, limit);
  const rest = rows.length - shown.length;
  return shown.map(({ text }) => text).join("; ") + (rest > 0 ? `; and ${rest} more` : "");
}

function pairs(text: string): readonly (readonly [string, string])[] {
  return text === ""
    ? []
    : text.split(", ").map((pair) => {
        const space = pair.indexOf(" ");
        return [pair.slice(0, space), pair.slice(space + 1)] as const;
      });
}
