import { describe, expect, it } from "vitest";
import { createManualClock } from "../testing/manual-clock.ts";
import { FrameDelivery, toFrameTime } from "./frame-delivery.ts";
import type { HostedResult } from "./supervised-pipeline.ts";

describe("FrameDelivery", () => {
  it("counts what the server left out, but not what passed during a pause", () => {
    const { delivery, results } = createDelivery();
    for (const id of [1, 2, 5]) delivery.take(frame(id), false);
    delivery.take(frame(9), true);
    delivery.take(frame(10), false);
    expect(results.map(({ frameNumber }) => frameNumber)).toEqual([1, 2, 5, 10]);
    expect(delivery.dropped).toBe(2);
    expect(delivery.processed).toBe(4);
  });

  it("does not deliver a frame that is older than the last", () => {
    const { delivery, results } = createDelivery();
    for (const id of [3, 2, 3, 4]) delivery.take(frame(id), false);
    expect(results.map(({ frameNumber }) => frameNumber)).toEqual([3, 4]);
  });

  it("numbers each source of one pipeline for itself and skips one without a frame", () => {
    const { delivery, results } = createDelivery();
    const [first, second] = [frame(1, 0).frames[0], frame(7, 1).frames[0]];
    delivery.take({ frames: [first, second] }, false);
    delivery.take({ frames: [undefined, frame(8, 1).frames[0]] }, false);
    expect(results.map(({ sourceIndex, frameNumber }) => [sourceIndex, frameNumber])).toEqual([
      [0, 1],
      [1, 7],
      [1, 8],
    ]);
  });

  it("leaves out all pictures but the ones asked for", () => {
    let wanted: readonly string[] = [];
    const { delivery } = createDelivery(() => wanted);
    delivery.take({ frames: [{ ...frame(1).frames[0]!, outputs: { viz: PICTURE, crops: [PICTURE], n: 1 } }] }, false);
    expect(delivery.excludedFields()).toEqual(["viz", "crops"]);
    wanted = ["viz"];
    expect(delivery.excludedFields()).toEqual(["crops"]);
    wanted = ["viz", "crops"];
    expect(delivery.excludedFields()).toEqual([]);
  });

  it("tells the rate of the last three seconds", async () => {
    const { delivery, clock } = createDelivery();
    for (let id = 1; id <= 30; id += 1) {
      delivery.take(frame(id), false);
      await clock.advance(100);
    }
    expect(delivery.fps).toBeGreaterThan(9);
    await clock.advance(4000);
    expect(delivery.fps).toBe(0);
  });
});

const PICTURE = { type: "base64", value: "A" };

describe("toFrameTime", () => {
  const now = Date.UTC(2026, 10, 15, 4, 58, 9);

  it.each([
    ["2026-11-15T04:58:07.325285", "a server in UTC"],
    ["2026-11-15T10:28:07.325285", "a server in India"],
    ["2026-11-14T20:58:07.325285", "a server in California"],
    ["2026-11-15T04:58:07.325Z", "a server that names its zone"],
  ])("reads %s of %s as the same moment", (timestamp) => {
    expect(toFrameTime(timestamp, now, false)).toBe(Date.UTC(2026, 10, 15, 4, 58, 7, 325));
  });

  it("leaves the date of a file as it is, and gives now for what is no date", () => {
    expect(toFrameTime("2020-01-01T00:00:00.5", now, true)).toBe(Date.UTC(2020, 0, 1, 0, 0, 0, 500));
    expect(toFrameTime("soon", now, false)).toBe(now);
  });
});

function createDelivery(wantsImages: () => readonly string[] = () => []) {
  const clock = createManualClock();
  const results: HostedResult[] = [];
  const onResult = (result: HostedResult): void => void results.push(result);
  const delivery = new FrameDelivery({ isFile: false, clock, wantsImages, onResult });
  return { delivery, results, clock };
}

function frame(frameId: number, sourceId = 0) {
  return { frames: [{ sourceId, frameId, timestamp: "2026-11-15T04:58:07.325285", outputs: { n: 1 } }] };
}
