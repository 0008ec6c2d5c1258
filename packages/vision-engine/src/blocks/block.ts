// inputs of a step → one block → outputs of a step
import type { Json, PipelineStatus } from "@vision-agent/protocol";
import type { Detections } from "../frames/detections.ts";
import type { ImageValue } from "../frames/image-value.ts";
import type { Timestamp } from "../frames/timestamp.ts";
import type { VideoMetadata } from "../frames/video-metadata.ts";
import type { ModelRegistry } from "../models/model.ts";
import type { Batch } from "./batch.ts";
import type { Effects } from "./effects.ts";
import type { FlowControl } from "./flow-control.ts";
import type { BlockManifest } from "./manifests/block-manifest.ts";

/** What travels between steps. */
export type BlockValue =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | Float32Array
  | Timestamp
  | ImageValue
  | Detections
  | VideoMetadata
  | FlowControl
  | Batch<BlockValue>
  | readonly BlockValue[]
  | { readonly [name: string]: BlockValue };

/** Property name → value, defaults filled in; a `Batch` where the manifest says so. Valid during the call only. */
export type BlockInputs = Readonly<Record<string, BlockValue>>;

/** Output name → value; every output of the manifest. */
export type BlockOutputs = Readonly<Record<string, BlockValue>>;

/**
 * What a call gives back. A block that takes no batches: the outputs (a list of them when its outputs are one level
 * deeper, a `FlowControl` when it is a gate). A block that takes batches: a list of those, one for each element.
 */
export type BlockResult = BlockOutputs | FlowControl | readonly (BlockResult | null)[];

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
  /** Wall clock in milliseconds since 1970. */
  readonly now: () => number;
  /** 0 up to 1. */
  readonly random: () => number;
  /** The ways out of the process. */
  readonly effects: Effects;
  /** Shared by the steps of one workflow, by video: what `cache_set` keeps for `cache_get`. */
  readonly memory: Map<string, Map<string, BlockValue>>;
}

/** One step at work. State lives in here, kept apart per video. */
export interface BlockInstance {
  /**
   * Never called twice at a time, unless the block says `stateless`. What it throws ends the run with the step's name.
   */
  run(inputs: BlockInputs): BlockResult | Promise<BlockResult>;
  /** May be called twice. */
  close?(): Promise<void>;
}

/** A block type: what it is, how to say what it does, and how to make one. */
export interface Block {
  readonly manifest: BlockManifest;
  /** One sentence for people and models that choose a block. */
  readonly description: string;
  /** Runs of one frame do not depend on those of frames before: the next frame may enter while this one is inside. */
  readonly stateless?: true;
  /** Uses `context.memory`: whole runs of its workflow then follow each other. */
  readonly sharesMemory?: true;
  /** What a step does, as a verb phrase: "tracks them". */
  phrase(step: StepText): string;
  /** Lines and zones written into the step. */
  shapes?(step: StepText): readonly Shape[];
  /** Models named in the step. */
  models?(step: StepText): readonly string[];
  /** What is wrong with a step beyond what the manifest can say; called with properties that fit it. */
  problems?(step: StepText): readonly { readonly property: string; readonly message: string }[];
  /** Outputs that depend on how the step was written, besides those of the manifest. */
  outputs?(step: StepText): BlockManifest["outputs"];
  create(context: BlockContext): BlockInstance | Promise<BlockInstance>;
}
