import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { FrameMetadata, Json } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import type { Detections } from "../frames/detections.ts";
import { ImageValue } from "../frames/image-value.ts";
import { modelRegistryOf } from "../testing.ts";
import type { Block, BlockInputs, BlockOutputs, BlockValue } from "./block.ts";
import { isDetections } from "./block-inputs.ts";
import { BLOCKS } from "./block-list.ts";

const SHARED = process.env.VISION_AGENT_SHARED ?? "../shared";
const TOPICS = [
  "line-counter-generated",
  "line-counter",
  "byte-tracker-blocks-generated",
  "byte-tracker-blocks",
  "visualizations",
];
/** Draw from columns that detections do not have here. */
const BEYOND = /area_px|area_converted|time_in_zone/;
/** Mean difference of colours that is allowed; fonts differ, so a picture with text need only be alike. */
const LIKENESS = { drawing: 2, text: 25 };

describe.runIf(existsSync(SHARED))("recorded block vectors", () => {
  it.each(TOPICS)("runs %s", async (topic) => {
    const records: Entry[] = JSON.parse(readFileSync(join(SHARED, "vectors", `${topic}.json`), "utf8"));
    const ours = records.filter((entry) => blockOf(entry) !== undefined && !BEYOND.test(entry.source));
    for (const entry of ours) await replay(blockOf(entry)!, entry);
    process.stdout.write(
      `${topic}: ${ours.length} of ${records.length} records, the others need what is not here yet\n`,
    );
  });

  it("has the manifests of the catalogue", () => {
    const catalogue = join(SHARED, "reference/workflow-blocks.json");
    const generated = new URL("./manifests/block-manifests.generated.jsonl", import.meta.url);
    const script = ["scripts/generate-manifests.ts", catalogue];
    const anew = execFileSync(process.execPath, script, { encoding: "utf8", maxBuffer: 1e8 });
    expect(readFileSync(generated, "utf8") === anew).toBe(true);
  });
});

describe.skipIf(existsSync(SHARED))("without the recorded vectors", () => {
  it("is left out", () => process.stdout.write(`block vectors are not at ${SHARED}: left out\n`));
});

type Tagged = { readonly [key: string]: never };

interface Entry {
  source: string;
  target: string;
  input: { calls?: { [property: string]: Tagged }[] };
  expected: { results: (Tagged & { $error?: { message: string } })[] };
}

interface RecordedDetections {
  xyxy: number[][];
  confidence: number[] | null;
  class_id: number[] | null;
  tracker_id: number[] | null;
  data: { class_name?: { $ndarray: string[] } };
}

interface RecordedVideo {
  video_identifier: string;
  frame_number: number;
  frame_timestamp: string;
  fps: number | null;
}

interface RecordedImage {
  image: { shape: [number, number, number]; fill?: [number, number, number]; png_base64?: string };
  video_metadata?: RecordedVideo;
}

function blockOf({ target, input }: Entry): Block | undefined {
  return input.calls && BLOCKS.find(({ manifest }) => manifest.type === target);
}

async function replay(block: Block, { source, input, expected }: Entry): Promise<void> {
  const step = { name: "step", properties: {} };
  const instance = await block.create({ step, models: modelRegistryOf([]), newId: () => "id" });
  for (const [i, call] of input.calls!.entries()) {
    const wanted = expected.results[i]!;
    const inputs = withDefaults(block, call);
    if (wanted.$error) {
      expect(() => instance.run(inputs), source).toThrow();
    } else {
      await expectOutputs(await instance.run(inputs), wanted, source);
    }
  }
}

function withDefaults(block: Block, call: { [property: string]: Tagged }): BlockInputs {
  const inputs: Record<string, BlockValue> = {};
  for (const { name, default: value = null } of block.manifest.properties) inputs[name] = value;
  for (const [name, value] of Object.entries(call)) inputs[name] = decode(value);
  return inputs;
}

async function expectOutputs(outputs: BlockOutputs, wanted: Tagged, source: string): Promise<void> {
  for (const [name, value] of Object.entries(wanted) as [string, Tagged][]) {
    const given = outputs[name];
    if (isDetections(given)) {
      const { xyxy, tracker_id } = (value as unknown as { $detections: RecordedDetections }).$detections;
      expect([...given.trackerId!], source).toEqual(tracker_id ?? []);
      expect([...given.xyxy], source).toEqual(xyxy.flat().map(Math.fround));
    } else if (given instanceof ImageValue) {
      const { image } = (value as unknown as { $workflow_image: RecordedImage }).$workflow_image;
      const likeness = /label|counter/.test(source) ? LIKENESS.text : LIKENESS.drawing;
      expect(await differenceTo(given, image.png_base64!), source).toBeLessThan(likeness);
    } else {
      expect(given, source).toEqual(value);
    }
  }
}

function decode(value: Tagged): BlockValue {
  const tagged = value as unknown as {
    $detections?: RecordedDetections;
    $video_metadata?: RecordedVideo;
    $workflow_image?: RecordedImage;
  } | null;
  if (tagged?.$detections) return toDetections(tagged.$detections);
  if (tagged?.$video_metadata) return toMetadata(tagged.$video_metadata, 1, 1);
  if (tagged?.$workflow_image) return toImage(tagged.$workflow_image);
  return value as unknown as Json;
}

function toDetections({ xyxy, confidence, class_id, tracker_id, data }: RecordedDetections): Detections {
  return {
    imageWidth: 0,
    imageHeight: 0,
    length: xyxy.length,
    xyxy: Float32Array.from(xyxy.flat()),
    confidence: Float32Array.from(confidence ?? xyxy.map(() => 1)),
    classId: Int32Array.from(class_id ?? xyxy.map(() => 0)),
    className: data.class_name?.$ndarray ?? xyxy.map(() => ""),
    ...(tracker_id === null ? {} : { trackerId: Int32Array.from(tracker_id) }),
  };
}

function toMetadata(video: RecordedVideo | undefined, width: number, height: number): FrameMetadata {
  return {
    source_id: video?.video_identifier ?? "video",
    frame_number: video?.frame_number ?? 0,
    timestamp: new Date(video?.frame_timestamp ?? 0).toISOString(),
    width,
    height,
    fps: video?.fps ?? 0,
  };
}

function toImage({ image, video_metadata }: RecordedImage): ImageValue {
  const [height, width] = image.shape;
  const [blue = 0, green = 0, red = 0] = image.fill ?? [];
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let at = 0; at < rgba.length; at += 4) rgba.set([red, green, blue, 255], at);
  return new ImageValue({ metadata: toMetadata(video_metadata, width, height), rgba });
}

/** Mean absolute difference of the colours. */
async function differenceTo(image: ImageValue, png: string): Promise<number> {
  const context = createCanvas(image.width, image.height).getContext("2d");
  context.drawImage(await loadImage(Buffer.from(png, "base64")), 0, 0);
  const wanted = context.getImageData(0, 0, image.width, image.height).data;
  const given = image.rgba;
  expect(given.length).toBe(wanted.length);
  let sum = 0;
  for (let at = 0; at < given.length; at++) sum += Math.abs(given[at]! - wanted[at]!);
  return sum / (0.75 * given.length);
}
