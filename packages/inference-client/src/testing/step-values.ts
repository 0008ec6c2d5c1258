// values between the steps of a run → the serialised forms of the answer
import type { Json } from "@vision-agent/protocol";
import { isObject, type JsonObject } from "./check-body.ts";
import { outlineOf, type Thing } from "./find-things.ts";
import { greyJpeg, type PictureSize } from "./picture-bytes.ts";
import { isBefore18 } from "./settings.ts";
import type { SpecOutput } from "./spec-parts.ts";
import { keypointsJson, toBase64 } from "./to-inference-answer.ts";
import type { World } from "./world.ts";

/** Where a picture comes from in a video. */
export interface VideoPlace {
  readonly source: string;
  readonly frame: number;
  readonly timestamp: string;
  readonly fps: number;
  readonly measuredFps?: number;
  readonly isFile?: boolean;
  readonly totalFrames?: number;
}

/** A picture in a run; crops know the picture they were cut from. */
export class Picture implements PictureSize {
  readonly width: number;
  readonly height: number;
  readonly id: string;
  readonly video: VideoPlace;
  readonly cutFrom: { readonly root: Picture; readonly left: number; readonly top: number } | undefined;

  constructor(parts: { size: PictureSize; id: string; video: VideoPlace; cutFrom?: Picture["cutFrom"] }) {
    this.width = parts.size.width;
    this.height = parts.size.height;
    this.id = parts.id;
    this.video = parts.video;
    this.cutFrom = parts.cutFrom;
  }
}

export type Mask = "none" | "polygon" | "keypoints";

export interface FoundThing extends Thing {
  readonly trackerId?: number;
  readonly timeInZone?: number;
}

/** Detections of one picture. */
export class Found {
  readonly picture: Picture;
  readonly things: readonly FoundThing[];
  readonly mask: Mask;

  constructor(picture: Picture, things: readonly FoundThing[], mask: Mask) {
    this.picture = picture;
    this.things = things;
    this.mask = mask;
  }

  with(things: readonly FoundThing[]): Found {
    return new Found(this.picture, things, this.mask);
  }
}

/** One batch level deeper, for example the crops of a picture. */
export class Deeper {
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

export type Value = Json | Picture | Found | Deeper;

type Writing = World & Pick<SpecOutput, "inOwnPixels">;

export function serialise(value: Value, writing: Writing): Json {
  if (value instanceof Deeper) return value.items.map((item) => serialise(item, writing));
  if (value instanceof Picture) return serialisePicture(value, writing);
  if (value instanceof Found) return serialiseFound(value, writing);
  if (Array.isArray(value)) return value.map((item) => serialise(item, writing));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, serialise(item, writing)]));
  return value;
}

function serialisePicture(picture: Picture, world: World): Json {
  const { video } = picture;
  const metadata = {
    video_identifier: picture.cutFrom === undefined ? video.source : picture.id,
    frame_number: video.frame,
    frame_timestamp: video.timestamp,
    fps: video.fps,
    measured_fps: video.measuredFps ?? null,
    comes_from_video_file: video.isFile ?? null,
    ...(isBefore18(world.settings) ? {} : { total_frames: video.totalFrames ?? null }),
  };
  const value = toBase64(greyJpeg(picture, world.settings.pictureBytes));
  return { type: "base64", value, video_metadata: metadata, ...originOf(picture) };
}

function originOf(picture: Picture): JsonObject {
  if (picture.cutFrom === undefined) return {};
  const { root, left, top } = picture.cutFrom;
  const origin = { offset_x: left, offset_y: top, width: root.width, height: root.height };
  return { parent_id: picture.id, parent_origin: origin, root_parent_id: root.id, root_parent_origin: { ...origin } };
}

function serialiseFound(found: Found, { settings, inOwnPixels }: Writing): Json {
  const { picture, things } = found;
  const seen = inOwnPixels ? picture : (picture.cutFrom?.root ?? picture);
  const isNull = things.length === 0 && isBefore18(settings);
  const image = isNull ? { width: null, height: null } : { width: seen.width, height: seen.height };
  return { image, predictions: things.map((thing) => serialiseThing(thing, found, seen)) };
}

/** `seen`: the picture in whose pixels it is told. */
function serialiseThing(thing: FoundThing, found: Found, seen: Picture): Json {
  const { left, top } = (seen !== found.picture && found.picture.cutFrom) || { left: 0, top: 0 };
  return {
    width: thing.width,
    height: thing.height,
    x: thing.x + left,
    y: thing.y + top,
    confidence: thing.confidence,
    class_id: thing.classId,
    ...(found.mask === "polygon" ? { points: outlineOf(thing) } : {}),
    ...(thing.trackerId === undefined ? {} : { tracker_id: thing.trackerId }),
    class: thing.className,
    detection_id: thing.detectionId,
    ...(thing.timeInZone === undefined ? {} : { time_in_zone: thing.timeInZone }),
    parent_id: seen.id,
    ...(found.mask === "keypoints" ? { keypoints: keypointsJson(thing) } : {}),
    ...originOf(seen),
  };
}
