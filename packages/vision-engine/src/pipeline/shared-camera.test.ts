import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { EngineError } from "../errors.ts";
import type { Frame } from "../frames/frame.ts";
import type { PooledFrame } from "../frames/frame-pool.ts";
import { NO_DROPS } from "../sources/frame-source.ts";
import { frameOf } from "../testing/index.ts";
import { type CameraGuest, SharedCamera } from "./shared-camera.ts";
import type { SourceFeed } from "./source-set.ts";

const SIGNAL = new AbortController().signal;

describe("a camera that several look at", () => {
  it("is opened once, gives all the same picture, and is closed with the last", async () => {
    const { join, give, told } = cameraOf();
    const [one, other] = [await join(), await join()];
    const frames = [one.next(SIGNAL), other.next(SIGNAL)];
    give(1);
    const [first, second] = await Promise.all(frames);
    expect(first!.image).toBe(second!.image);
    await one.close();
    await one.close();
    expect(told).toEqual(["opened"]);
    const next = other.next(SIGNAL);
    give(2);
    expect((await next)!.image.metadata.frame_number).toBe(2);
    await other.close();
    expect(told).toEqual(["opened", "closed"]);
  });

  it("does not let one that is slow hold back another, and gives it the newest frame when it is ready", async () => {
    const { join, give, pass } = cameraOf();
    const [quick, slow] = [await join(), await join()];
    for (let frame = 1; frame <= 5; frame++) {
      const [next] = [quick.next(SIGNAL), ...(frame === 1 ? [slow.next(SIGNAL)] : [])];
      await nextTurn();
      give(frame);
      expect(numberOf(await next)).toBe(frame);
      pass(100);
    }
    // The fifth came just now.
    pass(-60);
    expect(numberOf(await slow.next(SIGNAL))).toBe(5);
    expect(slow.drops.not_taken_in_time).toBe(3);
    expect(quick.drops).toEqual(NO_DROPS);
  });

  it("does not give an old frame to who comes late", async () => {
    const { join, give, pass } = cameraOf();
    const [quick, slow] = [await join(), await join()];
    const next = quick.next(SIGNAL);
    give(1);
    await next;
    pass(150);
    const late = slow.next(SIGNAL);
    await nextTurn();
    give(2);
    expect(numberOf(await late)).toBe(2);
  });

  it("lets all with the same rate take the same frames, whenever they came", async () => {
    const { join, give } = cameraOf();
    const taken: number[][] = [[], []];
    const look = async (feed: SourceFeed<PooledFrame>, at: number): Promise<void> => {
      for (;;) taken[at]!.push(numberOf(await feed.next(SIGNAL)));
    };
    void look(await join({ maxFps: 2 }), 0);
    await playFrames(give, 1, 8);
    void look(await join({ maxFps: 2 }), 1);
    await playFrames(give, 9, 30);
    expect(taken[0]).toEqual([1, 6, 11, 16, 21, 26]);
    expect(taken[1]).toEqual([11, 16, 21, 26]);
  });

  it("keeps the frame of a lower rate for one that is busy when it comes", async () => {
    const { join, give, pass } = cameraOf();
    const [quick, slow] = [await join({ maxFps: 10 }), await join({ maxFps: 2 })];
    const look = async (): Promise<void> => {
      for (;;) await quick.next(SIGNAL);
    };
    const first = slow.next(SIGNAL);
    void look();
    await playFrames(give, 1, 1);
    await first;
    await playFrames(give, 2, 7);
    // Two frames after its turn, long before the next.
    pass(200);
    expect(numberOf(await slow.next(SIGNAL))).toBe(6);
  });

  it("counts what a rate leaves out for those who wanted fewer frames", async () => {
    const { join, give } = cameraOf();
    const feed = await join({ maxFps: 5 });
    const look = async (): Promise<void> => {
      for (;;) await feed.next(SIGNAL);
    };
    void look();
    await playFrames(give, 1, 10);
    expect(feed.drops.rate_limit).toBe(5);
  });

  it("waits only while all are paused, and counts no drops for the one that is", async () => {
    const { join, told, drop } = cameraOf();
    const [one, other] = [await join(), await join()];
    one.pause();
    drop(7);
    expect([one.drops.buffer_full, other.drops.buffer_full]).toEqual([0, 7]);
    other.pause();
    one.resume();
    expect(told).toEqual(["opened", "paused", "resumed"]);
    expect(one.drops.buffer_full).toBe(0);
    drop(2);
    expect([one.drops.buffer_full, other.drops.buffer_full]).toEqual([2, 7]);
  });

  it("tells all that it is lost, and refuses who comes meanwhile", async () => {
    const { join, lose, give } = cameraOf();
    const reasons: string[] = [];
    const onLost = (reason: string): void => void reasons.push(reason);
    const one = await join({ onLost });
    await join({ onLost });
    lose("It does not answer.");
    expect(reasons).toEqual(["It does not answer.", "It does not answer."]);
    await expect(join()).rejects.toMatchObject({ kind: "source", message: "It does not answer." });
    const next = one.next(SIGNAL);
    give(1);
    await next;
    await join();
  });

  it("has one health, which those who come later are told, too", async () => {
    const { join, lose } = cameraOf();
    const states: string[] = [];
    const guest = (name: string): Partial<CameraGuest> => ({
      onHealth: ({ state }) => states.push(`${name} ${state}`),
    });
    await join(guest("one"));
    lose("gone", 0);
    lose("gone", 11_000);
    const error = await join(guest("late")).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EngineError);
    expect(states).toEqual(["one down"]);
  });

  it("fails for all when it breaks, and ends for all when it ends", async () => {
    const broken = cameraOf();
    const waiting = [await broken.join(), await broken.join()].map((feed) => feed.next(SIGNAL));
    await nextTurn();
    broken.fail(new Error("a wheel came off"));
    for (const one of waiting) await expect(one).rejects.toThrow("a wheel came off");
    const over = cameraOf();
    const [one, other] = [await over.join(), await over.join()];
    const next = one.next(SIGNAL);
    await nextTurn();
    over.end();
    expect([await next, await other.next(SIGNAL)]).toEqual([undefined, undefined]);
  });

  it("lets go of one that stops waiting", async () => {
    const { join, give } = cameraOf();
    const [one, other] = [await join(), await join()];
    const stop = new AbortController();
    const [stopped, going] = [one.next(stop.signal), other.next(SIGNAL)];
    stop.abort(new Error("stopped"));
    await expect(stopped).rejects.toThrow("stopped");
    give(1);
    expect(numberOf(await going)).toBe(1);
  });
});

