// points as a step writes them → lines and polygons, or an error that says what is wrong
import { inputError } from "../../errors.ts";
import { type BoxAnchor, CORNERS, isAnchor } from "../../geometry/boxes.ts";
import type { Point, Polygon } from "../../geometry/points.ts";
import type { BlockInputs, BlockValue, Shape, StepText } from "../block.ts";

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
  if (!Array.isArray(zones) || (zones.length > 0 && toPolygon(zones[0]) === undefined)) throw zoneError();
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

export function zoneError(): Error {
  return inputError(`"zone" must be a list of at least 3 points, each [x, y] in pixels.`);
}

function refuseZone(): never {
  throw zoneError();
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
export function anchorsOf(inputs: BlockInputs, property: string): readonly BoxAnchor[] {
  return (inputs[property] ?? null) === null ? CORNERS : [anchorOf(inputs, property)];
}

export function anchorOf(inputs: BlockInputs, property: string): BoxAnchor {
  const value = inputs[property];
  if (typeof value === "string" && isAnchor(value)) return value;
  throw inputError(`"${property}" knows no ${JSON.stringify(value)}: write CENTER, BOTTOM_CENTER, TOP_LEFT, …`);
}

/** Zones written into a step; none when they come from another step or are wrong. */
export function zonesOf({ name, properties }: StepText): readonly Shape[] {
  const { zone } = properties;
  const one = toPolygon(zone);
  const polygons = one === undefined && Array.isArray(zone) ? zone.map(toPolygon) : [one];
  return polygons.flatMap((points) =>
    points === undefined ? [] : [{ kind: "zone", step: name, points: points.map(([x, y]) => [x, y]) }],
  );
}
