// a model and the size of a picture → what the model "sees" in it
import { randomUUID } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import type { Json } from "@vision-agent/protocol";
import type { PictureSize } from "./picture-bytes.ts";

export type FakeTask =
  | "object-detection"
  | "instance-segmentation"
  | "semantic-segmentation"
  | "keypoint-detection"
  | "classification"
  | "multi-label-classification";

/** A box in fractions of the picture: middle, size, score. */
export interface FakeBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
  /** Index into the model's classes. */
  readonly classId: number;
}

/** A model the server has. It sees nothing: it finds the same things in every picture, moved a little with the frame number. */
export interface FakeModel {
  readonly task: FakeTask;
  readonly classes: readonly string[];
  /** Size the registry reports. Default 416 × 416. */
  readonly inputSize?: { readonly width: number; readonly height: number };
  /** What it finds in a picture. Default: one box of the first class (0.9) and one of the second (0.6). */
  readonly find?: (picture: {
    readonly width: number;
    readonly height: number;
    readonly frame: number;
  }) => readonly FakeBox[];
}

/** A thing in pixels of the picture: middle and size. */
export interface Thing {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
  readonly classId: number;
  readonly className: string;
  readonly detectionId: string;
}

export interface Limits {
  readonly confidence?: number;
  readonly classFilter?: readonly string[];
  readonly maxDetections?: number;
}

const KEYPOINTS = ["left_eye", "nose", "right_eye"];

export function findThings(model: FakeModel, size: PictureSize, frame: number, limits: Limits = {}): readonly Thing[] {
  const find = model.find ?? ((picture) => usualBoxes(model, picture.frame));
  return find({ ...size, frame })
    .map((box) => toThing(box, model, size))
    .filter((thing) => thing.confidence >= (limits.confidence ?? 0.4))
    .filter((thing) => limits.classFilter === undefined || limits.classFilter.includes(thing.className))
    .slice(0, limits.maxDetections ?? 300);
}

/** A score for every class of a classifier: the first ones win, by what `find` says if it is given. */
export function scoreClasses(model: FakeModel, size: PictureSize): readonly number[] {
  const found = model.find?.({ ...size, frame: 0 }) ?? [{ classId: 0, confidence: 0.8176 }];
  return model.classes.map((_, id) => found.find((box) => box.classId === id)?.confidence ?? 0.1824);
}

export function outlineOf(thing: Thing): { x: number; y: number }[] {
  const [left, top] = [thing.x - thing.width / 2, thing.y - thing.height / 2];
  const [right, bottom] = [left + thing.width - 1, top + thing.height - 1];
  return [
    { x: left, y: top },
    { x: left, y: bottom },
    { x: right, y: bottom },
    { x: right, y: top },
  ];
}

export function keypointsOf(
  thing: Thing,
): { x: number; y: number; confidence: number; classId: number; className: string }[] {
  return KEYPOINTS.map((className, classId) => ({
    className,
    classId,
    x: thing.x + ((classId - 1) * thing.width) / 4,
    y: thing.y - thing.height / 4,
    confidence: [0.8, 0.9, 0.1][classId]!,
  }));
}

/** COCO run lengths of the box, compressed as pycocotools does. */
export function runLengthsOf(thing: Thing, size: PictureSize): Json {
  const [left, top] = [Math.round(thing.x - thing.width / 2), Math.round(thing.y - thing.height / 2)];
  const [columns, rows] = [Math.round(thing.width), Math.round(thing.height)];
  const runs = [left * size.height + top];
  for (let column = 0; column < columns; column++) runs.push(rows, size.height - rows);
  runs[runs.length - 1] = size.width * size.height - runs.slice(0, -1).reduce((sum, run) => sum + run, 0);
  return { size: [size.height, size.width], counts: compressRuns(runs) };
}

/** A grey PNG whose every pixel has one value. */
export function evenPng(size: PictureSize, value: number): Uint8Array {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(size.width, value)]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size.width, 0);
  header.writeUInt32BE(size.height, 4);
  header[8] = 8;
  const pixels = deflateSync(Buffer.concat(new Array<Buffer>(size.height).fill(row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

function usualBoxes(model: FakeModel, frame: number): readonly FakeBox[] {
  const moved = 0.004 * (frame % 50);
  const second = Math.min(1, model.classes.length - 1);
  return [
    { x: 0.25 + moved, y: 0.5, width: 0.25, height: 0.5, confidence: 0.9, classId: 0 },
    { x: 0.75, y: 0.5, width: 0.25, height: 0.25, confidence: 0.6, classId: second },
  ];
}

function toThing(box: FakeBox, model: FakeModel, size: PictureSize): Thing {
  const className = model.classes[box.classId] ?? `class_${box.classId}`;
  const [x, y] = [box.x * size.width, box.y * size.height];
  const [width, height] = [
    Math.max(1, Math.round(box.width * size.width)),
    Math.max(1, Math.round(box.height * size.height)),
  ];
  return {
    x,
    y,
    width,
    height,
    confidence: box.confidence,
    classId: box.classId,
    className,
    detectionId: randomUUID(),
  };
}

function compressRuns(runs: readonly number[]): string {
  let out = "";
  for (const [index, run] of runs.entries()) {
    let left = index > 2 ? run - runs[index - 2]! : run;
    for (let more = true; more; ) {
      let bits = left & 0x1f;
      left >>= 5;
      more = (bits & 0x10) !== 0 ? left !== -1 : left !== 0;
      if (more) bits |= 0x20;
      out += String.fromCharCode(bits + 48);
    }
  }
  return out;
}

function chunk(name: string, data: Buffer): Buffer {
  const out = Buffer.alloc(data.length + 12);
  out.writeUInt32BE(data.length, 0);
  out.write(name, 4, "latin1");
  data.copy(out, 8);
  out.writeUInt32BE(crc32(out.subarray(4, data.length + 8)), data.length + 8);
  return out;
}
