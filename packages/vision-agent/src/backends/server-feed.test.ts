import { type FrameResult, frameResultSchema, type Json } from "@vision-agent/protocol";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { type ServedFrame, ServerFeed } from "./server-feed.ts";
import { FRAME_OUTPUT } from "./server-source.ts";

describe("what a server says, as results", () => {
  it("takes the size from the first frame itself, which never shows among the outputs", async () => {
    const { feed, results } = create();
    expect(feed.wanted()).toEqual([FRAME_OUTPUT]);
    feed.take(served({ outputs: { count: 2 } }));
    expect(results).toEqual([]);
    feed.take(served({ outputs: { count: 2, [FRAME_OUTPUT]: await image(64, 48) } }));
    expect(results[0]).toMatchObject({
      frame: { width: 64, height: 48 },
      outputs: { count: { kind: "value", value: 2 } },
    });
    expect(Object.keys(results[0]?.outputs ?? {})).toEqual(["annotated", "count"]);
    expect(feed.wanted()).toEqual([]);
  });

  it("names pictures that did not travel, with the size they had when they did", async () => {
    const { feed, results } = create();
    const size = { width: 64, height: 48 };
    feed.take(served({ size, outputs: { count: 1 } }));
    feed.take(served({ size, frameNumber: 2, outputs: { count: 1, annotated: await image(32, 24) } }));
    feed.take(served({ size, frameNumber: 3, outputs: { count: 1 } }));
    const sizes = results.map(({ outputs }) => outputs.annotated);
    expect(sizes).toEqual([
      { kind: "image", width: 64, height: 48 },
      { kind: "image", width: 32, height: 24 },
      { kind: "image", width: 32, height: 24 },
    ]);
    for (const result of results) expect(frameResultSchema.safeParse(result).error).toBeUndefined();
    expect((await feed.picture({ output: "annotated", frameNumber: 2 }))?.width).toBe(32);
  });

  it("keeps the last results, oldest first, and tells how many come in a second", () => {
    const { feed, clock } = create();
    for (let frameNumber = 1; frameNumber <= 600; frameNumber += 1) {
      clock.ms += 100;
      feed.take(served({ size: { width: 4, height: 4 }, frameNumber, outputs: {} }));
    }
    expect(feed.latest(2).map(({ frame }) => frame.frame_number)).toEqual([599, 600]);
    expect(feed.latest(0)).toEqual([]);
    expect(feed.latest(1000).length).toBeGreaterThanOrEqual(256);
    expect(feed.taken).toBe(600);
    expect(feed.fps).toBeCloseTo(10, 0);
    clock.ms += 5000;
    expect(feed.fps).toBe(0);
  });
});

function create() {
  const clock = { ms: 0 };
  const results: FrameResult[] = [];
  const feed = new ServerFeed({
    sourceId: "cam",
    outputs: ["annotated", "count"],
    isLive: () => true,
    monotonic: () => clock.ms,
    resize: async (bytes) => ({ bytes }),
    sleep: () => new Promise(() => undefined),
    onResult: (result) => results.push(result),
  });
  return { feed, results, clock };
}

function served(fields: Partial<ServedFrame>): ServedFrame {
  return { frameNumber: 1, takenAtMs: 0, latencyMs: 1, size: undefined, fps: 10, outputs: {}, ...fields };
}

async function image(width: number, height: number): Promise<Json> {
  const jpeg = await sharp({ create: { width, height, channels: 3, background: "blue" } })
    .jpeg()
    .toBuffer();
  return { type: "base64", value: jpeg.toString("base64") };
}
