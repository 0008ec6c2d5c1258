export type {
  FakeBox,
  FakeCamera,
  FakeCameraControl,
  FakeFile,
  FakeModel,
  FakePipelineView,
  FakeServer,
  FakeServerOptions,
  FakeSessionView,
  FakeTask,
  FakeVersion,
  Fault,
  RecordedCall,
} from "./fake-server.ts";
export { startFakeServer } from "./start-fake-server.ts";
