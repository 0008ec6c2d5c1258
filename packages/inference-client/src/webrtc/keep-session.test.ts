import { describe, expect, it } from "vitest";
import type { ClientClock } from "../client-clock.ts";
import { ClientError } from "../errors.ts";
import { type KeepOptions, type KeptMessage, type KeptSession, type KeptState, keepSession } from "./keep-session.ts";
import type { WebRtcSession } from "./open-session.ts";
import type {
  SessionEnd,
  SessionFrame,
  SessionMessage,
  SessionOptions,
  SessionOutputs,
  SessionSource,
} from "./session.ts";

const RTSP: SessionSource = { kind: "rtsp", url: "rtsp://camera.local/1" };

describe("keepSession", () => {
  it("passes results on, numbered, with the server they came from", async () => {
    const { world, messages, kept } = keep();
    const session = await world.opened(0);
    session.give(3);
    session.give(4);
    expect(messages.map(({ sequence, frameId, server }) => [sequence, frameId, server])).toEqual([
      [1, 3, "a"],
      [2, 4, "a"],
    ]);
    expect(kept.server).toBe("a");
    await kept.stop();
  });

  it("starts anew after a session broke, later each time, on the server that is named next", async () => {
    const { world, kept, states, failures } = keep({ labels: ["a", "b"] });
    (await world.opened(0)).finish({ kind: "failed", error: lost() });
    await world.passes(999);
    expect(world.sessions).toHaveLength(1);
    await world.passes(1);
    (await world.opened(1)).finish({ kind: "failed", error: lost() });
    await world.passes(1999);
    expect(world.sessions).toHaveLength(2);
    await world.passes(1);
    (await world.opened(2)).give(1);
    expect(kept.server).toBe("a");
    expect(states.filter(([state]) => state === "waiting")).toEqual([
      ["waiting", "lost"],
      ["waiting", "lost"],
    ]);
    expect(failures).toEqual(["a", "b"]);
    expect(kept.figures()).toMatchObject({ sessions: 3, failures: 2 });
    await kept.stop();
  });

  it("opens a fresh session before the time limit and closes the old one at the first new result", async () => {
    const { world, messages, kept, states } = keep({ options: { processingTimeoutS: 3600, overlapMs: 100_000 } });
    const old = await world.opened(0);
    await world.keepsGiving(old, 3_495_000);
    expect(world.sessions).toHaveLength(1);
    await world.keepsGiving(old, 10_000);
    expect(states.at(-1)).toEqual(["replacing", "The session nears its time limit."]);
    const fresh = await world.opened(1);
    const before = messages.length;
    old.give(90_001);
    expect(messages).toHaveLength(before + 1);
    expect(old.closed).toBe(false);
    fresh.give(1);
    expect(old.closed).toBe(true);
    old.give(90_002);
    fresh.give(2);
    expect(messages.slice(-3).map(({ frameId }) => frameId)).toEqual([90_001, 1, 2]);
    expect(messages.map(({ sequence }) => sequence)).toEqual(messages.map((_, at) => at + 1));
    expect(kept.state).toBe("running");
    await kept.stop();
  });

  it("opens a fresh session beside one that fell silent", async () => {
    const { world, kept, states } = keep();
    const old = await world.opened(0);
    old.give(1);
    await world.passes(15_000);
    expect(states.at(-1)).toEqual(["replacing", "No result came for 15 s."]);
    const fresh = await world.opened(1);
    expect(old.closed).toBe(false);
    fresh.give(1);
    expect(old.closed).toBe(true);
    await kept.stop();
  });

  it("keeps the old session when the fresh one fails, and tries again", async () => {
    const { world, kept, messages } = keep();
    const old = await world.opened(0);
    old.give(1);
    await world.passes(15_000);
    (await world.opened(1)).finish({ kind: "failed", error: lost() });
    await world.passes(500);
    old.give(2);
    expect(messages.map(({ frameId }) => frameId)).toEqual([1, 2]);
    expect(kept.state).toBe("replacing");
    await world.passes(1000);
    (await world.opened(2)).give(1);
    expect(old.closed).toBe(true);
    await kept.stop();
  });

  it("lets the fresh session take over at once when the old one dies", async () => {
    const { world, kept } = keep();
    const old = await world.opened(0);
    old.give(1);
    await world.passes(15_000);
    await world.opened(1);
    old.finish({ kind: "failed", error: lost() });
    await world.passes(0);
    expect(kept.state).toBe("running");
    expect(world.sessions).toHaveLength(2);
    await kept.stop();
  });

  it("tells a frame once that both sessions saw, by the server's clock or the picture's time", async () => {
    for (const time of ["receivedAt", "capturedAt"] as const) {
      const source: SessionSource = time === "receivedAt" ? RTSP : { kind: "frames", width: 64, height: 48, fps: 5 };
      const { world, messages, kept } = keep({ options: { source } });
      const at = (second: number): Partial<SessionMessage> =>
        time === "receivedAt" ? { receivedAt: `2026-11-15T04:58:5${second}` } : { capturedAt: second };
      const old = await world.opened(0);
      old.give(1, at(1));
      kept.push(FRAME);
      await world.passes(5000);
      kept.push(FRAME);
      await world.passes(10_000);
      const fresh = await world.opened(1);
      old.give(2, at(3));
      fresh.give(1, at(2));
      fresh.give(2, at(3));
      expect(old.closed).toBe(false);
      fresh.give(3, at(4));
      expect(messages.map((message) => message[time])).toEqual([at(1), at(3), at(4)].map((each) => each[time]));
      expect(kept.figures().duplicates).toBe(2);
      await kept.stop();
    }
  });

  it("does not take silence for a fault while nothing is pushed", async () => {
    const { world, kept } = keep({ options: { source: { kind: "frames", width: 64, height: 48, fps: 5 } } });
    (await world.opened(0)).give(1);
    await world.passes(600_000);
    expect(world.sessions).toHaveLength(1);
    await kept.stop();
  });

  it("takes a file up where a broken session left it, and ends with the file", async () => {
    const { world, messages, kept } = keep({ options: { source: { kind: "file", path: "/v.mp4" } } });
    const first = await world.opened(0);
    for (const frameId of [1, 2, 3]) first.give(frameId);
    first.finish({ kind: "failed", error: lost() });
    await world.passes(1000);
    const second = await world.opened(1);
    for (const frameId of [1, 2, 3, 4, 5]) second.give(frameId);
    second.finish({ kind: "completed" });
    expect(await kept.ended).toEqual({ kind: "completed" });
    expect(messages.map(({ frameId }) => frameId)).toEqual([1, 2, 3, 4, 5]);
    expect(kept.state).toBe("ended");
  });

  it("opens a camera again that ended by itself", async () => {
    const { world, kept, states } = keep();
    const session = await world.opened(0);
    session.give(1);
    session.finish({ kind: "completed" });
    await world.passes(1000);
    await world.opened(1);
    expect(states).toContainEqual(["waiting", "The camera's stream ended."]);
    await kept.stop();
  });

  it("goes on at once after the time limit, but not when it was too short for a result", async () => {
    const { world, kept, states } = keep();
    const session = await world.opened(0);
    session.give(1);
    session.finish({ kind: "time_limit" });
    (await world.opened(1)).finish({ kind: "time_limit" });
    await world.passes(0);
    expect(states.at(-1)).toEqual(["waiting", "The server's time limit is too short for a result."]);
    await kept.stop();
  });

  it("gives up when another try would end the same way", async () => {
    const refusal = new ClientError({ kind: "invalid", message: "Invalid data_output fields." });
    const { kept, states } = keep({ options: { open: () => Promise.reject(refusal) } });
    expect(await kept.ended).toEqual({ kind: "failed", error: refusal });
    expect(states.at(-1)).toEqual(["ended", "Invalid data_output fields."]);
  });

  it("goes on asking for a server when none can be had", async () => {
    let asked = 0;
    const next = (): Promise<never> => {
      asked += 1;
      return Promise.reject(new ClientError({ kind: "network", message: "No server answers." }));
    };
    const { world, kept, states } = keep({ options: { next } });
    await world.passes(200_000);
    expect(asked).toBeGreaterThan(5);
    expect(asked).toBeLessThan(12);
    expect(states.at(-1)).toEqual(["waiting", "No server answers."]);
    await kept.stop();
  });

  it("pushes into both sessions while they overlap and starts the next one with the outputs of the last", async () => {
    const { world, kept } = keep({ options: { source: { kind: "frames", width: 64, height: 48, fps: 5 } } });
    const old = await world.opened(0);
    expect(kept.push(FRAME)).toBe(true);
    kept.setOutputs({ data: ["viz"] });
    old.give(1);
    await world.passes(5000);
    kept.push(FRAME);
    await world.passes(10_000);
    const fresh = await world.opened(1);
    kept.push(FRAME);
    expect([old.pushed, fresh.pushed]).toEqual([3, 1]);
    expect(old.outputs).toEqual([{ data: ["viz"] }]);
    expect(fresh.options.dataOutput).toEqual(["viz"]);
    await kept.stop();
  });

  it("stops twice, also while a session is being opened, and closes what is open", async () => {
    const { world, kept } = keep();
    const session = await world.opened(0);
    await Promise.all([kept.stop(), kept.stop()]);
    expect(session.closed).toBe(true);
    expect(await kept.ended).toEqual({ kind: "stopped" });
    const hanging = keep({ options: { open: ({ signal }) => rejectedBy(signal!) } });
    await hanging.world.passes(10);
    await hanging.kept.stop();
    expect(hanging.kept.state).toBe("ended");
  });
});

