import { describe, expect, it } from "vitest";
import { createPushSource } from "./push-source.ts";

const never = new AbortController().signal;
const OPTIONS = { width: 2, height: 1, sourceId: "app", now: () => 5000 };

describe("createPushSource", () => {
  it("gives what is pushed, dated and numbered, then ends", async () => {
    const source = createPushSource({ ...OPTIONS, fps: 5, buffer: { filling: "WAIT", consumption: "LAZY", size: 4 } });
    await source.push(pixels(1), 1000);
    await source.push(pixels(2));
    source.end();
    const metadata = { source_id: "app", width: 2, height: 1, fps: 5 };
    const first = await source.next(never);
    expect([first?.rgba[0], first?.metadata]).toEqual([
      1,
      { ...metadata, frame_number: 1, timestamp: "1970-01-01T00:00:01.000Z" },
    ]);
    const second = await source.next(never);
    expect([second?.rgba[0], second?.metadata]).toEqual([
      2,
      { ...metadata, frame_number: 2, timestamp: "1970-01-01T00:00:05.000Z" },
    ]);
    expect(await source.next(never)).toBeUndefined();
  });

  it("gives the newest and counts the others, unless it is to wait", async () => {
    const live = createPushSource(OPTIONS);
    for (const value of [1, 2, 3, 4]) await live.push(pixels(value));
    expect((await live.next(never))?.rgba[0]).toBe(4);
    expect([live.dropped, live.drops]).toEqual([3, expect.objectContaining({ buffer_full: 2, not_taken_in_time: 1 })]);
    const patient = createPushSource({ ...OPTIONS, buffer: { filling: "WAIT", consumption: "LAZY", size: 1 } });
    let pushed = false;
    const pushing = patient.push(pixels(1)).then(() => {
      pushed = true;
    });
    await Promise.resolve();
    expect(pushed).toBe(false);
    await patient.next(never);
    await pushing;
    expect(pushed).toBe(true);
  });

  it("keeps no hold on the caller's pixels, and refuses a wrong size", async () => {
    const source = createPushSource(OPTIONS);
    const mine = pixels(9);
    await source.push(mine);
    mine.fill(0);
    expect((await source.next(never))?.rgba[0]).toBe(9);
    await expect(source.push(new Uint8Array(7))).rejects.toMatchObject({
      kind: "input",
      message: "A frame of 2 × 1 has 8 bytes of RGBA, not 7.",
    });
  });

  it("lets go of who waits when it is closed", async () => {
    const source = createPushSource({ ...OPTIONS, buffer: { filling: "WAIT", size: 1 } });
    const pushing = source.push(pixels(1));
    await source.close();
    await source.close();
    await pushing;
    expect(await source.next(never)).toBeUndefined();
  });
});

function pixels(value: number): Uint8ClampedArray {
  return new Uint8ClampedArray(8).fill(value);
}
