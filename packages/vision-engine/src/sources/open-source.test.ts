import { describe, expect, it } from "vitest";
import type { Frame } from "../frames/frame.ts";
import type { FrameSource, SourceClock } from "./frame-source.ts";
import { openSource } from "./open-source.ts";
import { probeSource } from "./probe-source.ts";

const NOON = Date.UTC(2026, 4, 4, 12);
const SMALL = "width=96&height=64&fps=10";
const never = new AbortController().signal;

describe("openSource", () => {
  it("names what can be opened instead of an unknown scheme, without its password", async () => {
    const opening = openSource("rtmp://admin:secret@10.0.0.1/stream", { sourceId: "door", clock: fakeClock() });
    await expect(opening).rejects.toMatchObject({
      kind: "source",
      reason: "unknown_scheme",
      message:
        "rtmp:// cannot be opened. A camera is rtsp://…, http://…, webcam:0, a video file, a picture, a folder of pictures, sim://street or sim://warehouse.",
    });
  });

  it("says how to install ffmpeg where it is missing", async () => {
    const opening = openSource("rtsp://10.0.0.1/stream", {
      sourceId: "door",
      clock: fakeClock(),
      ffmpegPath: "/nowhere/ffmpeg",
    });
    const message = expect.stringMatching(/^ffmpeg is not installed.*apt install ffmpeg/);
    await expect(opening).rejects.toMatchObject({ kind: "source", reason: "no_decoder", message });
  });

  it("shows two openers of the same moment the same picture", async () => {
    const clock = fakeClock();
    const first = await taken(await open(`sim://street?${SMALL}`, clock));
    const second = await taken(await open(`sim://street?${SMALL}`, clock));
    expect(hash(second)).toBe(hash(first));
    expect(second.truth).toEqual(first.truth);
  });

  it("dates and numbers frames", async () => {
    const clock = fakeClock();
    const source = await open(`sim://street?${SMALL}`, clock);
    expect([source.width, source.height, source.fps, source.label]).toEqual([96, 64, 10, `sim://street?${SMALL}`]);
    const metadata = { source_id: "door", width: 96, height: 64, fps: 10 };
    expect((await taken(source)).metadata).toEqual({
      ...metadata,
      frame_number: 1,
      timestamp: "2026-05-04T12:00:00.000Z",
    });
    expect((await taken(source)).metadata).toEqual({
      ...metadata,
      frame_number: 2,
      timestamp: "2026-05-04T12:00:00.100Z",
    });
  });
});

describe("live pace", () => {
  it("waits for the next place on the grid", async () => {
    const clock = fakeClock();
    const source = await open(`sim://street?${SMALL}`, clock);
    await taken(source);
    clock.pass(30);
    await taken(source);
    expect(clock.slept).toEqual([70]);
    expect(source.dropped).toBe(0);
  });

  it("gives the newest frame to who is late and counts the others", async () => {
    const clock = fakeClock();
    const source = await open(`sim://street?${SMALL}`, clock);
    await taken(source);
    clock.pass(450);
    expect((await taken(source)).metadata.frame_number).toBe(5);
    expect(source.dropped).toBe(3);
    expect(clock.slept).toEqual([]);
    expect((await taken(source)).metadata.frame_number).toBe(6);
    expect(clock.slept).toEqual([50]);
  });

  it("goes on at its own pace when the clock is set back", async () => {
    const clock = fakeClock();
    const source = await open(`sim://street?${SMALL}`, clock);
    await taken(source);
    clock.pass(-3_600_000);
    const frames = [await taken(source), await taken(source)];
    expect(clock.slept).toEqual([100, 100]);
    expect(frames.map(({ metadata }) => metadata.frame_number)).toEqual([2, 3]);
  });

  it("stops waiting with the reason when it is aborted", async () => {
    const clock: SourceClock = {
      now: () => NOON,
      sleep: (_, signal) =>
        new Promise((_wake, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true })),
    };
    const source = await open(`sim://street?${SMALL}`, clock);
    await taken(source);
    const stop = new AbortController();
    const waiting = source.next(stop.signal);
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(source.next(stop.signal)).rejects.toThrow("enough");
  });

  it("has ended once it is closed, which may happen twice", async () => {
    const source = await open(`sim://street?${SMALL}`, fakeClock());
    await source.close();
    await source.close();
    expect(await source.next(never)).toBeUndefined();
  });
});

describe("as fast as possible", () => {
  it("never sleeps, leaves nothing out, and dates frames as if it had waited", async () => {
    const clock = fakeClock();
    const options = { sourceId: "door", clock, pace: "as_fast_as_possible" } as const;
    const source = await openSource(`sim://street?${SMALL}&start=40`, options);
    const frames = [await taken(source), await taken(source), await taken(source)];
    expect(frames.map((frame) => frame.metadata.timestamp.slice(17, 23))).toEqual(["00.000", "00.100", "00.200"]);
    expect(frames.map((frame) => frame.metadata.frame_number)).toEqual([1, 2, 3]);
    expect(new Set(frames.map(hash)).size).toBe(3);
    expect([clock.slept, source.dropped]).toEqual([[], 0]);
  });
});

