import { describe, expect, it } from "vitest";
import { FrameBuffer } from "./frame-buffer.ts";
import type { ConsumptionStrategy, FillingStrategy } from "./frame-source.ts";

const never = new AbortController().signal;

describe("S000-2.1.5 FrameBuffer", () => {
  it.each([
    ["DROP_OLDEST", "LAZY", [3, 4, 5], { buffer_full: 2, not_taken_in_time: 0 }],
    ["DROP_LATEST", "LAZY", [1, 2, 3], { buffer_full: 2, not_taken_in_time: 0 }],
    ["DROP_OLDEST", "EAGER", [5], { buffer_full: 2, not_taken_in_time: 2 }],
    ["DROP_LATEST", "EAGER", [3], { buffer_full: 2, not_taken_in_time: 2 }],
  ] as const)(
    "of %s and %s gives what it should of five frames in three places",
    async (filling, consumption, given, drops) => {
      const { buffer, write } = bufferOf(filling, consumption, 3);
      for (let number = 1; number <= 5; number++) write(number);
      buffer.end();
      expect(await all(buffer)).toEqual(given);
      expect(buffer.drops.counts).toMatchObject(drops);
      expect(buffer.drops.total).toBe(drops.buffer_full + drops.not_taken_in_time);
    },
  );

  it("of WAIT is full until a frame is taken, and then tells so", async () => {
    const { buffer, write, rooms } = bufferOf("WAIT", "LAZY", 2);
    write(1);
    expect(buffer.full).toBe(false);
    write(2);
    expect([buffer.full, rooms()]).toEqual([true, 0]);
    expect((await buffer.take(never))?.frameNumber).toBe(1);
    expect([buffer.full, rooms()]).toEqual([false, 1]);
    expect(buffer.drops.total).toBe(0);
  });

  it("leaves a frame alone until the next one is taken, and takes memory only once", async () => {
    const { buffer, write, allocated } = bufferOf("DROP_OLDEST", "EAGER", 2);
    write(1);
    const first = await buffer.take(never);
    for (let number = 2; number <= 20; number++) write(number);
    expect(first?.rgba[0]).toBe(1);
    expect((await buffer.take(never))?.rgba[0]).toBe(20);
    for (let number = 21; number <= 40; number++) write(number);
    expect(allocated()).toBe(4);
  });

  it.each([
    ["ADAPTIVE_DROP_OLDEST", true],
    ["DROP_OLDEST", false],
  ] as const)("of %s leaves out frames for a slow consumer: %s", async (filling, leavesOut) => {
    const clock = { ms: 0 };
    const { buffer, write } = bufferOf(filling, "LAZY", 64, () => clock.ms);
    for (let number = 1; number <= 120; number++) {
      clock.ms += 40;
      write(number);
      // 25 come each second, 5 are taken.
      if (number % 5 === 0) await buffer.take(never);
    }
    expect(buffer.drops.counts.consumer_behind > 0).toBe(leavesOut);
  });

  it("waits for a frame, and stops waiting when aborted", async () => {
    const { buffer, write } = bufferOf("WAIT", "LAZY", 2);
    const waiting = buffer.take(never);
    write(7);
    expect((await waiting)?.frameNumber).toBe(7);
    const stop = new AbortController();
    const aborted = buffer.take(stop.signal);
    stop.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
  });

  it("gives what it has before it tells that the source is lost", async () => {
    const { buffer, write } = bufferOf("DROP_OLDEST", "EAGER", 2);
    write(1);
    buffer.fail(new Error("unplugged"));
    expect((await buffer.take(never))?.frameNumber).toBe(1);
    await expect(buffer.take(never)).rejects.toThrow("unplugged");
  });

  it("forgets live frames of a pause without counting them, and makes a file wait", async () => {
    const live = bufferOf("DROP_OLDEST", "EAGER", 2);
    live.write(1);
    live.buffer.pause();
    live.write(2);
    live.buffer.resume();
    live.write(3);
    expect([(await live.buffer.take(never))?.frameNumber, live.buffer.drops.total]).toEqual([3, 0]);
    const file = bufferOf("WAIT", "LAZY", 2);
    file.buffer.pause();
    expect(file.buffer.full).toBe(true);
    file.buffer.resume();
    expect([file.buffer.full, file.rooms()]).toEqual([false, 1]);
  });
});

function bufferOf(filling: FillingStrategy, consumption: ConsumptionStrategy, size: number, now = () => 0) {
  let [rooms, allocated] = [0, 0];
  const buffer = new FrameBuffer({
    ...{ filling, consumption, size, now, frameBytes: 4 },
    allocate: (bytes) => {
      allocated += 1;
      return new Uint8ClampedArray(bytes);
    },
    onRoom: () => {
      rooms += 1;
    },
  });
  const write = (frameNumber: number): void => {
    buffer.filling.fill(frameNumber);
    buffer.commit({ frameNumber, takenAt: 0 });
  };
  return { buffer, write, rooms: () => rooms, allocated: () => allocated };
}

async function all(buffer: FrameBuffer): Promise<number[]> {
  const numbers: number[] = [];
  for (let frame = await buffer.take(never); frame; frame = await buffer.take(never)) numbers.push(frame.frameNumber);
  return numbers;
}
