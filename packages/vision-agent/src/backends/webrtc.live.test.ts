import type { FrameResult, PipelineState } from "@vision-agent/protocol";
import { afterAll, describe, expect, inject, it, vi } from "vitest";
import { rememberOpened } from "../testing/backend-contract.ts";
import { openLiveFleet } from "../testing/live-fleet.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { createWebRtcBackend } from "./webrtc.ts";

const { server, footage } = inject("live");
const parts = openLiveFleet(server?.url ?? "http://127.0.0.1");
const { backend, stopAll } = rememberOpened(createWebRtcBackend(parts));

afterAll(async () => {
  await stopAll();
  parts.close();
});

// Without footage there is no ffmpeg, which encodes the pictures that are sent.
describe.skipIf(server === undefined || footage === undefined)("the webrtc backend on a real server", () => {
  it("sends the pictures of a simulated camera, gets results and pictures, and stops", async () => {
    const [seen, states]: [FrameResult[], PipelineState[]] = [[], []];
    const pipeline = await backend.open({
      pipelineId: "p1",
      sourceId: "street",
      address: "sim://street",
      spec: detectionWorkflow({ modelId: "coco/3" }),
      maxFps: 5,
      onResult: (result) => void seen.push(result),
      onState: (state) => void states.push(state),
    });
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(5), { timeout: 200_000, interval: 100 });
    const numbers = seen.map(({ frame }) => frame.frame_number);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(seen.at(-1)).toMatchObject({ frame: { source_id: "street" }, outputs: { predictions: {} } });
    expect(pipeline.figures()).toMatchObject({ state: "running" });
    const picture = await pipeline.picture();
    expect(picture?.jpeg.length).toBeGreaterThan(1000);
    await pipeline.stop();
    await pipeline.stop();
    expect(states).toContain("running");
  });
});
