// Blocks

export type { Block, BlockContext, BlockInputs, BlockInstance, BlockManifest, BlockResult } from "./blocks/block.ts";

// Errors

export { EngineError, type EngineErrorKind } from "./errors.ts";

// Slips of the pen

export { nearestName } from "./nearest-name.ts";

// Pictures and what is found in them

export { DetectionTable } from "./frames/detections.ts";
export { type Frame, Timestamp } from "./frames/frame.ts";
export { ImageValue } from "./frames/image-value.ts";
export type { Mask } from "./frames/mask.ts";

// Where things are

export { anchorPoint, type BoxXyxy } from "./geometry/boxes.ts";
export { containsPoint, type Point, type Polygon } from "./geometry/polygons.ts";
export { crossingOf, distanceToLine, sideOfLine } from "./geometry/zones.ts";

// Models

export { COCO_CLASSES } from "./models/coco-classes.data.ts";
export { createInferencePool } from "./models/inference-threads/inference-pool.ts";
export { createRemoteRuntime } from "./models/inference-threads/remote-runtime.ts";
export type {
  ClassificationModel,
  DetectionModel,
  ModelRegistry,
  ModelsByTask,
  ModelTask,
} from "./models/model.ts";
export { createModelRegistry, SIM_TRUTH_CLASSES } from "./models/model-registry.ts";
export { listModels } from "./models/store/catalogue.ts";
export { createModelStore } from "./models/store/model-store.ts";
export { type FetchTarball, fetchTarballWithNpm } from "./models/store/npm-tarball.ts";
export { openTextEmbedder } from "./models/text-embedding/text-embedder.ts";

// Ways out for sinks

export type { OutgoingPicture } from "./blocks/effects.ts";
export { type FetchRefusal, guardedFetch, isPublicAddress } from "./effects/guarded-fetch.ts";

// Engines and their pipelines

export {
  createEngine,
  type EngineOptions,
  type OnceImage,
  type RunOnceOptions,
  type RunOnceResult,
  runOnce,
  type VisionEngine,
} from "./pipeline/engine.ts";
export type {
  LiveFrame,
  Picture,
  PictureRequest,
  Pipeline,
  PipelineFigures,
  PipelineOptions,
  SinkHooks,
} from "./pipeline/pipeline.ts";
export { startPipeline } from "./pipeline/start-pipeline.ts";

// Cameras

export { joinPieces } from "./sources/ffmpeg/join-pieces.ts";
export { type FrameSource, systemClock } from "./sources/frame-source.ts";
export { type CameraHealth, createHealthMonitor } from "./sources/health-monitor.ts";
export { type OpenSourceOptions, openSource } from "./sources/open-source.ts";
export type { VideoPiece } from "./sources/piece-source.ts";
export { probeSource } from "./sources/probe-source.ts";
export { createPushSource } from "./sources/push-source.ts";
export { addressProblem, parseSourceAddress } from "./sources/source-address.ts";
export { pictureTextOutputs } from "./workflow/picture-text.ts";

// Workflows

export { ENGINE_VERSION } from "./workflow/parse-spec.ts";
export {
  type CompiledWorkflow,
  compileWorkflow,
  describeWorkflow,
  type KnownBlock,
  listBlocks,
  listKnownBlocks,
  modelsOf,
  shapesOf,
  validateWorkflow,
  workflowWarnings,
} from "./workflow/workflow.ts";
