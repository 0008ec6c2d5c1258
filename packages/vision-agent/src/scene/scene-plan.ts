import type { WorkflowSpec, WorkflowStep } from "@vision-agent/protocol";

type Point = readonly [x: number, y: number];

/** A line of a workflow, with the names of the outputs that count its crossings. */
export interface CountedLine {
  readonly step: string;
  readonly start: Point;
  readonly end: Point;
  readonly countIn?: string;
  readonly countOut?: string;
}

/** Which outputs of a workflow tell of crossings, however they are called. */
export function readCountedLines(spec: WorkflowSpec): readonly CountedLine[] {
  const outputOf = (step: string, property: string): string | undefined =>
    spec.outputs.find(({ selector }) => selector === `$steps.${step}.${property}`)?.name;
  return spec.steps.filter(isLineCounter).flatMap((step) => {
    const points = pointsOf(step.line_segment);
    if (points === undefined) return [];
    const [start, end] = points;
    const { name } = step;
    return [{ step: name, start, end, countIn: outputOf(name, "count_in"), countOut: outputOf(name, "count_out") }];
  });
}

function isLineCounter({ type }: WorkflowStep): boolean {
  return /(^|\/)line_counter@/.test(type);
}

function pointsOf(value: unknown): readonly [Point, Point] | undefined {
  const [start, end] = Array.isArray(value) ? value : [];
  return isPoint(start) && isPoint(end) ? [start, end] : undefined;
}

function isPoint(value: unknown): value is Point {
  return Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === "number");
}

/** Left of the line as seen from its start towards its end: the side that counts as `in`. */
export function isLeftOf({ start, end }: CountedLine, [x, y]: Point): boolean {
  return (end[0] - start[0]) * (y - start[1]) - (end[1] - start[1]) * (x - start[0]) < 0;
}

/** Pixels from a point to the nearest point of the line. */
export function distanceTo({ start, end }: CountedLine, [x, y]: Point): number {
  const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
  const along = ((x - start[0]) * dx + (y - start[1]) * dy) / (dx * dx + dy * dy || 1);
  const share = Math.min(1, Math.max(0, along));
  return Math.hypot(x - (start[0] + share * dx), y - (start[1] + share * dy));
}
