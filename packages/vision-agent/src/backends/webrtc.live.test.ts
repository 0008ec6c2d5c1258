import type { FrameResult, PipelineState } from "@vision-agent/protocol";
import { afterAll, describe, expect, inject, it, vi } from "vitest";
import { detectionWorkflow } from "./detection-workflow.ts";
import { openLiveFleet } from "./live-fleet.ts";
import { createWebRtcBackend } from "./webrtc.ts";

const { server, footage } = inject("live");
const parts = openLiveFleet(server?.url ?? "http://127.0.0.1");
const backend = createWebRtcBackend(parts);

afterAll(async () => {
  await backend.close();
  parts.close();
});

// Without footage there is no ffmpeg, which encodes the pictures that are sent.
describe.skipIf(server === undefined || footage === undefined)("the webrtc backend on a real server", () => {
  it("sends the pictures of a simulated camera, gets results and pictures, and stops", async () => {
    const [seen, states]: [FrameResult[], PipelineState[]] = [[], []];
    await backend.startPipeline({
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
    expect(backend.figures("p1")).toMatchObject({ state: "running" });
    const picture = await backend.picture("p1");
    expect(picture?.jpeg.length).toBeGreaterThan(1000);
    await backend.stopPipeline("p1");
    await backend.stopPipeline("p1");
    expect(await backend.listPipelines()).toEqual([]);
    expect(states).toContain("running");
  });
});
