import { createInferenceClient, createServerFleet, systemClock } from "@vision-agent/inference-client";
import { type FakeServer, type FakeServerOptions, startFakeServer } from "@vision-agent/inference-client/testing";
import type { Json } from "@vision-agent/protocol";
import { detectionWorkflow } from "../backends/detection-workflow.ts";
import { createCapture } from "../backends/still-picture.ts";
import { engineWorkflowRunner } from "./engine-workflow-runner.ts";
import { OPEN_EGRESS } from "./fake-egress.ts";
import { createFakeSources, type FakeSources } from "./fake-sources.ts";

export const CAMERA = "rtsp://cam.test/live";
export const MODEL = "coco/3";
export const SAVED = { workspace: "local", workflowId: "look" } as const;

/** A server with one camera, one saved workflow and a model of person and car, and what backends need beside it. */
export async function startFakeFleet(options: FakeServerOptions = {}) {
  const server: FakeServer = await startFakeServer({
    workflows: engineWorkflowRunner(),
    cameras: { [CAMERA]: { fps: 100 } },
    files: { "/videos/my clip.avi": { frames: 30, fps: 10 } },
    savedWorkflows: { "local/look": detectionWorkflow({ modelId: MODEL }) as unknown as Json },
    ...options,
  });
  const timeouts = { infoMs: 1000, inferMs: 2000, modelLoadMs: 2000, pipelineMs: 2000, describeMs: 2000 };
  const client = createInferenceClient({ url: server.url, clock: systemClock, timeouts });
  const fleet = createServerFleet({ servers: [{ label: "cellar", client }], clock: systemClock });
  const sources: FakeSources = createFakeSources();
  const capture = createCapture({ openSource: sources.open, clock: systemClock });
  const resize = async (bytes: Uint8Array) => ({ bytes });
  return {
    server,
    client,
    fleet,
    sources,
    capture,
    resize,
    openSource: sources.open,
    clock: systemClock,
    egress: OPEN_EGRESS,
  };
}
