import { describe, expect, it } from "vitest";
import { systemClock } from "./frame-source.ts";

describe("systemClock", () => {
  it("wakes after the time", async () => {
    const before = systemClock.now();
    await systemClock.sleep(12);
    expect(systemClock.now() - before).toBeGreaterThanOrEqual(10);
  });

  it("rejects with the reason as soon as it is aborted", async () => {
    const stop = new AbortController();
    const sleeping = systemClock.sleep(60_000, stop.signal);
    stop.abort(new Error("enough"));
    await expect(sleeping).rejects.toThrow("enough");
    await expect(systemClock.sleep(60_000, stop.signal)).rejects.toThrow("enough");
  });
});
