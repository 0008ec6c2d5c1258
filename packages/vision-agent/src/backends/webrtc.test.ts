import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameResult, PipelineState } from "@vision-agent/protocol";
import type { LiveFrame } from "@vision-agent/vision-engine";
import { afterEach, describe, expect, it, vi } from "vitest";
import { backendContract, rememberOpened } from "../testing/backend-contract.ts";
import { CAMERA, MODEL, SAVED, startFakeFleet } from "../testing/fake-fleet.ts";
import type { PipelineRequest } from "./backend.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { createWebRtcBackend } from "./webrtc.ts";

backendContract("webrtc on a fake server", async () => {
  const { server, backend } = await create();
  return { backend, server, address: CAMERA, modelId: MODEL, savedWorkflow: SAVED };
});

describe("the webrtc backend", () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  const open = async () => {
    const made = await create();
    closing.push(async () => {
      made.server.mend();
      await made.stopAll();
      await made.server.close();
    });
    return made;
  };

  it("lets a server read an RTSP camera, and closes the session at the end", async () => {
    const { backend, server } = await open();
    const { request, seen } = collect(CAMERA);
    const pipeline = await backend.open(request);
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(2), { timeout: 15_000 });
    expect(pipeline.server()).toBe("cellar");
    expect(server.sessions[0]).toMatchObject({
      source: "rtsp",
      request: { processing_timeout: null, stream_output: [] },
    });
    await pipeline.stop();
    await vi.waitFor(() => expect(server.sessions.every(({ closed }) => closed)).toBe(true), { timeout: 10_000 });
  }, 30_000);

  it("sends a video file, with a space in its path, and ends with it", async () => {
    const { backend, server } = await open();
    const folder = await mkdtemp(join(tmpdir(), "web rtc "));
    try {
      const path = join(folder, "my clip.mp4");
      await writeFile(path, new Uint8Array(200_000));
      const { request, seen, states } = collect(path);
      await backend.open(request);
      await vi.waitFor(() => expect(states).toContain("ended"), { timeout: 15_000 });
      expect(server.sessions[0]).toMatchObject({ source: "upload", uploadedBytes: 200_000 });
      expect(seen.map(({ frame }) => frame.frame_number)).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
      const times = seen.map(({ frame }) => Date.parse(frame.timestamp));
      expect(times[10]! - times[0]!).toBe(1000);
    } finally {
      await rm(folder, { recursive: true });
    }
  }, 30_000);

  it("asks for pictures only while somebody looks", async () => {
    const { backend } = await open();
    const { request, seen } = collect(CAMERA);
    const pipeline = await backend.open(request);
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(2), { timeout: 15_000 });
    expect(seen[0]?.outputs.annotated?.kind).toBe("image");
    const frames: LiveFrame[] = [];
    const leave = pipeline.view((frame) => frames.push(frame));
    await vi.waitFor(() => expect(frames.length).toBeGreaterThan(1), { timeout: 10_000 });
    leave();
    for (const { picture, result } of frames) expect(picture.frame).toBe(result.frame);
    const drawn = await pipeline.picture({ output: "annotated" });
    expect(drawn?.jpeg.length).toBeGreaterThan(0);
    expect(await pipeline.picture({ output: "predictions" })).toBeUndefined();
  }, 30_000);

  it("gives up with the reason when the workflow fails on every frame", async () => {
    const { backend, server } = await open();
    const { request, seen, states } = collect(CAMERA);
    const pipeline = await backend.open({ ...request, spec: detectionWorkflow({ modelId: "nope/1" }) });
    await vi.waitFor(() => expect(states).toContain("failed"), { timeout: 15_000 });
    expect(pipeline.figures().reason).toMatch(/Roboflow API|model/i);
    expect(seen).toEqual([]);
    await vi.waitFor(() => expect(server.sessions.every(({ closed }) => closed)).toBe(true), { timeout: 10_000 });
  }, 30_000);

  it("leaves nothing of a paused camera on the server", async () => {
    const { backend, server } = await open();
    const { request, seen } = collect(CAMERA);
    const pipeline = await backend.open(request);
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(2), { timeout: 15_000 });
    await pipeline.pause();
    await vi.waitFor(() => expect(server.sessions.every(({ closed }) => closed)).toBe(true), { timeout: 10_000 });
    const before = seen.length;
    await pipeline.resume();
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(before + 2), { timeout: 15_000 });
    const numbers = seen.map(({ frame }) => frame.frame_number);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  }, 40_000);
});

const hasFfmpeg = spawnSync("ffmpeg", ["-version"]).status === 0;
if (!hasFfmpeg) process.stdout.write("cameras of this machine over WebRTC: skipped, since ffmpeg is not installed.\n");

describe.skipIf(!hasFfmpeg)("a camera that only this machine can read", () => {
  it("is what an RTSP camera with privacy masks becomes: its address does not reach the server", async () => {
    const parts = await startFakeFleet();
    const { server } = parts;
    const masked = rememberOpened(createWebRtcBackend({ ...parts, isMasked: () => true }));
    try {
      const { request, seen } = collect(CAMERA);
      await masked.backend.open(request);
      await vi.waitFor(() => expect(seen.length).toBeGreaterThan(2), { timeout: 20_000 });
      expect(server.sessions[0]?.source).toBe("track");
      expect(JSON.stringify(server.calls)).not.toContain(CAMERA);
    } finally {
      await masked.stopAll();
      await server.close();
    }
  }, 60_000);

  it("is sent as frames, and says why it is lost; opened again it goes on", async () => {
    const { backend, stopAll, server, sources } = await create();
    try {
      const { request, seen, states } = collect("sim://street");
      const pipeline = await backend.open(request);
      await vi.waitFor(() => expect(seen.length).toBeGreaterThan(2), { timeout: 20_000 });
      expect(server.sessions[0]?.source).toBe("track");
      expect(seen[0]?.frame).toMatchObject({ width: 64, height: 48, fps: 10 });
      sources.failure = "The cable is out.";
      await vi.waitFor(() => expect(states).toContain("failed"), { timeout: 10_000 });
      expect(pipeline.figures().reason).toBe("The cable is out.");
      expect(sources.openNow).toBe(0);
      sources.failure = undefined;
      await pipeline.stop();
      const before = seen.length;
      await backend.open(request);
      await vi.waitFor(() => expect(seen.length).toBeGreaterThan(before + 2), { timeout: 20_000 });
    } finally {
      await stopAll();
      await server.close();
    }
    expect(sources.openNow).toBe(0);
  }, 60_000);
});

async function create() {
  const parts = await startFakeFleet();
  return { ...parts, ...rememberOpened(createWebRtcBackend(parts)) };
}

function collect(address: string) {
  const seen: FrameResult[] = [];
  const states: PipelineState[] = [];
  const request: PipelineRequest = {
    pipelineId: "p1",
    sourceId: "cam",
    address,
    spec: detectionWorkflow({ modelId: MODEL }),
    onResult: (result) => void seen.push(result),
    onState: (state) => void states.push(state),
  };
  return { request, seen, states };
}