const FRAME: SessionFrame = { kind: "jpeg", capturedAt: 0, bytes: Uint8Array.of(0xff, 0xd8) };

function keep(setup: { labels?: readonly string[]; options?: Partial<KeepOptions> } = {}): {
  world: World;
  kept: KeptSession;
  messages: KeptMessage[];
  states: [KeptState, string | undefined][];
  failures: string[];
} {
  const world = new World();
  const [messages, states, failures]: [KeptMessage[], [KeptState, string | undefined][], string[]] = [[], [], []];
  const labels = setup.labels ?? ["a"];
  let asked = 0;
  const kept = keepSession({
    workflow: { specification: { version: "1.0", inputs: [], steps: [], outputs: [] } },
    source: RTSP,
    clock: world.clock,
    next: async () => ({
      label: labels[asked++ % labels.length]!,
      client: { webrtc: { initialise: () => Promise.reject(lost()) } },
    }),
    open: (options) => world.open(options),
    onMessage: (message) => void messages.push(message),
    onState: (state, reason) => void states.push([state, reason]),
    onFailure: (label) => void failures.push(label),
    ...setup.options,
  });
  return { world, kept, messages, states, failures };
}

function lost(): ClientError {
  return new ClientError({ kind: "network", message: "lost" });
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason)));
}

