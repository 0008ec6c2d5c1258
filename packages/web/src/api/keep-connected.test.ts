import { describe, expect, it } from "vitest";
import { backOffMs, type ConnectionState, keepConnected, type Timekeeper } from "./keep-connected.ts";

describe("backOffMs", () => {
  it("doubles up to a limit and spreads over half of its length", () => {
    expect([0, 1, 2, 10].map((attempt) => backOffMs(attempt, 1))).toEqual([500, 1000, 2000, 15_000]);
    expect(backOffMs(2, 0)).toBe(1000);
  });
});

describe("keepConnected", () => {
  it("waits longer after every failure, and tells since when", async () => {
    const { states, ended } = follow(["refused", "refused", "refused", "open"]);
    await ended;
    expect(states).toEqual([
      "connecting",
      "lost refused since 0 retry 500",
      "lost refused since 0 retry 1000",
      "lost refused since 0 retry 2000",
      "open",
    ]);
  });

  it("goes on waiting longer when connections open but do not last", async () => {
    const { states, ended } = follow(["drop", "drop", "open"]);
    await ended;
    expect(states.filter((state) => state.startsWith("lost"))).toEqual([
      "lost the connection ended since 0 retry 500",
      "lost the connection ended since 500 retry 1000",
    ]);
  });

  it("waits shortly again after a connection that lasted", async () => {
    const { states, ended } = follow(["refused", "steady", "open"]);
    await ended;
    expect(states.at(-2)).toBe("lost the connection ended since 10500 retry 500");
  });

  it("tries at once when asked to", async () => {
    let attempts = 0;
    const connected = Promise.withResolvers<void>();
    const kept = keepConnected({
      time: { now: () => 0, random: () => 1, wait: untilAborted },
      onState: (state) => {
        if (state.kind === "lost") queueMicrotask(() => setTimeout(() => kept.retryNow()));
      },
      connect: async (opened, signal) => {
        attempts += 1;
        if (attempts === 1) throw new Error("refused");
        opened();
        connected.resolve();
        await untilAborted(0, signal);
      },
    });
    await connected.promise;
    kept.stop();
    expect(attempts).toBe(2);
  });

  it("says nothing more once it is stopped, twice", async () => {
    const states: string[] = [];
    const kept = keepConnected({
      time: { now: () => 0, random: () => 1, wait: untilAborted },
      onState: ({ kind }) => states.push(kind),
      connect: (_opened, signal) => untilAborted(0, signal),
    });
    kept.stop();
    kept.stop();
    await new Promise((done) => setTimeout(done));
    expect(states).toEqual(["connecting"]);
  });
});

type Fate = "refused" | "drop" | "steady" | "open";

/** Plays connections with these fates on a clock of its own; the last one stays open. */
function follow(fates: readonly Fate[]): { readonly states: readonly string[]; readonly ended: Promise<void> } {
  const states: string[] = [];
  const queue = [...fates];
  const ended = Promise.withResolvers<void>();
  let nowMs = 0;
  const time: Timekeeper = {
    now: () => nowMs,
    random: () => 1,
    wait: async (ms) => {
      nowMs += ms;
    },
  };
  const kept = keepConnected({
    time,
    onState: (state) => states.push(toWords(state)),
    connect: async (opened) => {
      const fate = queue.shift();
      if (fate === "refused") throw new Error("refused");
      opened();
      if (fate === "steady") nowMs += 10_000;
      if (fate !== "open") return;
      kept.stop();
      ended.resolve();
    },
  });
  return { states, ended: ended.promise };
}

function toWords(state: ConnectionState): string {
  if (state.kind !== "lost") return state.kind;
  return `lost ${state.reason} since ${state.sinceMs} retry ${state.retryInMs}`;
}

function untilAborted(_ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener("abort", () => done());
  });
}
