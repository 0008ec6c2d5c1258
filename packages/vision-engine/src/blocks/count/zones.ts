// tracked boxes → who crossed a line, who is in a zone and for how long
import { inputError } from "../../errors.ts";
import { selectRows, withColumns } from "../../frames/detections.ts";
import { videoSeconds } from "../../frames/frame.ts";
import { type BoxAnchor, CORNERS, isAnchor } from "../../geometry/boxes.ts";
import type { Point, Polygon } from "../../geometry/polygons.ts";
import { createLineZone, createPolygonZone, type LineZone, type PolygonZone } from "../../geometry/zones.ts";
import {
  type Block,
  type BlockInputs,
  type BlockValue,
  block,
  frameVideoOf,
  type Shape,
  type StepText,
  type TrackedDetections,
  trackedDetectionsOf,
} from "../block.ts";

/** Two different points of two numbers each. */
export function toLineSegment(value: BlockValue | undefined): readonly [Point, Point] | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [start, end] = (value as BlockValue[]).map(toPoint);
  if (start === undefined || end === undefined) return undefined;
  return start[0] === end[0] && start[1] === end[1] ? undefined : [start, end];
}

/** At least three points of two numbers each. */
export function toPolygon(value: BlockValue | undefined): Polygon | undefined {
  const points = toPoints(value);
  return points === undefined || points.length < 3 ? undefined : points;
}

/** One polygon, or a list of them. Throws when the value is neither. */
export function toPolygons(value: BlockValue | undefined): readonly Polygon[] {
  const zones = nestingDepth(value ?? null) === 2 ? [value as BlockValue] : (value as readonly BlockValue[]);
  if (!Array.isArray(zones) || (zones.length > 0 && toPolygon(zones[0]) === undefined)) refuseZone();
  return zones.map((zone: BlockValue) => toPoints(zone) ?? refuseZone());
}

/** How deep lists lie in lists. Throws when they lie deeper than `most`, or not equally deep everywhere. */
export function nestingDepth(value: BlockValue, most = 3): number {
  if (!Array.isArray(value)) return 0;
  if (most < 1)
    throw inputError("The zone has lists too deep in lists: write a list of points, or a list of such lists.");
  const depths = new Set(value.map((item: BlockValue) => nestingDepth(item, most - 1)));
  if (depths.size > 1) throw inputError("The lists in the zone are not equally deep: write each point as [x, y].");
  return 1 + ([...depths][0] ?? 0);
}

function refuseZone(): never {
  throw inputError(`"zone" must be a list of at least 3 points, each [x, y] in pixels.`);
}

export function toPoints(value: BlockValue | undefined): readonly Point[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const points = value.map(toPoint);
  return points.every((point) => point !== undefined) ? points : undefined;
}

function toPoint(value: BlockValue): Point | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [x, y] = value;
  return typeof x === "number" && typeof y === "number" ? [x, y] : undefined;
}

/** The anchor that a step names; the four corners when it names none. */
function anchorsOf(inputs: BlockInputs, property: string): readonly BoxAnchor[] {
  return (inputs[property] ?? null) === null ? CORNERS : [anchorOf(inputs, property)];
}

export function anchorOf(inputs: BlockInputs, property: string): BoxAnchor {
  const value = inputs[property];
  if (typeof value === "string" && isAnchor(value)) return value;
  throw inputError(`"${property}" knows no ${JSON.stringify(value)}: write CENTER, BOTTOM_CENTER, TOP_LEFT, …`);
}

/** Zones written into a step; none when they come from another step or are wrong. */
function zonesOf({ name, properties }: StepText): readonly Shape[] {
  const { zone } = properties;
  const one = toPolygon(zone);
  const polygons = one === undefined && Array.isArray(zone) ? zone.map(toPolygon) : [one];
  return polygons.flatMap((points) =>
    points === undefined ? [] : [{ kind: "zone", step: name, points: points.map(([x, y]) => [x, y]) }],
  );
}

export const lineCounterV1 = lineCounter("v1");
export const lineCounterV2 = lineCounter("v2");

