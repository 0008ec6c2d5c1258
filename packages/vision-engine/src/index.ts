// Blocks
export type {
  Block,
  BlockContext,
  BlockInputs,
  BlockInstance,
  BlockOutputs,
  BlockValue,
  Shape,
  StepText,
} from "./blocks/block.ts";
export type { BlockManifest, OutputManifest, PropertyManifest } from "./blocks/manifests/block-manifest.ts";
// Errors
export { EngineError, type EngineErrorKind, type EngineErrorOptions } from "./errors.ts";
// Pictures and what is found in them
export type { Detections } from "./frames/detections.ts";
export type { Frame } from "./frames/frame.ts";
export { type Draw, ImageValue } from "./frames/image-value.ts";
// Models
export { COCO_CLASSES } from "./models/coco-classes.data.ts";
export type { DetectionModel, DetectOptions, ModelRegistry } from "./models/detection-model.ts";
export { createModelRegistry } from "./models/model-registry.ts";
// Pipelines
export type {
  LiveFrame,
  Picture,
  PictureRequest,
  Pipeline,
  PipelineFigures,
  PipelineOptions,
} from "./pipeline/pipeline.ts";
export { type RunOnceOptions, type RunOnceResult, runOnce } from "./pipeline/run-once.ts";
export { startPipeline, type ThreadOptions } from "./pipeline/start-pipeline.ts";
// Cameras
export type { FrameSource } from "./sources/frame-source.ts";
export { type OpenSourceOptions, openSource } from "./sources/open-source.ts";
export { type ProbeSourceOptions, probeSource } from "./sources/probe-source.ts";
export { type SourceClock, systemClock } from "./sources/source-clock.ts";
// Workflows
export type { CompileOptions } from "./workflow/compile-plan.ts";
export type { PlanRun } from "./workflow/run-plan.ts";
export {
  type BlockDescription,
  type CompiledWorkflow,
  compileWorkflow,
  describeWorkflow,
  listBlocks,
  modelsOf,
  shapesOf,
  validateWorkflow,
  workflowWarnings,
} from "./workflow/workflow.ts";
