export { exchange } from "./exchange.ts";
export type {
  FakeCamera,
  FakeCameraControl,
  FakeFile,
  FakePipelineView,
  FakeServer,
  FakeServerOptions,
  FakeSessionView,
  FakeVersion,
  Fault,
  RecordedCall,
} from "./fake-server.ts";
export {
  type FakeBox,
  type FakeModel,
  type FakeTask,
  findThings,
  keypointsOf,
  outlineOf,
  scoreClasses,
} from "./find-things.ts";
export { differences } from "./json-shape.ts";
export { greyJpeg } from "./picture-bytes.ts";
export { startFakeServer } from "./start-fake-server.ts";
export {
  type FaultyBlock,
  type RunnerBlock,
  type RunnerModels,
  type RunnerWorkflow,
  WorkflowFault,
  type WorkflowRunner,
} from "./workflow-runner.ts";
