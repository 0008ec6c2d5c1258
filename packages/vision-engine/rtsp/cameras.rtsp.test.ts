import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameResult, WorkflowSpec } from "@vision-agent/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { createEngine } from "../src/pipeline/engine.ts";
import { createSourceFeed } from "../src/pipeline/source-set.ts";
import { childrenNamed, shownBy } from "../src/sources/__fixtures__/process-list.ts";
import { type FrameSource, systemClock } from "../src/sources/frame-source.ts";
import { type OpenSourceOptions, openSource } from "../src/sources/open-source.ts";
import { probeSource } from "../src/sources/probe-source.ts";
import { writeModelFolder } from "../src/testing/color-model.ts";
import { type CameraOptions, type GstreamerCamera, missingForRtsp, startCamera } from "./gstreamer-camera.ts";

const missing = missingForRtsp();
const required = process.env.VISION_AGENT_REQUIRE_RTSP === "1";
if (missing !== undefined && !required) process.stdout.write(`RTSP: skipped, since ${missing}.\n`);

const never = new AbortController().signal;
const OPTIONS = { sourceId: "door", clock: systemClock };
const cleanUp: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of cleanUp.splice(0).reverse()) await stop();
});

describe.skipIf(missing === undefined || !required)("what the suite needs", () => {
  it("is installed", () => {
    expect(missing).toBeUndefined();
  });
});

