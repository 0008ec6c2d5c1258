import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { randomIds, systemClock } from "./clock.ts";
import { AgentError } from "./errors.ts";

describe("systemClock", () => {
  it("AI-14 wakes a sleeper when its signal fires, with a cancelled error", async () => {
    const controller = new AbortController();
    const sleep = systemClock.sleep(60_000, controller.signal);
    controller.abort();
    await expect(sleep).rejects.toMatchObject({ name: "AgentError", kind: "cancelled" });
    await expect(systemClock.sleep(1, controller.signal)).rejects.toBeInstanceOf(AgentError);
  });

  it("leaves no listener after a sleep", async () => {
    const { signal } = new AbortController();
    await systemClock.sleep(1, signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("sleeps longer than a timer of Node can, and still hears the signal", async () => {
    const controller = new AbortController();
    let woke = false;
    const sleeping = systemClock.sleep(Number.POSITIVE_INFINITY, controller.signal).then(
      () => {
        woke = true;
      },
      () => undefined,
    );
    await systemClock.sleep(30);
    expect(woke).toBe(false);
    controller.abort();
    await sleeping;
    expect(woke).toBe(false);
  });
});

describe("randomIds", () => {
  it("gives ids that are fit for a session and differ", () => {
    const ids = Array.from({ length: 100 }, () => randomIds.next("run"));
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^run_[a-z0-9]{16}$/);
  });
});
