import { describe, expect, it } from "vitest";
import { frameOf } from "../testing/index.ts";
import { createFramePool } from "./frame-pool.ts";
import { createFrameRing } from "./frame-ring.ts";

const pool = createFramePool();

describe("createFrameRing", () => {
  it("keeps the last frames and lets the oldest go", () => {
    const ring = createFrameRing({ frames: 2, bytes: 1e6 });
    for (const frameNumber of [1, 2, 3]) ring.keep(pool.copy(frameOf({ frameNumber })));
    expect(ring.find()?.image.metadata.frame_number).toBe(3);
    expect(ring.find(2)?.image.metadata.frame_number).toBe(2);
    expect(ring.find(1)).toBeUndefined();
  });

  it("has a copy that the source cannot overwrite", () => {
    const ring = createFrameRing({ frames: 2, bytes: 1e6 });
    const frame = frameOf();
    const { image } = ring.keep(pool.copy(frame));
    frame.rgba.fill(1);
    expect(image.rgba[0]).toBe(128);
  });

  it("keeps a frame that somebody else let go of", () => {
    const ring = createFrameRing({ frames: 2, bytes: 1e6 });
    const shared = pool.copy(frameOf({ frameNumber: 1 }));
    shared.hold();
    const { image } = ring.keep(shared);
    shared.letGo();
    const other = pool.copy(frameOf({ frameNumber: 2 }));
    expect(other.image.rgba).not.toBe(image.rgba);
    other.letGo();
  });

  it("uses its memory again", () => {
    const pool = createFramePool();
    const ring = createFrameRing({ frames: 2, bytes: 1e6 });
    const first = ring.keep(pool.copy(frameOf())).image.rgba;
    ring.keep(pool.copy(frameOf()));
    ring.keep(pool.copy(frameOf()));
    expect(ring.keep(pool.copy(frameOf())).image.rgba).toBe(first);
  });

  it("keeps large pictures for a shorter while, but two at least", () => {
    const size = frameOf().rgba.length;
    const ring = createFrameRing({ frames: 32, bytes: 3.5 * size });
    for (const frameNumber of [1, 2, 3, 4]) ring.keep(pool.copy(frameOf({ frameNumber })));
    expect(ring.find(1)).toBeUndefined();
    expect(ring.find(2)).toBeDefined();
    const tiny = createFrameRing({ frames: 32, bytes: 1 });
    for (const frameNumber of [1, 2, 3]) tiny.keep(pool.copy(frameOf({ frameNumber })));
    expect([1, 2, 3].map((frameNumber) => tiny.find(frameNumber) !== undefined)).toEqual([false, true, true]);
  });

  it("finds nothing before the first frame", () => {
    expect(createFrameRing({ frames: 4, bytes: 1e6 }).find()).toBeUndefined();
  });
});
