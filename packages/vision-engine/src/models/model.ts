import type { Frame } from "../frames/frame.ts";
import type { DetectionModel } from "./detection-model.ts";

/** Name, and one sentence on what a model is. */
interface ModelText {
  readonly id: string;
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
