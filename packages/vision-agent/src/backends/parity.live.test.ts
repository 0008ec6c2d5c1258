import { readFile } from "node:fs/promises";
import * as engine from "@vision-agent/vision-engine";
import { afterAll, describe, expect, inject, it } from "vitest";
import { fakeSavedWorkflows } from "../testing/fake-engine.ts";
import { openLiveFleet } from "../testing/live-fleet.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { createDirectBackend } from "./direct.ts";
import { createHttpBackend } from "./http.ts";
import { runParity } from "./parity.ts";
import { createWebRtcBackend } from "./webrtc.ts";

const { server, footage, models } = inject("live");
const isReady = server !== undefined && footage?.isReal === true && models !== undefined;
const parts = openLiveFleet(server?.url ?? "http://127.0.0.1");
const vision = engine.createEngine({ localModelFolder: models });
const direct = createDirectBackend({
  engine: { ...vision, validateWorkflow: engine.validateWorkflow },
  savedWorkflows: fakeSavedWorkflows({}),
});
const http = createHttpBackend(parts);
const webrtc = createWebRtcBackend(parts);

afterAll(async () => {
  await vision.close();
  parts.close();
});

describe.skipIf(!isReady)("the same network on this machine and on a real server", () => {
  it.each([
    ["over HTTP, above 0.3", http, 0.3],
    ["over HTTP, above 0.5", http, 0.5],
    ["over WebRTC, above 0.3", webrtc, 0.3],
  ])("finds the same boxes %s, within 2 pixels and 0.02", async (_, remote, confidence) => {
    const path = footage?.picture ?? "";
    const { runs, comparisons } = await runParity({
      backends: [direct, remote],
      spec: detectionWorkflow({ modelId: "coco/3", confidence }),
      jpeg: new Uint8Array(await readFile(path)),
      path,
      clock: parts.clock,
    });
    // A note would say that another network stands in.
    expect(runs).toMatchObject([{ notes: [] }, { notes: [] }]);
    const boxes = comparisons.find(({ counts }) => counts !== undefined);
    expect(boxes?.counts).toEqual([boxes?.matched, boxes?.matched]);
    expect(boxes?.matched).toBeGreaterThan(0);
    expect(boxes?.worst_px).toBeLessThanOrEqual(2);
    expect(boxes?.worst_score).toBeLessThanOrEqual(0.02);
  });
});
