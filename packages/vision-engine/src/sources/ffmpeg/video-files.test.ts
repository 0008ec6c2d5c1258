import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ffmpeg, hasFfmpeg, TEST_PICTURE } from "../__fixtures__/ffmpeg.ts";
import { type OpenSourceOptions, openSource } from "../open-source.ts";
import { probeSource } from "../probe-source.ts";

const never = new AbortController().signal;
const CLOCK = { now: () => 0, sleep: async () => undefined };
const OPTIONS = { sourceId: "door", clock: CLOCK, openedAt: Date.UTC(2026, 0, 1) };

describe.skipIf(!hasFfmpeg("video files"))("video files", () => {
  const folder = mkdtempSync(join(tmpdir(), "videos-"));
  const clip = join(folder, "clip.mp4");
  ffmpeg(...TEST_PICTURE, "-frames:v", "30", "-c:v", "libx264", clip);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("gives every frame with exact time and number, the same each time", async () => {
    const { frames, source } = await readAll(clip);
    expect(source).toMatchObject({ width: 96, height: 64, fps: 10, dropped: 0, label: clip });
    expect(frames.map(({ metadata }) => metadata.frame_number)).toEqual(
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
    expect(frames[29]!.metadata).toEqual({
      ...{ source_id: "door", width: 96, height: 64, fps: 10, frame_number: 30 },
      ...{ timestamp: "2026-01-01T00:00:02.900Z", comes_from_video_file: true, total_frames: 30 },
    });
    expect((await readAll(clip)).frames).toEqual(frames);
  });

  it("keeps the times of a file whose frames are not evenly spaced", async () => {
    const uneven = join(folder, "uneven.mkv");
    ffmpeg(...TEST_PICTURE, "-frames:v", "6", "-vf", "setpts=N*N/10/TB", "-fps_mode", "vfr", "-c:v", "libx264", uneven);
    const { frames } = await readAll(uneven);
    const seconds = frames.map(({ metadata }) => (Date.parse(metadata.timestamp) - OPTIONS.openedAt) / 1000);
    expect(seconds).toEqual([0, 0.1, 0.4, 0.9, 1.6, 2.5]);
  });

  it("leaves out and makes smaller inside the decoder", async () => {
    const { frames, source } = await readAll(clip, { maxFps: 5, maxEdge: 48 });
    expect([source.width, source.height]).toEqual([48, 32]);
    expect(frames.map(({ metadata }) => metadata.frame_number)).toEqual(
      Array.from({ length: 15 }, (_, index) => 2 * index + 1),
    );
    expect(source.drops?.rate_limit).toBe(14);
  });

  it("writes into memory that is handed in", async () => {
    const { frames } = await readAll(clip, {
      allocate: (bytes) => new Uint8ClampedArray(new SharedArrayBuffer(bytes)),
    });
    expect(frames).toEqual((await readAll(clip)).frames);
  });

  it("goes on in the first size when a file changes its own", async () => {
    const [small, large, both] = ["small.ts", "large.ts", "both.ts"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    ffmpeg(...TEST_PICTURE, "-frames:v", "5", "-c:v", "libx264", small);
    ffmpeg(...TEST_PICTURE, "-frames:v", "5", "-vf", "scale=192:128", "-c:v", "libx264", large);
    writeFileSync(both, Buffer.concat([readFileSync(small), readFileSync(large)]));
    const { frames } = await readAll(both);
    expect(frames.map(({ metadata }) => metadata.width)).toEqual(Array.from({ length: 10 }, () => 96));
  });

  it("stops in the middle, twice, while frames wait", async () => {
    const source = await openSource(clip, OPTIONS);
    await source.next(never);
    await source.close();
    await source.close();
    expect(await source.next(never)).toBeUndefined();
  });

  it("is not opened when aborted", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(openSource(clip, { ...OPTIONS, signal })).rejects.toThrow("enough");
  });

  it("ends early when the file was cut off, and refuses what has no beginning", async () => {
    const cut = join(folder, "cut.mkv");
    ffmpeg("-i", clip, "-c", "copy", cut);
    const bytes = readFileSync(cut);
    writeFileSync(cut, bytes.subarray(0, bytes.length * 0.6));
    const { frames } = await readAll(cut);
    expect(frames.length).toBeGreaterThan(0);
    expect(frames.length).toBeLessThan(30);
    const headless = join(folder, "headless.mp4");
    writeFileSync(headless, readFileSync(clip).subarray(0, 2000));
    await expect(openSource(headless, OPTIONS)).rejects.toMatchObject({ kind: "source", reason: "no_video" });
  });

  it("finds no video in music, and reads odd sizes", async () => {
    const music = join(folder, "music.wav");
    ffmpeg("-f", "lavfi", "-i", "sine=duration=0.2", music);
    await expect(openSource(music, OPTIONS)).rejects.toMatchObject({ kind: "source", reason: "no_video" });
    expect(await probeSource(music, OPTIONS)).toMatchObject({ ok: false, reason: "no_video" });
    const odd = join(folder, "odd.mkv");
    ffmpeg("-f", "lavfi", "-i", "testsrc=size=33x17:rate=5", "-frames:v", "3", "-c:v", "ffv1", odd);
    const { frames, source } = await readAll(odd);
    expect([source.width, source.height, frames.length]).toEqual([33, 17, 3]);
  });
});

async function readAll(address: string, options: Partial<OpenSourceOptions> = {}) {
  const source = await openSource(address, { ...OPTIONS, ...options });
  const frames = [];
  for (let frame = await source.next(never); frame !== undefined; frame = await source.next(never)) {
    frames.push({
      metadata: frame.metadata,
      sum: frame.rgba.reduce((sum, value) => (Math.imul(sum, 31) + value) | 0, 7),
    });
  }
  await source.close();
  return { source, frames };
}
