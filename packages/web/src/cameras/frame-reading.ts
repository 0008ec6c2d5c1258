// frame result → boxes, counts and words
import type { Detections, FrameResult } from "@vision-agent/protocol";

export type Xyxy = readonly [left: number, top: number, right: number, bottom: number];

/** One box in pixels of the frame. */
export interface DetectedBox {
  readonly xyxy: Xyxy;
  readonly class_name: string;
  readonly confidence: number;
  readonly tracker_id: number | null;
}

export interface LineCount {
  readonly in: number;
  readonly out: number;
}

/** Boxes of the first output that is tracked, else of the first output with detections. */
export function boxesOf(result: FrameResult): readonly DetectedBox[] {
  const found = Object.values(result.outputs).flatMap((output) =>
    output.kind === "detections" ? [output.detections] : [],
  );
  const chosen = found.find((detections) => detections.tracker_id !== null) ?? found[0];
  return chosen === undefined ? [] : toBoxes(chosen);
}

/** The outputs `count_in` and `count_out`; undefined when the workflow counts nothing. */
export function lineCountOf(result: FrameResult): LineCount | undefined {
  const countIn = numberOutput(result, "count_in");
  const countOut = numberOutput(result, "count_out");
  if (countIn === undefined && countOut === undefined) return undefined;
  return { in: countIn ?? 0, out: countOut ?? 0 };
}

/** "2 cars, 1 person"; "nothing detected". */
export function describeBoxes(boxes: readonly DetectedBox[]): string {
  const counts = new Map<string, number>();
  for (const { class_name } of boxes) counts.set(class_name, (counts.get(class_name) ?? 0) + 1);
  if (counts.size === 0) return "nothing detected";
  return [...counts]
    .sort(([one, ones], [other, others]) => others - ones || one.localeCompare(other))
    .map(([name, count]) => `${count} ${toPlural(name, count)}`)
    .join(", ");
}

/** The smallest box around a point: what a person means who points into a crowd. */
export function boxAt(boxes: readonly DetectedBox[], x: number, y: number): DetectedBox | undefined {
  return boxes
    .filter(({ xyxy: [left, top, right, bottom] }) => x >= left && x <= right && y >= top && y <= bottom)
    .sort((one, other) => areaOf(one) - areaOf(other))[0];
}

/** "person #12", "car" when nobody tracks it. */
export function nameOf(box: DetectedBox): string {
  return box.tracker_id === null ? box.class_name : `${box.class_name} #${box.tracker_id}`;
}

function toBoxes({ xyxy, class_name, confidence, tracker_id }: Detections): readonly DetectedBox[] {
  return class_name.map((name, row) => ({
    xyxy: [xyxy[row * 4] ?? 0, xyxy[row * 4 + 1] ?? 0, xyxy[row * 4 + 2] ?? 0, xyxy[row * 4 + 3] ?? 0],
    class_name: name,
    confidence: confidence[row] ?? 0,
    tracker_id: tracker_id?.[row] ?? null,
  }));
}

function numberOutput(result: FrameResult, name: string): number | undefined {
  const output = result.outputs[name];
  return output?.kind === "value" && typeof output.value === "number" ? output.value : undefined;
}

const PLURALS: ReadonlyMap<string, string> = new Map([
  ["person", "people"],
  ["bus", "buses"],
]);

function toPlural(name: string, count: number): string {
  return count === 1 ? name : (PLURALS.get(name) ?? `${name}s`);
}

function areaOf({ xyxy: [left, top, right, bottom] }: DetectedBox): number {
  return (right - left) * (bottom - top);
}

const WINDOW_MS = 3000;

/** Frames per second over the last three seconds, from the times of arrival, oldest first. */
export function frameRate(arrivalsMs: readonly number[], nowMs: number): number {
  const recent = arrivalsMs.filter((atMs) => nowMs - atMs <= WINDOW_MS);
  const spanMs = (recent.at(-1) ?? 0) - (recent[0] ?? 0);
  return spanMs > 0 ? ((recent.length - 1) * 1000) / spanMs : 0;
}
