import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { WorkflowSpec } from "@vision-agent/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "./client-clock.ts";
import { createInferenceClient } from "./http/inference-client.ts";
import type { FakeServer } from "./testing/fake-server.ts";
import { scriptedRunner } from "./testing/scripted-runner.ts";
import { startFakeServer } from "./testing/start-fake-server.ts";
import { keepSession } from "./webrtc/keep-session.ts";
import { openSession, type WebRtcSession } from "./webrtc/open-session.ts";
import type { SessionMessage, SessionOptions } from "./webrtc/session.ts";

const CAMERA = "rtsp://camera.local:554/1";
const MJPEG = "http://camera.local/stream.mjpg";
const DEAD = "rtsp://dead.local:554/1";

let server: FakeServer;
let session: WebRtcSession | undefined;
const messages: SessionMessage[] = [];

beforeEach(async () => {
  server = await startFakeServer({
    workflows: scriptedRunner(),
    cameras: { [CAMERA]: {}, [MJPEG]: { frames: 20 }, [DEAD]: { alive: false } },
    uploads: { frames: 12, fps: 10 },
  });
  messages.length = 0;
});

afterEach(async () => {
  await session?.close();
  session = undefined;
  await server.close();
});

describe("sessions with a strict server", () => {
  it("S000-2.3.1 read an RTSP camera until they are closed", async () => {
    await open({ source: { kind: "rtsp", url: CAMERA }, dataOutput: ["found"] });
    await results(5);
    expect(messages[0]?.outputs).toHaveProperty("found");
    await session?.close();
    await soon(() => expect(server.sessions[0]?.closed).toBe(true));
    expect(server.sessions[0]).toMatchObject({ lastAck: 0, badMessages: 0 });
  });

  it("S000-2.3.2 read an MJPEG camera to its end", async () => {
    await open({ source: { kind: "mjpeg", url: MJPEG } });
    expect(await session?.ended).toEqual({ kind: "completed" });
    expect(messages.length).toBeGreaterThan(0);
  });

  it("S000-2.3.3 S000-2.3.8 upload a file, acknowledge every frame and end with it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "a video "));
    const path = join(folder, "front door.mp4");
    await writeFile(path, Buffer.alloc(200_000, 1));
    await open({ source: { kind: "file", path } });
    expect(await session?.ended).toEqual({ kind: "completed" });
    expect(messages.map(({ frameId }) => frameId)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
    expect(server.sessions[0]).toMatchObject({ uploadedBytes: 200_000, badMessages: 0 });
    expect(server.sessions[0]?.lastAck).toBeGreaterThanOrEqual(11);
    await rm(folder, { recursive: true });
  });

  it("bring pictures when they are asked for by name while it runs", async () => {
    await open({ source: { kind: "rtsp", url: CAMERA }, dataOutput: ["found"] });
    await results(2);
    session?.setOutputs({ data: ["drawn"] });
    await soon(() => expect(messages.at(-1)?.outputs).toHaveProperty("drawn"));
  });

  it("say so when a camera cannot be reached", async () => {
    const opening = open({ source: { kind: "rtsp", url: DEAD } });
    await expect(opening).rejects.toMatchObject({ kind: "server", message: expect.stringContaining("camera") });
  });

  it("say so when a camera that cannot be reached is only silent", async () => {
    await open({ source: { kind: "rtsp", url: DEAD }, realtime: false, firstResultWithinMs: 500 });
    expect(await session?.ended).toMatchObject({ kind: "failed", error: { kind: "timeout" } });
  });

  it("pass on that there is no such output", async () => {
    const opening = open({ source: { kind: "rtsp", url: CAMERA }, dataOutput: ["nothing"] });
    await expect(opening).rejects.toMatchObject({ kind: "invalid", message: expect.stringContaining("nothing") });
  });

  it("end at the server's time limit", async () => {
    await open({ source: { kind: "rtsp", url: CAMERA }, processingTimeoutS: 20 });
    expect((await session?.ended)?.kind).toBe("time_limit");
  });

  it("come back after the server was killed and started again", async () => {
    const [seen, states]: [number[], string[]] = [[], []];
    const kept = keepSession({
      ...settings({ source: { kind: "rtsp", url: CAMERA } }),
      next: async () => ({ label: "a", client: client() }),
      onMessage: ({ sequence }) => void seen.push(sequence),
      onState: (state) => void states.push(state),
    });
    await soon(() => expect(seen.length).toBeGreaterThan(2));
    await server.kill();
    await soon(() => expect(states).toContain("waiting"));
    await server.restart();
    const before = seen.length;
    await soon(() => expect(seen.length).toBeGreaterThan(before + 2));
    expect(seen).toEqual(seen.map((_, at) => at + 1));
    await kept.stop();
  });

  it.skipIf(!hasFfmpeg())("S000-2.3.4 push pictures and get their results", async () => {
    await open({ source: { kind: "frames", width: 64, height: 48, fps: 10 } });
    for (let at = 0; at < 20; at++) {
      session?.push({ kind: "rgba", capturedAt: at * 100, bytes: new Uint8Array(64 * 48 * 4).fill(at) });
      await sleep(50);
    }
    await results(3);
    expect(messages.every(({ capturedAt }) => capturedAt !== undefined)).toBe(true);
    expect(server.sessions[0]?.framesReceived).toBeGreaterThan(3);
  });
});

const SPEC: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "InferenceImage", name: "image" }],
  steps: [
    {
      type: "roboflow_core/roboflow_object_detection_model@v2",
      name: "detect",
      images: "$inputs.image",
      model_id: "coco/3",
    },
    {
      type: "roboflow_core/bounding_box_visualization@v1",
      name: "draw",
      image: "$inputs.image",
      predictions: "$steps.detect.predictions",
    },
  ],
  outputs: [
    { type: "JsonField", name: "found", selector: "$steps.detect.predictions" },
    { type: "JsonField", name: "drawn", selector: "$steps.draw.image" },
  ],
};

function client(): SessionOptions["client"] {
  return createInferenceClient({ url: server.url, clock: systemClock });
}

function settings<T extends Partial<SessionOptions>>(options: T): T & Pick<SessionOptions, "workflow" | "clock"> {
  return { workflow: { specification: SPEC }, clock: systemClock, ...options };
}

async function open(options: Pick<SessionOptions, "source"> & Partial<SessionOptions>): Promise<void> {
  const onMessage = (message: SessionMessage): void => void messages.push(message);
  session = await openSession({ ...settings(options), client: client(), onMessage });
}

async function results(count: number): Promise<void> {
  await soon(() => expect(messages.length).toBeGreaterThanOrEqual(count));
}

function hasFfmpeg(): boolean {
  const there = spawnSync("ffmpeg", ["-version"]).status === 0;
  if (!there) process.stdout.write("pushed pictures: skipped, since ffmpeg is not installed.\n");
  return there;
}

/** Long enough for a machine that is busy. */
async function soon(check: () => void): Promise<void> {
  await vi.waitFor(check, 8000);
}
