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
} from "./testing/fake-server.ts";
export { startFakeServer } from "./testing/start-fake-server.ts";
