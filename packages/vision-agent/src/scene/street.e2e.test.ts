import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ArtifactStore, systemClock as clock } from "@vision-agent/agent-core";
import { createFileArtifactStore } from "@vision-agent/agent-core/node";
import { createCountingIds } from "@vision-agent/agent-core/testing";
import { type SceneEvent, sceneEventSchema } from "@vision-agent/protocol";
import * as engine from "@vision-agent/vision-engine";
import { describe, expect, it, vi } from "vitest";
import { createActiveState } from "../pipelines/active-state.ts";
import { createPipelineRegistry } from "../pipelines/create-pipeline-registry.ts";
import { startDemo } from "../pipelines/start-demo.ts";
import { backendsOn } from "../testing/fake-engine.ts";
import { createCameraRegistry } from "../workspace/create-camera-registry.ts";
import { DEFAULT_FILES } from "../workspace/default-files.ts";
import { nodeFiles } from "../workspace/node-files.ts";
import { openSceneEventLog } from "./open-scene-event-log.ts";
import { recordSceneEvents } from "./record-scene-events.ts";

describe("the demo street on the real engine", () => {
  it("tells of things that appear and cross the line, each with its picture", async () => {
    const folder = await mkdtemp(join(tmpdir(), "street-"));
    const problems: string[] = [];
    const onProblem = (message: string): void => void problems.push(message);
    const state = createActiveState({ files: nodeFiles, path: join(folder, "active_state.json"), now: Date.now });
    const pipelines = createPipelineRegistry({
      backends: backendsOn({ direct: engine }),
      cameras: createCameraRegistry({ markdown: DEFAULT_FILES["CAMERAS.md"] ?? "" }),
      state,
      clock,
      ids: createCountingIds(),
      workflows: engine,
      onProblem,
    });
    const pictures = createFileArtifactStore({ folder: join(folder, "artifacts"), clock });
    const log = await openSceneEventLog({
      files: nodeFiles,
      folder: join(folder, "events"),
      pictures,
      keepDays: 1,
      maxBytes: 1e9,
      clock,
      ids: createCountingIds(),
      onProblem,
    });
    await nodeFiles.makeFolder(join(folder, "events"));
    const stop = recordSceneEvents({ pipelines, log, clock });
    try {
      const status = await startDemo({ pipelines, state, modelId: "sim/truth" });
      expect(status).toMatchObject({ name: "street-count", models: ["sim/truth"] });
      expect(status?.shapes).toMatchObject([{ kind: "line" }]);
      // On a slow machine a thing may cross at its second sight, before it counts as there.
      for (const kind of ["line_crossed", "appeared"] as const) {
        await vi.waitFor(() => expect(log.list({ kind }).length).toBeGreaterThan(0), {
          timeout: 90_000,
          interval: 200,
        });
      }
      for (const event of log.list({ kind: "line_crossed" })) await checkCrossing(event, pictures);
      expect(problems).toEqual([]);
    } finally {
      stop();
      await pipelines.close();
      await log.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

async function checkCrossing(event: SceneEvent, pictures: ArtifactStore): Promise<void> {
  expect(sceneEventSchema.parse(event)).toEqual(event);
  expect(event.tracker_id).toBeDefined();
  const jpeg = await pictures.get(event.picture ?? "");
  expect([...(jpeg?.slice(0, 2) ?? [])]).toEqual([0xff, 0xd8]);
}