/** A clock that is moved by hand, and the sessions that were opened. */
class World {
  readonly sessions: FakeSession[] = [];
  #now = 0;
  #sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  readonly clock: ClientClock = {
    now: () => this.#now,
    monotonic: () => this.#now,
    sleep: (ms, signal) =>
      new Promise((done, fail) => {
        this.#sleepers.push({ at: this.#now + ms, wake: done });
        signal?.addEventListener("abort", () => fail(signal.reason), { once: true });
      }),
  };

  async open(options: SessionOptions): Promise<WebRtcSession> {
    const session = new FakeSession(options);
    this.sessions.push(session);
    return session;
  }

  async opened(at: number): Promise<FakeSession> {
    await tick();
    return this.sessions[at]!;
  }

  async passes(ms: number): Promise<void> {
    const until = this.#now + ms;
    await tick();
    for (;;) {
      const due = this.#sleepers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#sleepers = this.#sleepers.filter((each) => each !== due);
      this.#now = Math.max(this.#now, due.at);
      due.wake();
      await tick();
    }
    this.#now = until;
  }

  async keepsGiving(session: FakeSession, ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 5000) {
      await this.passes(5000);
      session.give(this.#now / 5000);
    }
  }
}

function tick(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}

class FakeSession implements WebRtcSession {
  readonly options: SessionOptions;
  readonly outputs: SessionOutputs[] = [];
  readonly #ended = Promise.withResolvers<SessionEnd>();
  state: WebRtcSession["state"] = "running";
  closed = false;
  pushed = 0;

  constructor(options: SessionOptions) {
    this.options = options;
    options.signal?.addEventListener("abort", () => void this.close());
  }

  get ended(): Promise<SessionEnd> {
    return this.#ended.promise;
  }

  give(frameId: number, message: Partial<SessionMessage> = {}): void {
    const nothing = {
      width: undefined,
      height: undefined,
      videoSeconds: undefined,
      receivedAt: undefined,
      capturedAt: undefined,
    };
    void this.options.onMessage({ frameId, outputs: {}, errors: [], ...nothing, ...message });
  }

  finish(end: SessionEnd): void {
    this.state = "ended";
    this.#ended.resolve(end);
  }

  push(): boolean {
    this.pushed += 1;
    return true;
  }

  setOutputs(outputs: SessionOutputs): void {
    this.outputs.push(outputs);
  }

  figures(): ReturnType<WebRtcSession["figures"]> {
    return { results: 0, unreadable: 0, framesPushed: this.pushed, framesDropped: 0, pictures: 0 };
  }

  async close(): Promise<void> {
    this.closed = true;
    this.finish({ kind: "closed" });
  }
}