describe.skipIf(missing !== undefined)("an RTSP camera", () => {
  it.each([
    ["h264", "tcp"],
    ["h264", "udp"],
    ["h265", "tcp"],
    ["h265", "udp"],
  ] as const)("gives frames of %s over %s", async (codec, transport) => {
    const { port } = await camera({ codec });
    const source = await open(`rtsp://127.0.0.1:${port}/cam?transport=${transport}`);
    const numbers = [];
    for (let count = 0; count < 10; count++) numbers.push((await source.next(never))!.metadata.frame_number);
    expect([source.width, source.height]).toEqual([320, 240]);
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
    expect(new Set(numbers).size).toBe(10);
  });

  it.each(["h264", "h265"] as const)("tells a probe that it sends %s", async (codec) => {
    const { port } = await camera({ codec });
    const found = await probeSource(`rtsp://127.0.0.1:${port}/cam`, OPTIONS);
    const name = codec === "h265" ? "hevc" : "h264";
    expect(found).toMatchObject({ ok: true, width: 320, height: 240, kind: "rtsp", codec: name });
  });

  it("is lost when it is unplugged and opened again when it is back", async () => {
    const first = await camera({ codec: "h264" });
    const address = `rtsp://127.0.0.1:${first.port}/cam`;
    const reasons: string[] = [];
    const feed = createSourceFeed({
      open: () => openSource(address, OPTIONS),
      sleep: (_, signal) => systemClock.sleep(300, signal),
      backOffMs: () => 300,
      onLost: (reason) => reasons.push(reason),
    });
    cleanUp.push(() => feed.close());
    await feed.open();
    expect(await feed.next(never)).toBeDefined();
    await first.stop();
    const waiting = takeAfterLoss(feed, reasons);
    await untilTrue(() => reasons.length >= 2);
    await camera({ codec: "h264", port: first.port });
    expect(await waiting).toBeDefined();
    expect(reasons[0]).toBe("The camera ended the connection.");
    expect(reasons[1]).toContain("refused the connection");
  });

  it("is lost when it freezes", async () => {
    const server = await camera({ codec: "h264" });
    const source = await open(`rtsp://127.0.0.1:${server.port}/cam`, { stallMs: 3000 });
    await source.next(never);
    server.freeze();
    const lost = async (): Promise<void> => {
      while ((await source.next(never)) !== undefined);
    };
    await expect(lost()).rejects.toMatchObject({
      kind: "source",
      reason: "timeout",
      message: "The camera sent no picture for 3 s.",
    });
  });

  it("lets in who knows the password, and tells who does not", async () => {
    const { port } = await camera({ codec: "h264", credentials: ["admin", "p@ss word", "basic"] });
    const source = await open(`rtsp://admin:p%40ss%20word@127.0.0.1:${port}/cam`);
    expect(await source.next(never)).toBeDefined();
    for (const wrong of ["admin:wrong@", ""]) {
      const found = await probeSource(`rtsp://${wrong}127.0.0.1:${port}/cam`, OPTIONS);
      expect(found).toMatchObject({ ok: false, reason: "credentials" });
      const opening = open(`rtsp://${wrong}127.0.0.1:${port}/cam`);
      await expect(opening).rejects.toMatchObject({ kind: "source", reason: "credentials" });
    }
  });

  it.each(["basic", "digest"] as const)("asks for a password by %s, which no process shows", async (scheme) => {
    const { port } = await camera({ codec: "h264", credentials: ["admin", "p@ss word", scheme] });
    for (const transport of ["tcp", "udp"]) {
      const source = await open(`rtsp://admin:p%40ss%20word@127.0.0.1:${port}/cam?transport=${transport}`);
      expect(await source.next(never)).toBeDefined();
      expect(decoders().length).toBeGreaterThan(0);
      expect(decoders().filter((shown) => /p(?:@|%40)ss|admin/.test(shown))).toEqual([]);
    }
  });

  it("is decoded and looked at once for two pipelines, a viewer and a single look", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rtsp-models-"));
    writeModelFolder(folder, "mine/colors");
    const engine = createEngine({ localModelFolder: folder, inferenceThreads: 1 });
    cleanUp.push(async () => {
      await engine.close();
      rmSync(folder, { recursive: true });
    });
    const { port } = await camera({ codec: "h264" });
    const wanted = { sourceId: "door", source: `rtsp://127.0.0.1:${port}/cam`, workflow: COLORS, maxFps: 5 };
    const before = childrenNamed("ffmpeg");
    const found = new Map<number, unknown[]>();
    const onResult = ({ frame, outputs }: FrameResult): void => {
      found.set(frame.frame_number, [...(found.get(frame.frame_number) ?? []), outputs.found]);
    };
    const pipelines = await Promise.all([1, 2].map(() => engine.startPipeline({ ...wanted, onResult })));
    const leave = pipelines[0]!.view(() => undefined);
    await untilTrue(() => [...found.values()].filter((both) => both.length === 2).length >= 10);
    await engine.runOnce(wanted);
    expect(childrenNamed("ffmpeg") - before).toBe(1);
    for (const [one, other] of found.values()) expect(other ?? one).toEqual(one);
    leave();
    await Promise.all(pipelines.map((pipeline) => pipeline.stop()));
    expect(childrenNamed("ffmpeg")).toBe(before);
  });

  it("tells that there is no such path", async () => {
    const { port } = await camera({ codec: "h264" });
    const found = await probeSource(`rtsp://127.0.0.1:${port}/other`, OPTIONS);
    expect(found).toMatchObject({ ok: false, reason: "not_found" });
  });
});

const COLORS: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [{ type: "ObjectDetectionModel", name: "model", images: "$inputs.image", model_id: "mine/colors" }],
  outputs: [{ type: "JsonField", name: "found", selector: "$steps.model.predictions" }],
};

/** Command lines and environments of what decodes. */
function decoders(): readonly string[] {
  return shownBy(/^ff(?:mpeg|probe)$/);
}

async function camera(options: CameraOptions): Promise<GstreamerCamera> {
  const started = await startCamera(options);
  cleanUp.push(() => started.stop());
  return started;
}

async function open(address: string, options: Partial<OpenSourceOptions> = {}): Promise<FrameSource> {
  const source = await openSource(address, { ...OPTIONS, ...options });
  cleanUp.push(() => source.close());
  return source;
}

/** Frames that waited when the plug was pulled come first. */
async function takeAfterLoss(feed: Pick<FrameSource, "next">, reasons: readonly string[]): Promise<unknown> {
  for (;;) {
    const frame = await feed.next(never);
    if (reasons.length > 0) return frame;
  }
}

async function untilTrue(condition: () => boolean): Promise<void> {
  while (!condition()) await systemClock.sleep(50);
}
