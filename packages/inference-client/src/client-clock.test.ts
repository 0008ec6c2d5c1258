import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { systemClock } from "./client-clock.ts";

describe("systemClock", () => {
  it("wakes a sleeper whose signal fires, with a cancelled error", async () => {
    const controller = new AbortController();
    const sleep = systemClock.sleep(60_000, controller.signal);
    controller.abort();
    await expect(sleep).rejects.toMatchObject({ name: "ClientError", kind: "cancelled" });
    await expect(systemClock.sleep(1, controller.signal)).rejects.toMatchObject({ kind: "cancelled" });
  });

  it("leaves no listener after a sleep", async () => {
    const { signal } = new AbortController();
    await systemClock.sleep(1, signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(systemClock.now()).toBeGreaterThan(systemClock.monotonic());
  });
});
