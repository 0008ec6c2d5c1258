import type { DetectionTable } from "../frames/detections.ts";
import type { Frame } from "../frames/frame.ts";

interface ModelText {
  readonly id: string;
  /** Says in one sentence what this is, so that a simulated model is never taken for a real one. */
  readonly description: string;
  /** Said with every result: for example that another model stands in for the one that was asked for. */
  readonly note?: string;
  /** May be called twice. */
  close(): Promise<void>;
}

/** A picture in, a score for each class out. */
export interface ClassificationModel extends ModelText {
  readonly classNames: readonly string[];
  /** Several classes may hold at once: scores are then independent of each other. */
  readonly multiLabel: boolean;
  /** One score a class, 0 to 1. */
  classify(frame: Frame): Promise<Float32Array>;
}

/** Pictures, and perhaps texts, as vectors of length 1 that can be compared. */
export interface EmbeddingModel extends ModelText {
  embedImage(frame: Frame): Promise<Float32Array>;
  /** Absent where texts and pictures cannot be compared. */
  embedTexts?(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

/** A line of text that was read. */
export interface TextLine {
  readonly text: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** Corners clockwise from the left top, in pixels. */
  readonly corners: readonly (readonly [x: number, y: number])[];
}

/** A picture in, lines of text out, in reading order. */
export interface TextReadingModel extends ModelText {
  read(frame: Frame): Promise<readonly TextLine[]>;
}

/** A picture and words in, boxes out. */
export interface ZeroShotModel extends ModelText {
  withClasses(classNames: readonly string[]): DetectionModel;
}

/** `short`: one sentence · `detailed`: one or two · `longest`: a paragraph. */
export type CaptionStyle = "short" | "detailed" | "longest";

/** A picture in, sentences on what is on it out. */
export interface CaptioningModel extends ModelText {
  caption(frame: Frame, style: CaptionStyle): Promise<string>;
}

/** What kinds of model there are. */
export interface ModelsByTask {
  "object-detection": DetectionModel;
  "instance-segmentation": DetectionModel;
  "keypoint-detection": DetectionModel;
  classification: ClassificationModel;
  embedding: EmbeddingModel;
  "text-reading": TextReadingModel;
  "zero-shot-detection": ZeroShotModel;
  captioning: CaptioningModel;
}

export type ModelTask = keyof ModelsByTask;

/** Finds a model by id; throws `EngineError` kind `model` when it cannot be had, with what to do. */
export interface ModelRegistry {
  open<T extends ModelTask>(id: string, task: T): Promise<ModelsByTask[T]>;
}

/** Scores below are noise: not even told as too low. */
export const WEAK_CONFIDENCE = 0.15;

/** What a model is told with each picture. What is left out takes the model's own value. */
export interface DetectOptions {
  /** Boxes below are left out. */
  readonly confidence?: number;
  /** Overlap from which the weaker of two boxes goes. Default 0.3. */
  readonly iouThreshold?: number;
  /** Boxes of different classes also push each other out. Default false. */
  readonly classAgnostic?: boolean;
  /** Most boxes given back, the most confident ones. Default 300. */
  readonly maxDetections?: number;
  /** Most boxes looked at before overlaps are sorted out. Default 3000. */
  readonly maxCandidates?: number;
  /** How masks are made, for models that have them. Default "accurate". */
  readonly maskDecoding?: "accurate" | "tradeoff" | "fast";
  /** 0 to 1, for `tradeoff`. Default 0. */
  readonly maskTradeoff?: number;
  /** Keypoints below are left out. Default 0. */
  readonly keypointConfidence?: number;
  /** Told the boxes below `confidence` but above `WEAK_CONFIDENCE`, by models that have them anyway. Must not throw. */
  readonly onWeak?: (weak: DetectionTable) => void;
}

/**
 * A picture in, boxes out, with masks or keypoints where the model makes them. The detections have `class_name`, and
 * `keypoints_…` columns for keypoints; where the picture comes from is noted by the block.
 */
export interface DetectionModel extends ModelText {
  readonly classNames: readonly string[];
  /** Looking costs next to nothing: nobody need spare it. */
  readonly cheap?: true;
  detect(frame: Frame, options: DetectOptions): Promise<DetectionTable>;
}
