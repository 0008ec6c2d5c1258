// inputs of a step → one block → outputs of a step
import type { Json, PipelineStatus } from "@vision-agent/protocol";
import type { Detections } from "../frames/detections.ts";
import type { ImageValue } from "../frames/image-value.ts";
import type { ModelRegistry } from "../models/detection-model.ts";
import type { BlockManifest } from "./manifests/block-manifest.ts";

/** What travels between steps. */
export type BlockValue = Json | ImageValue | Detections;

/** Property name → value for one frame, defaults filled in. Valid during the call only. */
export type BlockInputs = Readonly<Record<string, BlockValue>>;

/** Output name → value; every output of the manifest. */
export type BlockOutputs = Readonly<Record<string, BlockValue>>;

/** A line or a zone that a step looks at, in pixels of the frame. */
export type Shape = PipelineStatus["shapes"][number];

/** A step as its author wrote it: property name → literal or selector, defaults filled in. */
export interface StepText {
  readonly name: string;
  readonly properties: Readonly<Record<string, Json>>;
}

/** What a block instance may use. */
export interface BlockContext {
  /** The step that this instance runs; properties that are selectors have no value yet. */
  readonly step: StepText;
  readonly models: ModelRegistry;
  /** A fresh unique id. */
  readonly newId: () => string;
}

/** One step at work. State lives in here, kept apart per video. */
export interface BlockInstance {
  /** Called once per frame, never twice at a time. What it throws ends the run with the step's name. */
  run(inputs: BlockInputs): BlockOutputs | Promise<BlockOutputs>;
  close?(): Promise<void>;
}

/** A block type: what it is, how to say what it does, and how to make one. */
export interface Block {
  readonly manifest: BlockManifest;
  /** One sentence for people and models that choose a block. */
  readonly description: string;
  /** What a step does, as a verb phrase: "tracks them". */
  phrase(step: StepText): string;
  /** Lines and zones written into the step. */
  shapes?(step: StepText): readonly Shape[];
  /** Models named in the step. */
  models?(step: StepText): readonly string[];
  create(context: BlockContext): BlockInstance | Promise<BlockInstance>;
}
