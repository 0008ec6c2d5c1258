import { DetectionTable, emptyDetections, repeated, withColumns } from "../../frames/detections.ts";
import type { PixelSize } from "../../frames/frame.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import type { BoxXyxy } from "../../geometry/boxes.ts";
import { roundHalfEven } from "../../geometry/polygons.ts";
import { fitToMaxEdge } from "../../query/root-coordinates.ts";
import { noteOrigin } from "../detection-origin.ts";

/** What an answer is about. */
export interface VlmSetting {
  readonly image: ImageValue;
  /** Names whose places are the class ids; others get -1. */
  readonly classes: readonly string[];
  readonly inferenceId: string;
  readonly newId: () => string;
}

export interface NamedBox {
  readonly box: BoxXyxy;
  readonly label: string;
  readonly confidence: number;
}

/** Boxes in pixels of the picture, rounded to whole ones. */
export function toVlmDetections(boxes: readonly NamedBox[], setting: VlmSetting): DetectionTable {
  const { image, classes, inferenceId, newId } = setting;
  if (boxes.length === 0) return noteOrigin(emptyDetections(), image, "object-detection");
  const detections = new DetectionTable({
    xyxy: Float64Array.from(boxes.flatMap(({ box }) => box.map(roundHalfEven))),
    confidence: Float64Array.from(boxes, ({ confidence }) => confidence),
    classId: Int32Array.from(boxes, ({ label }) => classes.indexOf(label)),
  });
  const named = withColumns(detections, {
    class_name: boxes.map(({ label }) => label),
    detection_id: boxes.map(newId),
    inference_id: repeated(inferenceId, boxes.length),
  });
  return noteOrigin(named, image, "object-detection");
}

/** Numbers are held within `from`, then stretched to `to`. */
export function scaleBox([left, top, right, bottom]: BoxXyxy, from: PixelSize, to: PixelSize): BoxXyxy {
  const x = (value: number) => within(value, from.width) * (to.width / from.width);
  const y = (value: number) => within(value, from.height) * (to.height / from.height);
  return [x(left), y(top), x(right), y(bottom)];
}

export function within(value: number, high: number): number {
  return Math.min(Math.max(value, 0), high);
}

const OPENAI_MAX_EDGE = 2048;
const CLAUDE_MAX_EDGE = 2576;
const CLAUDE_MAX_TILES = 4784;
const CLAUDE_TILE = 28;

export function openaiUploadSize({ width, height }: PixelSize): PixelSize {
  const [fitWidth, fitHeight] = fitToMaxEdge(width, height, OPENAI_MAX_EDGE);
  return { width: fitWidth, height: fitHeight };
}

/** The largest size with the same shape whose tiles Claude takes. */
export function claudeUploadSize({ width, height }: PixelSize): PixelSize {
  if (fitsClaude(width, height)) return { width, height };
  if (height > width) {
    const turned = claudeUploadSize({ width: height, height: width });
    return { width: turned.height, height: turned.width };
  }
  const heightFor = (candidate: number): number => Math.max(roundHalfEven(candidate / (width / height)), 1);
  let low = 1;
  let high = width;
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2);
    if (fitsClaude(middle, heightFor(middle))) low = middle;
    else high = middle;
  }
  return { width: low, height: heightFor(low) };
}

function fitsClaude(width: number, height: number): boolean {
  const [across, down] = [Math.ceil(width / CLAUDE_TILE), Math.ceil(height / CLAUDE_TILE)];
  const longest = Math.max(across, down) * CLAUDE_TILE;
  return longest <= CLAUDE_MAX_EDGE && across * down <= CLAUDE_MAX_TILES;
}