function numberOf(frame: PooledFrame | undefined): number {
  return frame!.image.metadata.frame_number;
}

async function playFrames(give: (frameNumber: number) => void, from: number, to: number): Promise<void> {
  for (let frame = from; frame <= to; frame++) {
    await nextTurn();
    give(frame);
    await nextTurn();
  }
}

/** A camera of ten frames a second whose frames come when a test says so. */
function cameraOf() {
  const told: string[] = [];
  let nowMs = 0;
  let wallMs = 0;
  let drops = NO_DROPS;
  let waiting = Promise.withResolvers<Frame | undefined>();
  let lose: (reason: string) => void = () => undefined;
  const next = (): PromiseWithResolvers<Frame | undefined> => {
    const before = waiting;
    waiting = Promise.withResolvers();
    return before;
  };
  const feed: SourceFeed = {
    get drops() {
      return drops;
    },
    open: async () => void told.push("opened"),
    next: () => waiting.promise,
    pause: () => void told.push("paused"),
    resume: () => void (told.at(-1) === "paused" && told.push("resumed")),
    close: async () => void told.push("closed"),
  };
  const camera = new SharedCamera({
    createFeed: (onLost) => {
      lose = onLost;
      return feed;
    },
    wallClock: () => wallMs,
    now: () => nowMs,
  });
  return {
    told,
    async join(guest: Partial<CameraGuest> = {}) {
      const joined = camera.join({ maxFps: 30, onLost: () => undefined, onHealth: () => undefined, ...guest });
      await joined.open();
      return joined;
    },
    give: (frameNumber: number) => next().resolve(frameOf({ frameNumber })),
    fail: (error: Error) => next().reject(error),
    end: () => next().resolve(undefined),
    lose(reason: string, atMs = wallMs) {
      wallMs = atMs;
      lose(reason);
    },
    drop(frames: number) {
      drops = { ...drops, buffer_full: drops.buffer_full + frames };
    },
    pass(ms: number) {
      nowMs += ms;
    },
  };
}
