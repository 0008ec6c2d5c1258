// picture and words → zero-shot detector → boxes
import { Detections } from "../../frames/detections.ts";
import type { Frame } from "../../frames/frame.ts";
import type { DetectionModel, DetectOptions } from "../detection-model.ts";
import { Candidates, suppressOverlaps } from "../heads/candidates.ts";
import type { ZeroShotModel } from "../model.ts";
import {
  closeOnce,
  fromHub,
  type LoadTransformers,
  loadTransformers,
  MODEL_OPTIONS,
  type TransformersBox,
  toTransformersImage,
} from "./transformers.ts";

export interface ZeroShotOptions {
  /** Id that was asked for. */
  readonly id: string;
  /** Repository on huggingface.co. */
  readonly hubId: string;
  readonly load: LoadTransformers;
  /** Said with every result. */
  readonly note?: string;
}

const DEFAULT_CONFIDENCE = 0.1;

/** Knows pictures that were filled up to a square; the package would stretch them. */
const SQUARE_MODEL = "owlv2";

/** Of the part that is filled up. */
const GREY = 128;

/** Throws `EngineError` kind `model` when the package is not installed or the model cannot be had. */
export async function openZeroShotDetector({ id, hubId, load, note }: ZeroShotOptions): Promise<ZeroShotModel> {
  const transformers = await loadTransformers(load, "Detection by words");
  const detector = await fromHub(hubId, transformers.pipeline("zero-shot-object-detection", hubId, MODEL_OPTIONS));
  const isSquare = detector.model?.config.model_type === SQUARE_MODEL;
  const description = `Finds what words describe (${hubId}).`;
  const notes = note === undefined ? {} : { note };
  return {
    id,
    description,
    ...notes,
    withClasses: (classNames): DetectionModel => ({
      id,
      description,
      ...notes,
      classNames,
      async detect(frame, options) {
        const threshold = options.confidence ?? DEFAULT_CONFIDENCE;
        const seen = isSquare ? toSquare(frame) : frame;
        const image = toTransformersImage(transformers, seen);
        const found = await detector(image, [...classNames], { threshold, percentage: true });
        const boxes = toPixels(found as readonly TransformersBox[], seen, frame);
        return toDetections(boxes, classNames, options);
      },
      // The detector belongs to the model that these classes were asked of.
      close: async () => undefined,
    }),
    close: closeOnce([detector]),
  };
}

/** The same picture in the left top of a grey square. */
function toSquare({ rgba, metadata }: Frame): Frame {
  const { width, height } = metadata;
  const side = Math.max(width, height);
  const square = new Uint8ClampedArray(4 * side * side).fill(GREY);
  for (let row = 0; row < height; row++) {
    square.set(rgba.subarray(4 * row * width, 4 * (row + 1) * width), 4 * row * side);
  }
  return { rgba: square, metadata: { ...metadata, width: side, height: side } };
}

/** From shares of what was seen to pixels, cut off at the edges of the frame; what lies outside is left out. */
function toPixels(found: readonly TransformersBox[], seen: Frame, { metadata }: Frame): readonly TransformersBox[] {
  const { width, height } = seen.metadata;
  const x = (share: number): number => Math.min(Math.max(share * width, 0), metadata.width);
  const y = (share: number): number => Math.min(Math.max(share * height, 0), metadata.height);
  return found
    .map(({ box: { xmin, ymin, xmax, ymax }, ...rest }) => ({
      ...rest,
      box: { xmin: x(xmin), ymin: y(ymin), xmax: x(xmax), ymax: y(ymax) },
    }))
    .filter(({ box }) => box.xmin < box.xmax && box.ymin < box.ymax);
}

function toDetections(
  found: readonly TransformersBox[],
  classNames: readonly string[],
  options: DetectOptions,
): Detections {
  const candidates = new Candidates();
  for (const [at, { score, label, box }] of found.entries()) {
    candidates.add(at, classNames.indexOf(label), score);
    candidates.setBox(box.xmin, box.ymin, box.xmax, box.ymax);
  }
  const rows = suppressOverlaps(candidates, {
    iouThreshold: options.iouThreshold ?? 0.3,
    classAgnostic: options.classAgnostic ?? false,
    maxCandidates: options.maxCandidates ?? 3000,
    maxDetections: options.maxDetections ?? 300,
  });
  return new Detections({
    xyxy: Float64Array.from(rows.flatMap((row) => [...candidates.xyxy.subarray(4 * row, 4 * row + 4)])),
    confidence: Float64Array.from(rows, (row) => candidates.scores[row]!),
    classId: Int32Array.from(rows, (row) => candidates.classId[row]!),
    data: { class_name: rows.map((row) => found[candidates.source[row]!]!.label) },
  });
}
