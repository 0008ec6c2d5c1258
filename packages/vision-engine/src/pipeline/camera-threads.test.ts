import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkflowSpec } from "@vision-agent/protocol";
import { afterAll, describe, expect, it } from "vitest";
import { CAMERA_H264, ffmpeg, hasFfmpeg, TEST_PICTURE } from "../sources/__fixtures__/ffmpeg.ts";
import { childrenNamed } from "../sources/__fixtures__/process-list.ts";
import { type RtspServer, startRtspServer } from "../sources/__fixtures__/rtsp-server.ts";
import { createEngine } from "./engine.ts";
import type { Pipeline, PipelineOptions } from "./pipeline.ts";

const NOTHING: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [],
  outputs: [],
};

describe.skipIf(!hasFfmpeg("one decoder for each camera"))("pipelines on one live camera", () => {
  const folder = mkdtempSync(join(tmpdir(), "camera-threads-"));
  const engine = createEngine({ inferenceThreads: 1 });
  const servers: RtspServer[] = [];
  ffmpeg(...TEST_PICTURE, "-frames:v", "10", ...CAMERA_H264, "-f", "h264", join(folder, "camera.h264"));
  const h264 = readFileSync(join(folder, "camera.h264"));
  afterAll(async () => {
    await engine.close();
    for (const server of servers) await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function camera(): Promise<{ readonly server: RtspServer; readonly address: string }> {
    const server = await startRtspServer({ h264, fps: 20 });
    servers.push(server);
    return { server, address: `rtsp://127.0.0.1:${server.port}/cam` };
  }

  const start = (source: string, options: Partial<PipelineOptions> = {}): Promise<Pipeline> =>
    engine.startPipeline({ sourceId: "door", source, workflow: NOTHING, ...options });

  it("have one decoder, which ends with the last of them; single looks and viewers use it, too", async () => {
    const { server, address } = await camera();
    const [first, second] = await Promise.all([start(address), start(address, { maxFps: 5 })]);
    await Promise.all([moreFrames(first), moreFrames(second)]);
    expect([childrenNamed("ffmpeg"), server.clients()]).toEqual([1, 1]);
    const { picture } = await engine.runOnce({ sourceId: "door", source: address, workflow: NOTHING });
    expect(picture.frame.frame_number).toBeGreaterThan(1);
    expect([childrenNamed("ffmpeg"), server.clients()]).toEqual([1, 1]);
    await first.stop();
    await moreFrames(second);
    expect([childrenNamed("ffmpeg"), server.clients()]).toEqual([1, 1]);
    expect(await second.picture()).toMatchObject({ frame: { source_id: "door" } });
    await second.stop();
    expect([childrenNamed("ffmpeg"), server.clients()]).toEqual([0, 0]);
  });

  it("pause and go on without one another", async () => {
    const { address } = await camera();
    const [one, other] = await Promise.all([start(address), start(address)]);
    await one.pause();
    const before = one.figures().framesProcessed;
    await moreFrames(other);
    expect(one.figures()).toMatchObject({ state: "paused", framesProcessed: before });
    await one.resume();
    await moreFrames(one);
    await Promise.all([one.stop(), other.stop()]);
  });

  it("do not share what must differ: masks and names", async () => {
    const { server, address } = await camera();
    const half = [
      [0, 0],
      [0.5, 0],
      [0.5, 1],
    ] as const;
    const pipelines = await Promise.all([
      start(address),
      start(address, { masks: [half] }),
      start(address, { sourceId: "gate" }),
    ]);
    await Promise.all(pipelines.map((pipeline) => moreFrames(pipeline)));
    expect(server.clients()).toBe(3);
    await Promise.all(pipelines.map((pipeline) => pipeline.stop()));
  });

  it("tell both why a camera does not open, and open it when it is there again", async () => {
    const { server, address } = await camera();
    await server.close();
    const refusals = await Promise.allSettled([start(address), start(address)]);
    expect(refusals).toMatchObject([
      { status: "rejected", reason: { kind: "source" } },
      { status: "rejected", reason: { kind: "source" } },
    ]);
    servers.push(await startRtspServer({ h264, fps: 20, port: server.port }));
    const pipeline = await start(address);
    await moreFrames(pipeline);
    await pipeline.stop();
  });

  it("play a file from its beginning for each", async () => {
    const clip = join(folder, "clip.mp4");
    ffmpeg(...TEST_PICTURE, "-frames:v", "6", "-pix_fmt", "yuv420p", clip);
    const seen = await Promise.all([numbersOf(start, clip), numbersOf(start, clip)]);
    expect(seen).toEqual([
      [1, 2, 3, 4, 5, 6],
      [1, 2, 3, 4, 5, 6],
    ]);
  });
});

async function numbersOf(
  start: (source: string, options: Partial<PipelineOptions>) => Promise<Pipeline>,
  source: string,
): Promise<readonly number[]> {
  const numbers: number[] = [];
  const pipeline = await start(source, { onResult: ({ frame }) => numbers.push(frame.frame_number), maxFps: 1000 });
  await pipeline.ended;
  return numbers;
}

async function moreFrames(pipeline: Pipeline): Promise<void> {
  const before = pipeline.figures().framesProcessed;
  while (pipeline.figures().framesProcessed < before + 5) await new Promise((wake) => setTimeout(wake, 10));
}
