import type { Detections } from "../frames/detections.ts";
import type { Frame } from "../frames/frame.ts";

/** What a model is told with each picture. */
export interface DetectOptions {
  /** Boxes below are left out. */
  readonly confidence: number;
}

/** A picture in, boxes out. */
export interface DetectionModel {
  readonly id: string;
  /** Says in one sentence what this is, so that a simulated model is never taken for a real one. */
  readonly description: string;
  readonly classNames: readonly string[];
  detect(frame: Frame, options: DetectOptions): Promise<Detections>;
  close(): Promise<void>;
}

/** Finds a model by id; throws `EngineError` kind `model` with the ids that exist. */
export interface ModelRegistry {
  open(id: string): Promise<DetectionModel>;
}
