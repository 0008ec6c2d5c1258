import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createChildAbort, raceAbort } from "./clock.ts";

describe("createChildAbort", () => {
  it("follows its parent with the parent's reason", () => {
    const parent = new AbortController();
    const child = createChildAbort(parent.signal);
    parent.abort("why");
    expect([child.signal.aborted, child.signal.reason]).toEqual([true, "why"]);
  });

  it("is aborted at once under a parent that is", () => {
    expect(createChildAbort(AbortSignal.abort("late")).signal.reason).toBe("late");
  });

  it("leaves no listener on the parent after dispose", () => {
    const parent = new AbortController();
    for (let round = 0; round < 100; round++) {
      const child = createChildAbort(parent.signal);
      child.dispose();
      child.dispose();
    }
    expect(getEventListeners(parent.signal, "abort")).toHaveLength(0);
  });

  it("does not abort its parent", () => {
    const parent = new AbortController();
    createChildAbort(parent.signal).abort("own");
    expect(parent.signal.aborted).toBe(false);
  });
});

describe("raceAbort", () => {
  it("gives the value and leaves no listener", async () => {
    const { signal } = new AbortController();
    expect(await raceAbort(Promise.resolve(7), signal)).toBe(7);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("rejects with the reason although the promise never settles", async () => {
    const controller = new AbortController();
    const race = raceAbort(new Promise(() => undefined), controller.signal);
    controller.abort(new Error("enough"));
    await expect(race).rejects.toThrow("enough");
  });
});
