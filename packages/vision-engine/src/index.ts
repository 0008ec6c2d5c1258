// Errors
export { EngineError, type EngineErrorKind, type EngineErrorOptions } from "./errors.ts";

// Pipelines
export type {
  LiveFrame,
  Picture,
  PictureRequest,
  Pipeline,
  PipelineFigures,
  PipelineOptions,
} from "./pipeline/pipeline.ts";
