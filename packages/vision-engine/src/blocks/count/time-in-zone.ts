// tracked boxes → tracked boxes that know how long they have been in the zone
import { selectRows, withColumns } from "../../frames/detections.ts";
import { type VideoMetadata, videoSeconds } from "../../frames/video-metadata.ts";
import type { Polygon } from "../../geometry/points.ts";
import { createPolygonZone, type PolygonZone } from "../../geometry/polygon-zone.ts";
import type { Block, BlockContext, BlockInputs, BlockOutputs } from "../block.ts";
import { imageOf, videoOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { type TrackedDetections, trackedDetectionsOf } from "../track/track-ids.ts";
import { anchorOf, toPolygon, toPolygons, zoneError, zonesOf } from "./zone-points.ts";

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
  return {
    manifest: manifestOf(`roboflow_core/time_in_zone@${version}`),
    description: "Measures how long each tracked object stays in a zone. Needs detections from a tracker.",
    phrase: (step) => `measures the time in zone '${step.name}'`,
    shapes: zonesOf,
    create: (context) => {
      const zonesOfFrame = createZones();
      const entries = new Map<string, Map<number, number>>();
      return {
        run(inputs): BlockOutputs {
          const detections = trackedDetectionsOf(inputs, "detections");
          const video = videoOfFrame(inputs, context);
          const inside = insideAny(zonesOfFrame(inputs, video.videoIdentifier), detections);
          const entered = entries.get(video.videoIdentifier) ?? new Map<number, number>();
          entries.set(video.videoIdentifier, entered);
          return { timed_detections: timeRows(detections, inside, { entered, now: videoSeconds(video), inputs }) };
        },
      };
    },
  };
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
