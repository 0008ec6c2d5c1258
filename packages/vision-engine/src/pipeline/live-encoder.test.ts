import type { FrameResult } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { createFramePool } from "../frames/frame-pool.ts";
import { createFrameRing } from "../frames/frame-ring.ts";
import { frameOf } from "../testing/index.ts";
import { createLiveEncoder } from "./pipeline-thread.ts";

describe("createLiveEncoder", () => {
  it("encodes nothing while nobody looks", async () => {
    const { live, encoded } = setUp();
    live.offer(...frame(1));
    await settled();
    expect(encoded).toEqual([]);
  });

  it("leaves out frames until the last picture has been shown", async () => {
    const { live, encoded, shown } = setUp();
    live.setWatched(true);
    live.offer(...frame(1));
    live.offer(...frame(2));
    await settled();
    live.offer(...frame(3));
    expect(encoded).toEqual([1]);
    live.shown();
    live.offer(...frame(4));
    await settled();
    expect(encoded).toEqual([1, 4]);
    expect(shown).toEqual([1, 4]);
  });

  it("tells of a picture that could not be encoded and goes on", async () => {
    const { live, errors, encoded } = setUp(1);
    live.setWatched(true);
    live.offer(...frame(1));
    await settled();
    live.offer(...frame(2));
    await settled();
    expect(errors).toHaveLength(1);
    expect(encoded).toEqual([1, 2]);
  });
});

const settled = (): Promise<void> => new Promise((wake) => setImmediate(wake));

function setUp(failsAt = 0) {
  const encoded: number[] = [];
  const shown: number[] = [];
  const errors: unknown[] = [];
  const live = createLiveEncoder({
    encode: async ({ image }) => {
      encoded.push(image.metadata.frame_number);
      if (image.metadata.frame_number === failsAt) throw new Error("no");
      return { jpeg: new Uint8Array(1), width: 1, height: 1, frame: image.metadata };
    },
    onPicture: (_, result) => shown.push(result.frame.frame_number),
    onError: (error) => errors.push(error),
  });
  return { live, encoded, shown, errors };
}

function frame(frameNumber: number) {
  const kept = createFrameRing({ frames: 4, bytes: 1e6 }).keep(createFramePool().copy(frameOf({ frameNumber })));
  const result: FrameResult = { frame: kept.image.metadata, outputs: {}, latency_ms: 1 };
  return [kept, result] as const;
}
