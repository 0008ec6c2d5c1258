import { describe, expect, it } from "vitest";
import { frameOf } from "../testing/index.ts";
import { createFrameRing } from "./frame-ring.ts";

describe("createFrameRing", () => {
  it("keeps the last frames and lets the oldest go", () => {
    const ring = createFrameRing({ frames: 2, bytes: 1e6 });
    for (const frameNumber of [1, 2, 3]) ring.keep(frameOf({ frameNumber }));
    expect(ring.find()?.image.metadata.frame_number).toBe(3);
    expect(ring.find(2)?.image.metadata.frame_number).toBe(2);
    expect(ring.find(1)).toBeUndefined();
  });

  it("has a copy that the source cannot overwrite", () => {
    const ring = createFrameRing({ frames: 2, bytes: 1e6 });
    const frame = frameOf();
    const { image } = ring.keep(frame);
    frame.rgba.fill(1);
    expect(image.rgba[0]).toBe(128);
  });

  it("uses its memory again", () => {
    const ring = createFrameRing({ frames: 2, bytes: 1e6 });
    const first = ring.keep(frameOf()).image.rgba;
    ring.keep(frameOf());
    expect(ring.keep(frameOf()).image.rgba).toBe(first);
  });

  it("keeps large pictures for a shorter while, but two at least", () => {
    const size = frameOf().rgba.length;
    const ring = createFrameRing({ frames: 32, bytes: 3.5 * size });
    for (const frameNumber of [1, 2, 3, 4]) ring.keep(frameOf({ frameNumber }));
    expect(ring.find(1)).toBeUndefined();
    expect(ring.find(2)).toBeDefined();
    const tiny = createFrameRing({ frames: 32, bytes: 1 });
    for (const frameNumber of [1, 2, 3]) tiny.keep(frameOf({ frameNumber }));
    expect([1, 2, 3].map((frameNumber) => tiny.find(frameNumber) !== undefined)).toEqual([false, true, true]);
  });

  it("finds nothing before the first frame", () => {
    expect(createFrameRing({ frames: 4, bytes: 1e6 }).find()).toBeUndefined();
  });
});
