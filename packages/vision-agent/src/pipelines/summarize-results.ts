// results → a few words for a model or a person
import type { ClassCount, Detections, FrameResult, Json, OutputValue } from "@vision-agent/protocol";

const MOST_CLASSES = 8;
const LONGEST_VALUE = 60;

/**
 * One line a frame, oldest first, about 100 tokens at most each: `frame 120 at 14:02:31: 3 person, 1 car; line: 4 in, 2 out`.
 * Times are those of `timeZone`, by default the machine's.
 */
export function summarizeResults(
  results: readonly FrameResult[],
  options: {
    readonly timeZone?: string;
    /** Outputs whose values are not told: a picture as text is that picture. */
    readonly hidden?: ReadonlySet<string>;
  } = {},
): string {
  const clockTime = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone: options.timeZone });
  return results
    .map((result) => summarizeResult(hide(result, options.hidden), clockTime.format(new Date(result.frame.timestamp))))
    .join("\n");
}

function summarizeResult({ frame, outputs }: FrameResult, time: string): string {
  const said = [...seenThings(outputs), ...lineCounts(outputs), ...otherValues(outputs)];
  return `frame ${frame.frame_number} at ${time}: ${said.join("; ") || "no outputs"}`;
}

function hide({ outputs, ...result }: FrameResult, hidden: ReadonlySet<string> = new Set()): FrameResult {
  const shown = Object.entries(outputs).map(([name, output]): [string, OutputValue] =>
    hidden.has(name) && output.kind === "value"
      ? [name, { kind: "value", value: "(a picture as text, not shown)" }]
      : [name, output],
  );
  return { ...result, outputs: Object.fromEntries(shown) };
}

type Outputs = FrameResult["outputs"];

/** The same boxes often come out of several steps: the longest list speaks for all. */
function seenThings(outputs: Outputs): readonly string[] {
  const lists = detectionsIn({ outputs }).map(({ class_name }) => class_name);
  const [longest] = lists.toSorted((one, other) => other.length - one.length);
  return longest === undefined ? [] : [countClasses(longest) || "nothing"];
}

/** All sets of boxes in a result. */
export function detectionsIn({ outputs }: Pick<FrameResult, "outputs">): readonly Detections[] {
  return Object.values(outputs).flatMap((output) => (output.kind === "detections" ? [output.detections] : []));
}

/** `["car", "person", "person"]` → `2 person, 1 car`. */
function countClasses(names: readonly string[]): string {
  const counts = countNames(names);
  const shown = counts.slice(0, MOST_CLASSES).map(({ class_name, count }) => `${count} ${class_name}`);
  const hidden = counts.length - shown.length;
  return hidden > 0 ? `${shown.join(", ")}, ${hidden} more kinds` : shown.join(", ");
}

/** Most frequent first, then by name. */
export function countNames(names: readonly string[]): readonly ClassCount[] {
  return [...Map.groupBy(names, (name) => name)]
    .map(([class_name, { length: count }]) => ({ class_name, count }))
    .sort((a, b) => b.count - a.count || a.class_name.localeCompare(b.class_name));
}

function lineCounts(outputs: Outputs): readonly string[] {
  const [into, out] = [plainValue(outputs.count_in), plainValue(outputs.count_out)];
  if (into === undefined && out === undefined) return [];
  return [`line: ${text(into ?? "?")} in, ${text(out ?? "?")} out`];
}

function otherValues(outputs: Outputs): readonly string[] {
  return Object.entries(outputs)
    .filter(([name]) => name !== "count_in" && name !== "count_out")
    .flatMap(([name, output]) => (output.kind === "value" ? [`${name}: ${text(output.value)}`] : []))
    .slice(0, 6);
}

function plainValue(output: OutputValue | undefined): Json | undefined {
  return output?.kind === "value" ? output.value : undefined;
}

function text(value: Json): string {
  const whole = typeof value === "string" ? value : JSON.stringify(value);
  return whole.length > LONGEST_VALUE ? `${whole.slice(0, LONGEST_VALUE)}…` : whole;
}