describe("faults", () => {
  it("does not answer during an outage, nor when opened anew in it, and then goes on", async () => {
    const clock = fakeClock();
    const address = `sim://street?${SMALL}&outage=10s@30s&start=0`;
    const source = await open(address, clock);
    clock.pass(30_000);
    await expect(source.next(never)).rejects.toMatchObject({ kind: "source", reason: "timeout" });
    expect(clock.slept).toEqual([]);
    const again = { sourceId: "door", clock, openedAt: NOON };
    clock.pass(2_500);
    await expect(openSource(address, again)).rejects.toThrow("a simulated outage, over in 8 s");
    clock.pass(7_500);
    const after = await taken(await openSource(address, again));
    const scene40 = await taken(await open(`sim://street?${SMALL}&start=40`, clock));
    expect(hash(after)).toBe(hash(scene40));
  });

  it("shows the same picture while it is frozen, with new numbers and times", async () => {
    const clock = fakeClock();
    const source = await open(`sim://street?${SMALL}&start=10&freeze=1s@200ms`, clock);
    const frames = [];
    for (let index = 0; index < 14; index++) frames.push(await taken(source));
    const frozen = frames.slice(2, 12);
    expect(new Set(frozen.map(hash)).size).toBe(1);
    expect(new Set(frozen.map((frame) => frame.metadata.timestamp)).size).toBe(10);
    expect(new Set([frames[1], frames[2], frames[12], frames[13]].map((frame) => hash(frame as Frame))).size).toBe(4);
  });

  it("is nearly black in the dark, with nothing to be found", async () => {
    const source = await open(`sim://street?${SMALL}&start=10&dark=100ms@100ms`, fakeClock());
    const [day, night, dayAgain] = [await taken(source), await taken(source), await taken(source)];
    expect(brightness(night)).toBeLessThan(brightness(day) / 6);
    expect(night.truth?.length).toBe(0);
    expect(brightness(dayAgain)).toBeGreaterThan(60);
  });

  it("looks elsewhere after a bump, and stays so", async () => {
    const [clock, other] = [fakeClock(), fakeClock()];
    const bumped = await open(`sim://warehouse?${SMALL}&start=10&bump=100ms`, clock);
    const steady = await open(`sim://warehouse?${SMALL}&start=10`, other);
    expect(hash(await taken(bumped))).toBe(hash(await taken(steady)));
    for (let index = 0; index < 2; index++) {
      expect(difference(await taken(bumped), await taken(steady))).toBeGreaterThan(8);
    }
  });
});

describe("probeSource", () => {
  const probe = (address: string): ReturnType<typeof probeSource> =>
    probeSource(address, { sourceId: "door", clock: fakeClock() });

  it("tells size and rate of a camera that works", async () => {
    expect(await probe(`sim://warehouse?${SMALL}`)).toEqual({ ok: true, width: 96, height: 64, fps: 10, kind: "sim" });
  });

  it.each([
    ["sim://mars", "unknown_scene", 'There is no scene "mars". The scenes are street and warehouse.'],
    ["sim://street?fps=0", "bad_option", 'The option fps of sim://street must be a number from 0.1 to 30, not "0".'],
    ["sim://street?outage=5s", "timeout", "The camera does not answer: a simulated outage, over in 5 s."],
  ])("tells why %s does not open", async (address, reason, message) => {
    expect(await probe(address)).toEqual({ ok: false, reason, message });
  });

  it("throws only when it is aborted", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    const probing = probeSource("sim://street", { sourceId: "door", clock: fakeClock(), signal });
    await expect(probing).rejects.toThrow("enough");
  });
});

interface FakeClock extends SourceClock {
  readonly slept: number[];
  pass(ms: number): void;
}

function fakeClock(): FakeClock {
  let now = NOON;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    pass: (ms) => {
      now += ms;
    },
    sleep: async (ms) => {
      slept.push(Math.round(ms));
      now += ms;
    },
  };
}

function open(address: string, clock: SourceClock): Promise<FrameSource> {
  return openSource(address, { sourceId: "door", clock });
}

/** With pixels that outlive the next frame. */
async function taken(source: FrameSource): Promise<Frame> {
  const frame = await source.next(never);
  if (frame === undefined) throw new Error("the source has ended");
  return { ...frame, rgba: frame.rgba.slice() };
}

function hash({ rgba }: Frame): number {
  return rgba.reduce((sum, value) => (Math.imul(sum, 31) + value) | 0, 7);
}

function brightness({ rgba }: Frame): number {
  // The lower half has no caption.
  const lower = rgba.subarray(rgba.length / 2);
  return lower.reduce((sum, value, index) => (index % 4 === 1 ? sum + value : sum), 0) / (lower.length / 4);
}

function difference(one: Frame, other: Frame): number {
  return (
    one.rgba.reduce((sum, value, index) => sum + Math.abs(value - (other.rgba[index] as number)), 0) / one.rgba.length
  );
}
