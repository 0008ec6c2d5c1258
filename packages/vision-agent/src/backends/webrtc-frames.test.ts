import type { SessionFrame } from "@vision-agent/inference-client";
import { EngineError, type FrameSource, systemClock } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { type LocalFramesOptions, openLocalFrames } from "./webrtc-frames.ts";

const NEVER = new AbortController().signal;

describe("a camera of this machine, as frames for a session", () => {
  it("gives even pictures: an odd last column and row are left out", async () => {
    const frames = await open({ width: 3, height: 3, times: [0] });
    expect([frames.width, frames.height]).toEqual([2, 2]);
    const pushed: SessionFrame[] = [];
    expect(await frames.pump((frame) => pushed.push(frame), NEVER)).toEqual({ kind: "ended" });
    const red = [...(pushed[0]?.bytes ?? [])].filter((_, at) => at % 4 === 0);
    // Pixels are numbered row by row.
    expect(red).toEqual([0, 1, 3, 4]);
  });

  it("copies the pixels, which the source uses again, and keeps the time they were taken", async () => {
    const frames = await open({ width: 2, height: 2, times: [1000, 2000] });
    const pushed: SessionFrame[] = [];
    await frames.pump((frame) => pushed.push(frame), NEVER);
    expect(pushed.map(({ bytes }) => bytes[3])).toEqual([1, 2]);
    expect(pushed.map(({ capturedAt }) => capturedAt)).toEqual([1000, 2000]);
  });

  it("leaves out what is more than was asked for", async () => {
    const times = Array.from({ length: 21 }, (_, at) => at * 50);
    const frames = await open({ width: 2, height: 2, times, maxFps: 5 });
    expect(frames.fps).toBe(5);
    const pushed: SessionFrame[] = [];
    await frames.pump((frame) => pushed.push(frame), NEVER);
    expect(pushed).toHaveLength(6);
  });

  it("tells the reason when the camera is lost", async () => {
    const frames = await open({ width: 2, height: 2, times: [0], failure: "The cable is out." });
    expect(await frames.pump(() => undefined, NEVER)).toEqual({ kind: "lost", reason: "The cable is out." });
  });
});

interface Camera {
  readonly width: number;
  readonly height: number;
  /** When frames are taken, in milliseconds since 1970. */
  readonly times: readonly number[];
  readonly maxFps?: number;
  readonly failure?: string;
}

function open({ width, height, times, maxFps, failure }: Camera) {
  const rgba = new Uint8ClampedArray(width * height * 4).map((_, at) => at / 4);
  const left = [...times];
  const source: FrameSource = {
    label: "cam",
    width,
    height,
    fps: 20,
    dropped: 0,
    next: async () => {
      const time = left.shift();
      if (time === undefined && failure) throw new EngineError({ kind: "source", reason: "timeout", message: failure });
      if (time === undefined) return undefined;
      const frame_number = times.length - left.length;
      rgba[3] = frame_number;
      const timestamp = new Date(time).toISOString();
      return { metadata: { source_id: "cam", frame_number, timestamp, width, height, fps: 20 }, rgba };
    },
    close: async () => undefined,
  };
  const options: LocalFramesOptions = {
    address: "sim://street",
    sourceId: "cam",
    maxFps,
    clock: systemClock,
    openedAt: 0,
    signal: NEVER,
    openSource: async () => source,
  };
  return openLocalFrames(options);
}
