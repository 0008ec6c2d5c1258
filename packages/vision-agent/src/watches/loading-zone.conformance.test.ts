import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock as clock } from "@vision-agent/agent-core";
import { createCountingIds } from "@vision-agent/agent-core/testing";
import type { WatchCondition } from "@vision-agent/protocol";
import * as engine from "@vision-agent/vision-engine";
import { describe, expect, it, vi } from "vitest";
import { createActiveState } from "../pipelines/active-state.ts";
import { createPipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { openScene } from "../scene/open-scene.ts";
import { backendsOn } from "../testing/fake-engine.ts";
import { createCameraRegistry } from "../workspace/camera-registry.ts";
import { DEFAULT_FILES } from "../workspace/default-files.ts";
import { nodeFiles } from "../workspace/node-files.ts";
import { openPlaceStore } from "../workspace/place-store.ts";
import { storedWatchSchema } from "./camera-assignments.ts";
import type { PlaceFinder } from "./condition-reading.ts";
import { createWatchRegistry } from "./watch-registry.ts";

/** In the scene somebody walks into the loading zone in the seconds after 10, while the forklift is away. */
const WAREHOUSE = "warehouse=sim://warehouse?width=320&height=180&fps=8&seed=1&start=8";

describe("watches on the scene of the warehouse", () => {
  it("know the loading zone as it is painted: who enters it, that somebody is in it, and that it is empty afterwards", async () => {
    await using app = await openApp();
    const zone = "loading zone";
    await app.watch({ kind: "enters", zone });
    await app.watch({ kind: "count", at_least: 1, for_seconds: 0, zone });
    await app.watch({
      kind: "sequence",
      steps: [{ when: { kind: "enters", zone } }, { when: { kind: "count", at_most: 0, for_seconds: 0, zone } }],
      within_seconds: 60,
    });
    await vi.waitFor(() => expect(app.told.size).toBe(3), { timeout: 90_000, interval: 200 });
    const first = (kind: string) => app.told.get(kind)?.[0];
    const [entered, there, left] = [first("enters"), first("count"), first("sequence")];
    expect(entered).toMatchObject({ text: "A person entered the loading zone on warehouse." });
    expect(there).toMatchObject({ text: "There is 1 person in the loading zone on warehouse." });
    expect(there!.atMs).toBe(entered!.atMs);
    expect(left!.atMs).toBeGreaterThan(entered!.atMs);
  });
});

async function openApp() {
  const folder = await mkdtemp(join(tmpdir(), "warehouse-"));
  const onProblem = (message: string): void => {
    throw new Error(message);
  };
  const state = createActiveState({ files: nodeFiles, path: join(folder, "active_state.json"), now: Date.now });
  const cameras = createCameraRegistry({ markdown: "", extra: [WAREHOUSE] });
  const common = { cameras, clock, ids: createCountingIds(), onProblem };
  const pipelines = createPipelineRegistry({
    ...common,
    admit: () => undefined,
    backends: backendsOn({ direct: engine }),
    state,
    workflows: engine,
  });
  const scene = openScene({
    pipelines,
    log: { add: () => undefined, endVisits: () => undefined, list: () => [] },
    clock,
  });
  const text = { read: async () => DEFAULT_FILES["PLACES.md"] ?? "", write: async () => undefined };
  const places = await openPlaceStore({ text, clock, onNotice: onProblem });
  const placeOf = ((camera, _kind, name) => places.find(camera, name)) as PlaceFinder;
  const watches = createWatchRegistry({
    ...common,
    pipelines,
    scene,
    places: { placeOf, onChange: (listener) => places.onChange(listener) },
    store: state.section("watches", storedWatchSchema),
    modelFor: () => "sim/truth",
    classesOf: () => undefined,
  });
  /** By kind of condition. */
  const told = new Map<string, { readonly text: string; readonly atMs: number }[]>();
  watches.onFiring(({ watch, holds, text: words, view: { nowMs: atMs } }) => {
    const { kind } = watch.condition;
    if (holds) told.set(kind, [...(told.get(kind) ?? []), { text: words, atMs }]);
  });
  return {
    told,
    watch: (condition: WatchCondition) =>
      watches.create({
        words: condition.kind,
        cameras: ["warehouse"],
        classes: ["person"],
        condition,
        cooldown_seconds: 0,
        severity: "info",
      }),
    async [Symbol.asyncDispose]() {
      scene.close();
      await watches.close();
      await places.close();
      await pipelines.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
