// values of one run → kept for later runs

import sharp from "sharp";
import { inputError } from "../../errors.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import {
  type BlockContext,
  type BlockInputs,
  type BlockValue,
  block,
  imageOf,
  keptValue,
  numberOf,
  numberOr,
  textOf,
} from "../block.ts";
import { RecentVideos } from "../track/track-class-lock.ts";

export const buffer = block({
  type: "roboflow_core/buffer@v1",
  description: "Gives the values of the last runs as a list, the newest first.",
  phrase: ({ properties }) => `keeps the last ${properties.length} values`,
  start: () => {
    let kept: readonly BlockValue[] = [];
    return (inputs) => {
      const length = numberOf(inputs, "length");
      kept = [keptValue(inputs.data ?? null), ...kept].slice(0, length);
      const missing = inputs.pad === true ? Math.max(0, length - kept.length) : 0;
      kept = [...kept, ...new Array<null>(missing).fill(null)];
      return { output: kept };
    };
  },
});

export const cacheSet = block({
  type: "roboflow_core/cache_set@v1",
  description: "Keeps a value under a name for later runs of the same video.",
  sharesMemory: true,
  phrase: ({ properties }) => `keeps a value as '${properties.key}'`,
  start: (context) => (inputs) => {
    const kept = keptOf(context, inputs);
    const value = inputs.value ?? null;
    kept.set(textOf(inputs, "key"), keptValue(value));
    return { output: value };
  },
});

export const cacheGet = block({
  type: "roboflow_core/cache_get@v1",
  description: "Gives back the value that was kept under a name for this video; false when there is none.",
  sharesMemory: true,
  phrase: ({ properties }) => `reads what was kept as '${properties.key}'`,
  start: (context) => (inputs) => {
    const value = keptOf(context, inputs).get(textOf(inputs, "key"));
    return { output: value === undefined ? false : value };
  },
});

function keptOf({ memory, now }: BlockContext, inputs: BlockInputs): Map<string, BlockValue> {
  const { videoIdentifier } = imageOf(inputs, "image").videoOrDefault(now());
  const kept = memory.get(videoIdentifier) ?? new Map<string, BlockValue>();
  memory.set(videoIdentifier, kept);
  return kept;
}

/** Every value that can still be asked for is kept. */
const FURTHEST_OFFSET = -256;
const MAX_VIDEOS = 16;

interface History {
  values: Map<number, BlockValue>;
  newest: number;
  /** How far back somebody has asked. */
  reach: number;
}

export const frameDelay = block({
  type: "roboflow_core/frame_delay@v1",
  description: "Gives the value that a step had some frames ago in the same video.",
  phrase: ({ properties }) => `looks back ${properties.offset} frames`,
  start: ({ now }) => {
    const histories = new RecentVideos<History>(MAX_VIDEOS, () => ({ values: new Map(), newest: 0, reach: 0 }));
    return (inputs) => {
      const offset = offsetOf(Math.trunc(numberOf(inputs, "offset")));
      const { videoIdentifier, frameNumber } = imageOf(inputs, "image").videoOrDefault(now());
      const history = histories.of(videoIdentifier);
      // A number that went back is another video under the same name.
      if (frameNumber < history.newest) Object.assign(history, { values: new Map(), reach: 0 });
      history.newest = frameNumber;
      history.reach = Math.max(history.reach, -offset);
      history.values.set(frameNumber, keptValue(inputs.data ?? null));
      const wanted = frameNumber + offset;
      const available = history.values.has(wanted);
      const output = available ? history.values.get(wanted)! : (inputs.default_value ?? null);
      forgetUnreachable(history);
      return { output, is_available: available, reference_frame_number: frameNumber };
    };
  },
});

function offsetOf(offset: number): number {
  if (offset > 0) throw inputError(`"offset" must be 0 or below: later frames are not known yet (it is ${offset}).`);
  if (offset < FURTHEST_OFFSET) throw inputError(`"offset" must be at least ${FURTHEST_OFFSET} (it is ${offset}).`);
  return offset;
}

function forgetUnreachable({ values, newest, reach }: History): void {
  for (const frame of values.keys()) {
    if (frame >= newest - reach) return;
    values.delete(frame);
  }
}

const MAX_FRAMES = 64;
const MAX_SIZE = { width: 1920, height: 1080 };
const MIN_EDGE = 64;
const JPEG_QUALITY = 75;

export const imageStack = block({
  type: "roboflow_core/image_stack@v1",
  description: "Keeps the last pictures of a video as small JPEGs, the newest first.",
  phrase: ({ properties }) => `keeps the last ${properties.stack_size ?? 10} pictures`,
  start: ({ now }) => {
    const stacks = new Map<string, readonly Uint8Array[]>();
    return async (inputs) => {
      const image = imageOf(inputs, "image");
      const { videoIdentifier } = image.videoOrDefault(now());
      const size = within(numberOr(inputs, "stack_size", 10), 1, MAX_FRAMES);
      const jpeg = await compress(image, {
        width: within(numberOr(inputs, "resolution_width", MAX_SIZE.width), MIN_EDGE, MAX_SIZE.width),
        height: within(numberOr(inputs, "resolution_height", MAX_SIZE.height), MIN_EDGE, MAX_SIZE.height),
      });
      const before = inputs.clear === true ? [] : (stacks.get(videoIdentifier) ?? []);
      const frames = [jpeg, ...before].slice(0, size);
      stacks.set(videoIdentifier, frames);
      return { frames, frames_count: frames.length };
    };
  },
});

function within(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(value, high));
}

async function compress(
  { rgba, width, height }: ImageValue,
  limit: { readonly width: number; readonly height: number },
): Promise<Uint8Array> {
  const scale = Math.min(1, limit.width / width, limit.height / height);
  const picture = sharp(rgba, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .resize(Math.trunc(width * scale), Math.trunc(height * scale), { fit: "fill" })
    .jpeg({ quality: JPEG_QUALITY });
  return new Uint8Array(await picture.toBuffer());
}
