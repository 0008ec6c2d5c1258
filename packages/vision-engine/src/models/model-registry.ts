// model id → model
import { modelError } from "../errors.ts";
import { classNamesOf, DetectionTable } from "../frames/detections.ts";
import type { Frame } from "../frames/frame.ts";
import { fractionOf } from "../seeded-random.ts";
import { COCO_CLASSES } from "./coco-classes.data.ts";
import type { DetectionModel, DetectOptions, ModelRegistry, ModelsByTask, ModelTask } from "./model.ts";

/** Opens the models of one family; absent when the id is none of its own. */
export interface ModelFamily {
  readonly ids: readonly string[];
  open<T extends ModelTask>(id: string, task: T): Promise<ModelsByTask[T]> | undefined;
}

/** Models of these families, and `sim/truth` for simulated cameras. */
export function createModelRegistry(families: readonly ModelFamily[] = []): ModelRegistry {
  return {
    async open<T extends ModelTask>(id: string, task: T): Promise<ModelsByTask[T]> {
      if (id.split("?")[0] === SIM_TRUTH_ID && task === "object-detection") {
        return createSimTruthModel(id) as ModelsByTask[T];
      }
      for (const family of families) {
        const opening = family.open(id, task);
        if (opening !== undefined) return opening;
      }
      const known = [SIM_TRUTH_ID, ...families.flatMap(({ ids }) => ids)].join(", ");
      throw modelError(`There is no model "${id}". The models are: ${known}.`);
    },
  };
}

export const SIM_TRUTH_ID = "sim/truth";

/** Everything that a scene can show. */
export const SIM_TRUTH_CLASSES: readonly string[] = [...COCO_CLASSES, "forklift", "package"];

interface SimTruthOptions {
  /** Share of boxes left out, 0 to 1. Default 0. */
  readonly miss: number;
  /** Edges move by up to so many pixels. Default 0. */
  readonly jitter: number;
  /** Chance of a person who is not there, per frame, 0 to 1. Default 0. */
  readonly false: number;
  /** Default 1. */
  readonly seed: number;
}

const DEFAULTS: SimTruthOptions = { miss: 0, jitter: 0, false: 0, seed: 1 };
const HIGHEST: SimTruthOptions = { miss: 1, jitter: 100, false: 1, seed: 4294967295 };

interface Box {
  readonly xyxy: readonly [number, number, number, number];
  readonly confidence: number;
  readonly classId: number;
  readonly className: string;
}

/** `id` may carry options: `sim/truth?miss=0.05&jitter=2&false=0.02&seed=3`. Throws `EngineError` kind `model`. */
export function createSimTruthModel(id: string): DetectionModel {
  const options = parseOptions(id);
  return {
    id,
    description: "Simulated: reads the scene's own ground truth, does not look at pixels.",
    classNames: SIM_TRUTH_CLASSES,
    cheap: true,
    async detect(frame, request) {
      return toDetections(frame, boxesOf(frame, truthOf(frame), options), request);
    },
    async close() {
      // Nothing is held.
    },
  };
}

function parseOptions(id: string): SimTruthOptions {
  const values = new URLSearchParams(id.split("?")[1] ?? "");
  const unknown = [...values.keys()].find((name) => !Object.hasOwn(DEFAULTS, name));
  if (unknown !== undefined)
    throw modelError(`${SIM_TRUTH_ID} has no option "${unknown}"; it has miss, jitter, false and seed.`);
  const read = (name: keyof SimTruthOptions): number => {
    const text = values.get(name);
    if (text === null) return DEFAULTS[name];
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (value >= 0 && value <= HIGHEST[name]) return value;
    throw modelError(
      `The option ${name} of ${SIM_TRUTH_ID} must be a number from 0 to ${HIGHEST[name]}, not "${text}".`,
    );
  };
  return { miss: read("miss"), jitter: read("jitter"), false: read("false"), seed: read("seed") };
}

function truthOf({ truth, metadata }: Frame): DetectionTable {
  if (truth !== undefined) return truth;
  throw modelError(
    `${SIM_TRUTH_ID} works on simulated cameras (sim://) only, and ${metadata.source_id} is a real one.`,
  );
}

function boxesOf(frame: Frame, truth: DetectionTable, options: SimTruthOptions): Box[] {
  const boxes: Box[] = [];
  const names = classNamesOf(truth);
  const draw = (row: number, column: number): number =>
    fractionOf(options.seed, frame.metadata.frame_number, row, column);
  for (let row = 0; row < truth.length; row++) {
    if (draw(row, 0) < options.miss) continue;
    const xyxy = jittered(frame, truth.xyxy, row, (column) => (2 * draw(row, column) - 1) * options.jitter);
    boxes.push({
      xyxy,
      confidence: confidenceOf(xyxy, frame.metadata.height, draw(row, 5)),
      classId: truth.classId?.[row] ?? 0,
      className: names[row]!,
    });
  }
  if (draw(-1, 0) < options.false) boxes.push(phantom(frame, (column) => draw(-1, column)));
  return boxes;
}

function jittered(
  { metadata: { width, height } }: Frame,
  xyxy: Float64Array,
  row: number,
  move: (column: number) => number,
): Box["xyxy"] {
  const edge = (index: number, limit: number): number =>
    Math.min(limit, Math.max(0, (xyxy[4 * row + index] as number) + move(index + 1)));
  const [left, top, right, bottom] = [edge(0, width), edge(1, height), edge(2, width), edge(3, height)];
  return [Math.min(left, right), Math.min(top, bottom), Math.max(left, right), Math.max(top, bottom)];
}

/** Large things are surer than small ones: 0.75 to 0.98. */
function confidenceOf([, top, , bottom]: Box["xyxy"], imageHeight: number, draw: number): number {
  const size = Math.min(1, (bottom - top) / (imageHeight * 0.25));
  return 0.75 + 0.18 * size + 0.05 * draw;
}

function phantom({ metadata }: Frame, draw: (column: number) => number): Box {
  const { width: imageWidth, height: imageHeight } = metadata;
  const [width, height] = [imageWidth * (0.03 + 0.04 * draw(1)), imageHeight * (0.1 + 0.12 * draw(2))];
  const [left, top] = [(imageWidth - width) * draw(3), (imageHeight - height) * draw(4)];
  return {
    xyxy: [left, top, left + width, top + height],
    confidence: 0.3 + 0.35 * draw(5),
    classId: 0,
    className: "person",
  };
}

function toDetections({ metadata }: Frame, boxes: readonly Box[], { confidence = 0.4 }: DetectOptions): DetectionTable {
  const kept = boxes.filter((box) => box.confidence >= confidence);
  return new DetectionTable({
    xyxy: Float64Array.from(kept.flatMap((box) => box.xyxy)),
    confidence: Float64Array.from(kept, (box) => box.confidence),
    classId: Int32Array.from(kept, (box) => box.classId),
    data: { class_name: kept.map((box) => box.className) },
    metadata: { image_dimensions: [metadata.height, metadata.width] },
  });
}