/** The first version gives counts only. */
function lineCounter(version: "v1" | "v2"): Block {
  return block({
    type: `roboflow_core/line_counter@${version}`,
    description: "Counts tracked objects that cross a line, in each direction. Needs detections from a tracker.",
    phrase: (step) => `counts crossings of line '${step.name}'`,
    shapes: lineOf,
    start: () => {
      const lines = new Map<string, LineZone>();
      return (inputs) => {
        const { videoIdentifier } = frameVideoOf(inputs);
        const detections = trackedDetectionsOf(inputs, "detections");
        const line = lines.get(videoIdentifier) ?? createLine(inputs);
        lines.set(videoIdentifier, line);
        const { crossedIn, crossedOut } = line.trigger(detections);
        const counts = { count_in: line.countIn, count_out: line.countOut };
        if (version === "v1") return counts;
        return {
          ...counts,
          detections_in: selectRows(detections, crossedIn),
          detections_out: selectRows(detections, crossedOut),
        };
      };
    },
  });
}

function createLine(inputs: BlockInputs): LineZone {
  const points = toLineSegment(inputs.line_segment);
  if (points === undefined) throw inputError(`"line_segment" must be two different points: [[x, y], [x, y]].`);
  const [start, end] = points;
  return createLineZone({ start, end, anchors: anchorsOf(inputs, "triggering_anchor") });
}

function lineOf({ name, properties }: StepText): readonly Shape[] {
  const points = toLineSegment(properties.line_segment);
  return points === undefined ? [] : [{ kind: "line", step: name, points: points.map(([x, y]) => [x, y]) }];
}

/** Sets of zones that one step keeps ready. */
const MOST_ZONE_SETS = 100;

export const timeInZoneV1 = timeInZone("v1");
export const timeInZoneV2 = timeInZone("v2");
export const timeInZoneV3 = timeInZone("v3");

/**
 * The zone of a video's first frame holds for all of it; from the third version on zones may come from another step and
 * change from frame to frame.
 */
function timeInZone(version: "v1" | "v2" | "v3"): Block {
  return block({
    type: `roboflow_core/time_in_zone@${version}`,
    description: "Measures how long each tracked object stays in a zone. Needs detections from a tracker.",
    phrase: (step) => `measures the time in zone '${step.name}'`,
    shapes: zonesOf,
    start: ({ now }) => {
      const zones = new Map<string, readonly PolygonZone[]>();
      const entries = new Map<string, Map<number, number>>();
      return (inputs) => {
        const detections = trackedDetectionsOf(inputs, "detections");
        const video = frameVideoOf(inputs, now());
        const { videoIdentifier } = video;
        const key =
          version === "v3" ? `${videoIdentifier} ${JSON.stringify(toPolygons(inputs.zone))}` : videoIdentifier;
        const current =
          zones.get(key) ?? createZones(version === "v3" ? toPolygons(inputs.zone) : [onlyZone(inputs)], inputs);
        zones.set(key, current);
        if (version === "v3" && zones.size > MOST_ZONE_SETS) zones.delete(zones.keys().next().value!);
        const each = current.map((isInside) => isInside(detections));
        const inside = Array.from({ length: detections.length }, (_, row) => each.some((flags) => flags[row]!));
        const entered = entries.get(videoIdentifier) ?? new Map<number, number>();
        entries.set(videoIdentifier, entered);
        return { timed_detections: timeRows(detections, inside, entered, videoSeconds(video), inputs) };
      };
    },
  });
}

function onlyZone({ zone }: BlockInputs): Polygon {
  return toPolygon(zone) ?? refuseZone();
}

function createZones(polygons: readonly Polygon[], inputs: BlockInputs): readonly PolygonZone[] {
  const anchors = [anchorOf(inputs, "triggering_anchor")];
  return polygons.map((polygon) => createPolygonZone({ polygon, anchors }));
}

/** `entered` tells when each track came in, in seconds. */
function timeRows(
  detections: TrackedDetections,
  inside: readonly boolean[],
  entered: Map<number, number>,
  now: number,
  inputs: BlockInputs,
) {
  const removesOutside = inputs.remove_out_of_zone_detections === true;
  const forgetsOutside = inputs.reset_out_of_zone_detections === true || !removesOutside;
  const rows: number[] = [];
  const times: number[] = [];
  for (const [row, id] of detections.trackerId.entries()) {
    if (!inside[row]) {
      if (forgetsOutside) entered.delete(id);
      if (removesOutside) continue;
    } else if (!entered.has(id)) {
      entered.set(id, now);
    }
    rows.push(row);
    times.push(inside[row] ? now - entered.get(id)! : 0);
  }
  return withColumns(selectRows(detections, rows), { time_in_zone: times });
}
