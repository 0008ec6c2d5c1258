// fakes for those who build on this package
import { modelError } from "../errors.ts";
import { DetectionTable, selectRows } from "../frames/detections.ts";
import type { Frame } from "../frames/frame.ts";
import { addRun, type Mask } from "../frames/mask.ts";
import type { DetectionModel, ModelRegistry, ModelsByTask, ModelTask } from "../models/model.ts";
import type { FrameSource } from "../sources/frame-source.ts";

export { writeOnnx } from "../models/onnx/onnx-file.ts";
export { colorModel } from "./color-model.ts";

/** One thing in a picture. */
export interface FakeObject {
  /** Left, top, right, bottom in pixels. */
  readonly box: readonly [number, number, number, number];
  /** Default "person". */
  readonly className?: string;
  /** Default 0.9. */
  readonly confidence?: number;
  /** All objects of a frame have one, or none. */
  readonly trackerId?: number;
}

export interface FakeFrameOptions {
  /** Default "camera". */
  readonly sourceId?: string;
  /** Default 1. Frames are 1/10 s apart. */
  readonly frameNumber?: number;
  /** Default 64 × 48. */
  readonly width?: number;
  readonly height?: number;
  /** What is in the picture, known to `truthModel`. Default: nothing. */
  readonly objects?: readonly FakeObject[];
}

const CLASS_NAMES: readonly string[] = ["person", "car", "package"];
const FPS = 10;

/** A grey frame with known things in it. */
export function frameOf(options: FakeFrameOptions = {}): Frame {
  const { sourceId = "camera", frameNumber = 1, width = 64, height = 48, objects = [] } = options;
  const timestamp = new Date(Date.UTC(2026, 0, 1) + (frameNumber * 1000) / FPS).toISOString();
  return {
    metadata: { source_id: sourceId, frame_number: frameNumber, timestamp, width, height, fps: FPS },
    rgba: new Uint8ClampedArray(width * height * 4).fill(128),
    truth: detectionsOf(objects, width, height),
  };
}

/** Detections in typed arrays from a readable list. */
export function detectionsOf(objects: readonly FakeObject[], imageWidth = 64, imageHeight = 48): DetectionTable {
  const className = objects.map((object) => object.className ?? "person");
  const ids = objects.map((object) => object.trackerId).filter((id) => id !== undefined);
  return new DetectionTable({
    xyxy: Float64Array.from(objects.flatMap((object) => object.box)),
    confidence: Float64Array.from(objects, (object) => object.confidence ?? 0.9),
    classId: Int32Array.from(className, (name) => CLASS_NAMES.indexOf(name)),
    trackerId: ids.length > 0 ? Int32Array.from(ids) : undefined,
    data: { class_name: className, detection_id: objects.map((_, row) => `detection-${row}`) },
    metadata: { image_dimensions: [imageHeight, imageWidth] },
  });
}

/** A source that gives these frames without waiting; an error in the list is thrown at its turn. */
export function frameSourceOf(frames: Iterable<Frame | Error>): FrameSource {
  const rest = frames[Symbol.iterator]();
  let closed = false;
  return {
    label: "fake://frames",
    width: 64,
    height: 48,
    fps: FPS,
    dropped: 0,
    async next(signal) {
      signal.throwIfAborted();
      const { done, value } = rest.next();
      if (done || closed) return undefined;
      if (value instanceof Error) throw value;
      return value;
    },
    async close() {
      closed = true;
    },
  };
}

/** A model that knows what is really in the picture. */
export function truthModel(id = "fake/truth"): DetectionModel {
  return {
    id,
    description: "Reads the truth of a fake frame.",
    classNames: CLASS_NAMES,
    async detect(frame, { confidence = 0 }) {
      const truth = frame.truth ?? detectionsOf([], frame.metadata.width, frame.metadata.height);
      return selectRows(
        truth,
        [...truth.confidence!.keys()].filter((row) => truth.confidence![row]! >= confidence),
      );
    },
    async close() {
      return;
    },
  };
}

/** A registry of exactly these models. */
export function modelRegistryOf(models: readonly DetectionModel[]): ModelRegistry {
  return {
    async open<T extends ModelTask>(id: string) {
      const model = models.find((candidate) => candidate.id === id);
      if (model !== undefined) return model as ModelsByTask[T];
      const names = models.map((candidate) => candidate.id).join(", ");
      throw modelError(`There is no model "${id}"; there are: ${names}.`);
    },
  };
}

/** Pixels of a box, its right and bottom edge included, within the picture. */
export function boxToMask(xyxy: ArrayLike<number>, row: number, width: number, height: number): Mask {
  const [left, top] = [Math.max(0, Math.trunc(xyxy[4 * row]!)), Math.max(0, Math.trunc(xyxy[4 * row + 1]!))];
  const right = Math.min(width - 1, Math.trunc(xyxy[4 * row + 2]!));
  const bottom = Math.min(height - 1, Math.trunc(xyxy[4 * row + 3]!));
  const runs: number[] = [];
  for (let y = top; y <= bottom && left <= right; y++) addRun(runs, y * width + left, right - left + 1);
  return { width, height, runs: Int32Array.from(runs) };
}
