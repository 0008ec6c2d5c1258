import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { ClientError } from "../errors.ts";
import { createMultipartReader, createVideoDecoder } from "./video-decoder.ts";
import { createVideoEncoder } from "./video-encoder.ts";

describe("createMultipartReader", () => {
  it("gives parts by their length, however the bytes are cut", () => {
    const parts = [Buffer.from("a\r\n\r\nb"), Buffer.from("cc")];
    const stream = Buffer.concat(
      parts.flatMap((part) => [
        Buffer.from(`--x\r\nContent-type: image/jpeg\r\nContent-length: ${part.length}\r\n\r\n`),
        part,
        Buffer.from("\r\n"),
      ]),
    );
    for (const step of [1, 7, stream.length]) {
      const read: string[] = [];
      const reader = createMultipartReader((part) => read.push(part.toString()));
      for (let at = 0; at < stream.length; at += step) reader(stream.subarray(at, at + step));
      expect(read).toEqual(parts.map(String));
    }
  });
});

describe.skipIf(!hasFfmpeg())("coding with ffmpeg", () => {
  it("gives each picture back as it went in, in order, and says which it is", async () => {
    const pictures: [number | undefined, number][] = [];
    const decoder = createVideoDecoder({
      ffmpegPath: "ffmpeg",
      onPicture: (jpeg, tag) => pictures.push([tag, brightness(jpeg)]),
      onFailure: unexpected,
    });
    const encoder = open((frame) =>
      decoder.push({ timestamp: 0, key: (frame.bytes[0]! & 1) === 0, bytes: frame.bytes }, frame.capturedAt),
    );
    const levels = [40, 200, 90, 160];
    for (const [at, level] of levels.entries()) {
      encoder.push({ kind: "rgba", capturedAt: at, bytes: new Uint8Array(64 * 48 * 4).fill(level) });
      await soon(() => expect(pictures).toHaveLength(at + 1));
    }
    expect(pictures.map(([tag]) => tag)).toEqual([0, 1, 2, 3]);
    for (const [at, [, level]] of pictures.entries()) expect(Math.abs(level - levels[at]!)).toBeLessThan(8);
    await Promise.all([encoder.close(), decoder.close(), encoder.close(), decoder.close()]);
  });

  it("leaves out damaged pictures and goes on", async () => {
    const coded: number[] = [];
    const encoder = open(({ capturedAt }) => coded.push(capturedAt));
    const good = jpeg();
    const damaged = Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(500, 7)]);
    for (const [at, bytes] of [good, damaged, damaged, good, good].entries()) {
      encoder.push({ kind: "jpeg", capturedAt: at, bytes });
      await sleep(50);
    }
    await soon(() => expect(coded).toEqual([0, 3, 4]));
    await encoder.close();
  });

  it("says so when nothing but damaged pictures comes", async () => {
    const failures: ClientError[] = [];
    const encoder = open(
      () => undefined,
      (error) => failures.push(error),
    );
    for (let at = 0; at < 400; at++)
      encoder.push({ kind: "jpeg", capturedAt: at, bytes: Uint8Array.of(0xff, 0xd8, 0) });
    expect(failures.map(({ kind }) => kind)).toEqual(["invalid"]);
    await encoder.close();
  });
});

function open(onFrame: (frame: { bytes: Buffer; capturedAt: number }) => void, onFailure = unexpected) {
  return createVideoEncoder({ ffmpegPath: "ffmpeg", width: 64, height: 48, fps: 10, onFrame, onFailure });
}

function unexpected(error: ClientError): void {
  throw error;
}

function jpeg(): Buffer {
  const words = [
    "-f",
    "lavfi",
    "-i",
    "testsrc2=size=64x48:rate=1",
    "-frames:v",
    "1",
    "-c:v",
    "mjpeg",
    "-f",
    "image2pipe",
    "-",
  ];
  return spawnSync("ffmpeg", ["-v", "error", "-nostdin", ...words]).stdout;
}

/** Mean of the pixels' green. */
function brightness(jpegBytes: Uint8Array): number {
  const words = ["-f", "image2pipe", "-i", "-", "-vf", "scale=1:1", "-pix_fmt", "rgb24", "-f", "rawvideo", "-"];
  return spawnSync("ffmpeg", ["-v", "error", ...words], { input: jpegBytes }).stdout[1]!;
}

function hasFfmpeg(): boolean {
  const there = spawnSync("ffmpeg", ["-version"]).status === 0;
  if (!there) process.stdout.write("coding with ffmpeg: skipped, since ffmpeg is not installed.\n");
  return there;
}

/** Long enough for a machine that is busy. */
async function soon(check: () => void): Promise<void> {
  await vi.waitFor(check, 8000);
}
