import { describe, expect, it } from "vitest";
import { EngineError } from "../errors.ts";
import type { FrameSource } from "../sources/frame-source.ts";
import { frameOf, frameSourceOf } from "../testing/index.ts";
import { createSourceFeed, standardBackOffMs } from "./source-set.ts";

const LOST = new EngineError({ kind: "source", reason: "timeout", message: "gone" });
const SIGNAL = new AbortController().signal;

describe("createSourceFeed", () => {
  it("opens a lost source again, waiting longer each time", async () => {
    const { feed, waits, reasons } = feedOf([
      frameSourceOf([frameOf(), LOST]),
      LOST,
      LOST,
      frameSourceOf([frameOf({ frameNumber: 2 }), LOST]),
      frameSourceOf([]),
    ]);
    await feed.open();
    expect((await feed.next(SIGNAL))?.metadata.frame_number).toBe(1);
    expect((await feed.next(SIGNAL))?.metadata.frame_number).toBe(2);
    expect(await feed.next(SIGNAL)).toBeUndefined();
    expect(waits).toEqual([500, 1000, 2000, 500]);
    expect(reasons).toEqual(["gone", "gone", "gone", "gone"]);
  });

  it("does not try again what is our own fault", async () => {
    const { feed } = feedOf([frameSourceOf([new Error("broken")])]);
    await expect(feed.next(SIGNAL)).rejects.toThrow("broken");
  });

  it("does not begin a file anew that was lost, and ends an opening when it is closed", async () => {
    const lost = createSourceFeed({
      open: async () => frameSourceOf([LOST]),
      ...{ sleep: async () => undefined, backOffMs: () => 0, onLost: () => undefined, reopens: false },
    });
    await expect(lost.next(SIGNAL)).rejects.toBe(LOST);
    const slow = createSourceFeed({
      open: (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      ...{ sleep: async () => undefined, backOffMs: () => 0, onLost: () => undefined },
    });
    const opening = slow.open();
    await slow.close();
    await expect(opening).rejects.toMatchObject({ message: "The source was closed." });
  });

  it("does not hide that the first opening failed", async () => {
    await expect(feedOf([LOST]).feed.open()).rejects.toBe(LOST);
  });

  it("adds up dropped frames over all openings", async () => {
    const first = { ...frameSourceOf([LOST]), dropped: 3 };
    const { feed } = feedOf([first, { ...frameSourceOf([frameOf()]), dropped: 4 }]);
    await feed.next(SIGNAL);
    expect(feed.drops.not_taken_in_time).toBe(7);
    await feed.close();
    await feed.close();
    expect(feed.drops.not_taken_in_time).toBe(7);
  });
});

describe("standardBackOffMs", () => {
  it("doubles from half a second up to ten", () => {
    expect([0, 1, 2, 3, 4, 5, 50].map(standardBackOffMs)).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  });
});

/** A feed whose openings give these sources, or fail. */
function feedOf(openings: (FrameSource | Error)[]) {
  const waits: number[] = [];
  const reasons: string[] = [];
  const feed = createSourceFeed({
    open: async () => {
      const next = openings.shift()!;
      if (next instanceof Error) throw next;
      return next;
    },
    sleep: async (ms) => {
      waits.push(ms);
    },
    backOffMs: standardBackOffMs,
    onLost: (reason) => reasons.push(reason),
  });
  return { feed, waits, reasons };
}
