// tracked boxes → who crossed a line, who is in a zone and for how long
import { inputError } from "../../errors.ts";
import { selectRows, withColumns } from "../../frames/detections.ts";
import { type VideoMetadata, videoSeconds } from "../../frames/frame.ts";
import { type BoxAnchor, CORNERS, isAnchor } from "../../geometry/boxes.ts";
import type { Point, Polygon } from "../../geometry/polygons.ts";
import { createLineZone, createPolygonZone, type LineZone, type PolygonZone } from "../../geometry/zones.ts";
import {
  type Block,
  type BlockContext,
  type BlockInputs,
  type BlockOutputs,
  type BlockValue,
  block,
  imageOf,
  manifestOf,
  type Shape,
  type StepText,
  videoOf,
} from "../block.ts";
import { type TrackedDetections, trackedDetectionsOf } from "../track/track-ids.ts";

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

export const lineCounterV1 = lineCounter("v1", (inputs) => videoOf(inputs, "metadata").videoIdentifier);
export const lineCounterV2 = lineCounter("v2", (inputs) => imageOf(inputs, "image").videoOrDefault(0).videoIdentifier);

function lineCounter(version: string, videoIdOf: (inputs: BlockInputs) => string): Block {
  const manifest = manifestOf(`roboflow_core/line_counter@${version}`);
  const givesDetections = manifest.outputs.some(({ name }) => name === "detections_in");
  return {
    manifest,
    description: "Counts tracked objects that cross a line, in each direction. Needs detections from a tracker.",
    phrase: (step) => `counts crossings of line '${step.name}'`,
    shapes: lineOf,
    create: () => {
      const lines = new Map<string, LineZone>();
      return {
        run(inputs): BlockOutputs {
          const videoId = videoIdOf(inputs);
          const detections = trackedDetectionsOf(inputs, "detections");
          const line = lines.get(videoId) ?? createLine(inputs);
          lines.set(videoId, line);
          const { crossedIn, crossedOut } = line.trigger(detections);
          const counts = { count_in: line.countIn, count_out: line.countOut };
          if (!givesDetections) return counts;
          return {
            ...counts,
            detections_in: selectRows(detections, crossedIn),
            detections_out: selectRows(detections, crossedOut),
          };
        },
      };
    },
  };
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

type VideoOfFrame = (inputs: BlockInputs, context: BlockContext) => VideoMetadata;

/** The zones of a frame, under a name that stays while they do. */
type ZonesOfFrame = (inputs: BlockInputs, videoId: string) => readonly PolygonZone[];

/** Sets of zones that one step keeps ready. */
const MOST_ZONE_SETS = 100;

export const timeInZoneV1 = timeInZone("v1", (inputs) => videoOf(inputs, "metadata"), firstZone);
export const timeInZoneV2 = timeInZone("v2", imageVideo, firstZone);
export const timeInZoneV3 = timeInZone("v3", imageVideo, changingZones);

function imageVideo(inputs: BlockInputs, { now }: BlockContext): VideoMetadata {
  return imageOf(inputs, "image").videoOrDefault(now());
}

function timeInZone(version: string, videoOfFrame: VideoOfFrame, createZones: () => ZonesOfFrame): Block {
  return block({
    type: `roboflow_core/time_in_zone@${version}`,
    description: "Measures how long each tracked object stays in a zone. Needs detections from a tracker.",
    phrase: (step) => `measures the time in zone '${step.name}'`,
    shapes: zonesOf,
    start: (context) => {
      const zonesOfFrame = createZones();
      const entries = new Map<string, Map<number, number>>();
      return (inputs) => {
        const detections = trackedDetectionsOf(inputs, "detections");
        const video = videoOfFrame(inputs, context);
        const inside = insideAny(zonesOfFrame(inputs, video.videoIdentifier), detections);
        const entered = entries.get(video.videoIdentifier) ?? new Map<number, number>();
        entries.set(video.videoIdentifier, entered);
        return { timed_detections: timeRows(detections, inside, { entered, now: videoSeconds(video), inputs }) };
      };
    },
  });
}

/** The zone of a video's first frame holds for all of it. */
function firstZone(): ZonesOfFrame {
  const zones = new Map<string, readonly PolygonZone[]>();
  return (inputs, videoId) => {
    const known = zones.get(videoId);
    if (known !== undefined) return known;
    const polygon = toPolygon(inputs.zone);
    if (polygon === undefined) throw zoneError();
    const created = createZones([polygon], inputs);
    zones.set(videoId, created);
    return created;
  };
}

/** Zones may come from another step and change from frame to frame. */
function changingZones(): ZonesOfFrame {
  const zones = new Map<string, readonly PolygonZone[]>();
  return (inputs, videoId) => {
    const polygons = toPolygons(inputs.zone);
    const key = `${videoId} ${JSON.stringify(polygons)}`;
    const known = zones.get(key);
    if (known !== undefined) return known;
    const created = createZones(polygons, inputs);
    zones.set(key, created);
    const [oldest] = zones.keys();
    if (zones.size > MOST_ZONE_SETS) zones.delete(oldest!);
    return created;
  };
}

function createZones(polygons: readonly Polygon[], inputs: BlockInputs): readonly PolygonZone[] {
  const anchors = [anchorOf(inputs, "triggering_anchor")];
  return polygons.map((polygon) => createPolygonZone({ polygon, anchors }));
}

function insideAny(zones: readonly PolygonZone[], detections: TrackedDetections): readonly boolean[] {
  const each = zones.map((zone) => zone.trigger(detections));
  return Array.from({ length: detections.length }, (_, row) => each.some((inside) => inside[row]!));
}

interface ZoneClock {
  /** When each track entered, in seconds. */
  readonly entered: Map<number, number>;
  readonly now: number;
  readonly inputs: BlockInputs;
}

function timeRows(detections: TrackedDetections, inside: readonly boolean[], { entered, now, inputs }: ZoneClock) {
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
