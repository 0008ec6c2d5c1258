import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { RunProgram } from "./ffmpeg/ffprobe.ts";
import { systemClock } from "./frame-source.ts";
import { type Network, type ProbeSourceOptions, probeSource } from "./probe-source.ts";

const ADDRESS = "rtsp://admin:secret@cam.lan/live";
const folder = mkdtempSync(join(tmpdir(), "probe-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("probeSource", () => {
  it("tells size, rate and codec as ffprobe does", async () => {
    const streams = [
      { codec_type: "audio", codec_name: "aac" },
      { codec_type: "video", codec_name: "hevc", width: 1920, height: 1080, avg_frame_rate: "30000/1001" },
    ];
    const found = await probe({ run: printing({ streams }) });
    expect(found).toEqual({ ok: true, width: 1920, height: 1080, fps: 30_000 / 1001, kind: "rtsp", codec: "hevc" });
  });

  it.each([
    ["name_not_found", "There is no host called cam.lan", { network: failing("lookup", "ENOTFOUND") }],
    [
      "refused",
      "cam.lan is there but refused the connection on port 554.",
      { network: failing("connect", "ECONNREFUSED") },
    ],
    ["refused", "cam.lan cannot be reached from this machine.", { network: failing("connect", "EHOSTUNREACH") }],
    ["timeout", "cam.lan does not answer on port 554.", { network: failing("connect", "ETIMEDOUT") }],
    [
      "credentials",
      "The camera refused the user name",
      { run: printing({}, "method DESCRIBE failed: 401 Unauthorized") },
    ],
    ["not_found", "The camera has no stream under this path", { run: printing({}, "DESCRIBE failed: 404 Not Found") }],
    ["no_video", "The camera has no video in it.", { run: printing({ streams: [{ codec_type: "audio" }] }) }],
    ["codec", "The camera uses a video format", { run: printing({ streams: [{ codec_type: "video", width: 0 }] }) }],
    ["no_decoder", "ffprobe is not installed", { run: () => Promise.reject(new Error("spawn ENOENT")) }],
    [
      "other",
      "The camera could not be opened",
      { run: printing({}, "something odd about rtsp://admin:secret@cam.lan") },
    ],
  ] as const)("tells %s: %s…", async (reason, beginning, options) => {
    const found = await probe(options);
    expect(found).toMatchObject({ ok: false, reason, message: expect.stringContaining(beginning) });
    expect(JSON.stringify(found)).not.toMatch(/secret|admin/);
  });

  it("ends in time when nobody answers", async () => {
    const waiting = (signal: AbortSignal): Promise<never> =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
    const network: Network = { lookup: async () => undefined, connect: (_host, _port, signal) => waiting(signal) };
    expect(await probe({ network, timeoutMs: 60 })).toMatchObject({ ok: false, reason: "timeout" });
    const run: RunProgram = (_program, _call, signal) => waiting(signal);
    expect(await probe({ run, timeoutMs: 60 })).toMatchObject({ ok: false, reason: "timeout" });
    const silent: Network = { lookup: () => new Promise(() => undefined), connect: async () => undefined };
    expect(await probe({ network: silent, timeoutMs: 60 })).toMatchObject({ ok: false });
  });

  it.each([
    ["missing.mp4", "not_found", "There is no file or folder"],
    ["empty.mp4", "no_video", "is empty."],
    ["broken.png", "no_video", "is damaged, or no picture at all."],
    ["", "no_pictures", "holds no picture that can be read."],
  ])("tells what is wrong with the file %s", async (name, reason, part) => {
    writeFileSync(join(folder, "empty.mp4"), "");
    writeFileSync(join(folder, "broken.png"), "not a picture");
    const found = await probeSource(join(folder, name), { sourceId: "door", clock: systemClock });
    expect(found).toMatchObject({ ok: false, reason, message: expect.stringContaining(part) });
  });

  it("does not read a device that is no camera", async () => {
    const found = await probeSource("/dev/zero", { sourceId: "door", clock: systemClock });
    expect(found).toMatchObject({
      ok: false,
      reason: "no_video",
      message: expect.stringContaining("no video, picture"),
    });
  });

  it("knows that there is no such webcam", async () => {
    const found = await probeSource("webcam:97", { sourceId: "door", clock: systemClock });
    expect(found).toMatchObject({ ok: false });
  });
});

function probe(options: Partial<ProbeSourceOptions>): ReturnType<typeof probeSource> {
  const network: Network = { lookup: async () => undefined, connect: async () => undefined };
  return probeSource(ADDRESS, { sourceId: "door", clock: systemClock, network, run: printing({}), ...options });
}

function printing(output: object, stderr = ""): RunProgram {
  return async () => ({ stdout: JSON.stringify(output), stderr });
}

function failing(step: keyof Network, code: string): Network {
  const fail = async (): Promise<never> => Promise.reject(Object.assign(new Error(code), { code }));
  return { lookup: async () => undefined, connect: async () => undefined, [step]: fail };
}
