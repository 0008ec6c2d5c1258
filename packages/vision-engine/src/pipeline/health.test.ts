import type { WorkflowSpec } from "@vision-agent/protocol";
import { afterAll, describe, expect, it } from "vitest";
import { createEngine } from "./engine.ts";

const NOTHING: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [],
  outputs: [],
};

/** One frame a second, on the clock of the scene: minutes pass in seconds. */
const CAMERA = "sim://street?width=192&height=108&fps=1&start=43200";

const engine = createEngine({ inferenceThreads: 1 });
afterAll(() => engine.close());

describe("the health of a camera", () => {
  it("is told when it freezes, goes dark, is gone or moved, and each time when that is over", async () => {
    const changes = await changesOf(`${CAMERA}&freeze=30s@20s&cover=20s@80s&outage=60s@130s&bump=230s`, 270);
    expect(changes.map(({ state, ill }) => [state, ill])).toEqual([
      ["frozen", { gate: "frozen" }],
      ["ok", {}],
      ["covered", { gate: "covered" }],
      ["ok", {}],
      ["down", { gate: "down" }],
      ["ok", {}],
      ["moved", { gate: "moved" }],
      ["ok", {}],
    ]);
    const seconds = changes.map(({ atMs }) => atMs / 1000);
    const [frozen, thawed, covered, light, down, back, moved] = seconds as [number, ...number[]];
    expect(frozen).toBeGreaterThanOrEqual(35);
    expect(frozen).toBeLessThan(38);
    expect(thawed).toBe(50);
    expect(covered).toBe(88);
    expect(light).toBe(100);
    expect(down).toBeGreaterThanOrEqual(139);
    expect(back).toBeGreaterThanOrEqual(190);
    expect(back).toBeLessThan(201);
    expect(moved).toBeGreaterThanOrEqual(240);
    expect(moved).toBeLessThan(250);
  });

  it("stays quiet while all is well", async () => {
    expect(await changesOf(CAMERA, 90)).toEqual([]);
  });
});

/** Every change, with who was ill according to the pipeline's figures at that time. */
async function changesOf(source: string, maxFrames: number) {
  const changes: { readonly state: string; readonly atMs: number; readonly ill: Readonly<Record<string, string>> }[] =
    [];
  const pipeline = await engine.startPipeline({
    ...{ sourceId: "gate", source, workflow: NOTHING, maxFrames },
    timing: "replay",
    onHealth(sourceId, { state, atMs }) {
      expect(sourceId).toBe("gate");
      const { health } = pipeline.figures();
      changes.push({
        state,
        atMs,
        ill: Object.fromEntries(Object.entries(health).map(([id, { state }]) => [id, state])),
      });
    },
  });
  await pipeline.ended;
  return changes;
}
