import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ArtifactStore, systemClock as clock } from "@vision-agent/agent-core";
import { createFileArtifactStore } from "@vision-agent/agent-core/node";
import { createCountingIds } from "@vision-agent/agent-core/testing";
import { type SceneEvent, type SceneEventKind, sceneEventSchema, type WorkflowSpec } from "@vision-agent/protocol";
import * as engine from "@vision-agent/vision-engine";
import { describe, expect, it, vi } from "vitest";
import { createActiveState } from "../pipelines/active-state.ts";
import { createPipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { startDemo } from "../pipelines/start-demo.ts";
import { openSceneEventLog } from "../store/open-scene-event-log.ts";
import { backendsOn } from "../testing/fake-engine.ts";
import { createCameraRegistry } from "../workspace/camera-registry.ts";
import { DEFAULT_FILES } from "../workspace/default-files.ts";
import { nodeFiles } from "../workspace/node-files.ts";
import { openScene } from "./open-scene.ts";

const SMALL = "width=192&height=108&fps=4";

describe("cameras on the real engine", () => {
  it("tell of things that appear and cross the line of the demo street, each with its picture", async () => {
    await using app = await openApp(DEFAULT_FILES["CAMERAS.md"] ?? "");
    const { pipelines, log, pictures, problems } = app;
    const status = await startDemo(pipelines, "sim/truth");
    expect(status).toMatchObject({ name: "street-count", models: ["sim/truth"] });
    expect(status?.shapes).toMatchObject([{ kind: "line" }]);
    // On a slow machine a thing may cross when it is seen for the second time, before it counts as there.
    for (const kind of ["line_crossed", "appeared"] as const) await app.until(kind);
    for (const event of log.list({ kind: "line_crossed" })) {
      expect(event.tracker_id).toBeDefined();
      await checkEvent(event, pictures);
    }
    expect(problems).toEqual([]);
  });

  it("are told when they freeze, go dark, are gone or moved, with a picture, and when they are well again", async () => {
    const faults = { frozen: "freeze=20s@2s", covered: "cover=14s@2s", down: "outage=14s@4s", moved: "bump=8s" };
    const cameras = Object.entries(faults).map(([name, fault]) => [name, `sim://street?${SMALL}&${fault}`] as const);
    await using app = await openApp(
      "",
      cameras.map(([name, address]) => `${name}=${address}`),
    );
    for (const [videoReference] of cameras) await app.pipelines.start({ videoReference, spec: NOTHING });
    for (const kind of ["camera_frozen", "camera_covered", "camera_down", "camera_moved"] as const) {
      const [event] = await app.until(kind);
      expect(event?.camera).toBe(kind.replace("camera_", ""));
      await checkEvent(event!, app.pictures);
    }
    await vi.waitFor(
      () => {
        const well = app.log.list({ kind: "camera_up" }).map(({ camera }) => camera);
        expect(well).toEqual(expect.arrayContaining(["frozen", "covered", "down"]));
      },
      { timeout: 60_000, interval: 200 },
    );
    const troubles = app.log.list().filter(({ kind }) => kind !== "camera_up");
    expect(troubles).toHaveLength(4);
  });
});

const NOTHING: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [],
  outputs: [],
};

async function openApp(markdown: string, extra: readonly string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), "street-"));
  const problems: string[] = [];
  const onProblem = (message: string): void => void problems.push(message);
  const state = createActiveState({ files: nodeFiles, path: join(folder, "active_state.json"), now: Date.now });
  const pipelines = createPipelineRegistry({
    admit: () => undefined,
    backends: backendsOn({ direct: engine }),
    cameras: createCameraRegistry({ markdown, extra }),
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
    indexPath: ":memory:",
    timeZone: "UTC",
    alertPictures: () => new Set(),
    keepDays: 1,
    maxBytes: 1e9,
    clock,
    ids: createCountingIds(),
    onProblem,
  });
  await nodeFiles.makeFolder(join(folder, "events"));
  const scene = openScene({ pipelines, log, clock });
  return {
    ...{ pipelines, log, pictures, problems },
    until: (kind: SceneEventKind): Promise<readonly SceneEvent[]> =>
      vi.waitFor(
        () => {
          const events = log.list({ kind });
          expect(events.length).toBeGreaterThan(0);
          return events;
        },
        { timeout: 90_000, interval: 200 },
      ),
    async [Symbol.asyncDispose]() {
      scene.close();
      await pipelines.close();
      await log.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function checkEvent(event: SceneEvent, pictures: ArtifactStore): Promise<void> {
  expect(sceneEventSchema.parse(event)).toEqual(event);
  const jpeg = await pictures.get(event.picture ?? "");
  expect([...(jpeg?.slice(0, 2) ?? [])]).toEqual([0xff, 0xd8]);
}
