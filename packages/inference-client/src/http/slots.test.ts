import { describe, expect, it } from "vitest";
import { createSlots } from "./slots.ts";

describe("createSlots", () => {
  const { signal } = new AbortController();

  it("lets so many in and the others in order", async () => {
    const slots = createSlots(1);
    const leave = await slots.take(signal);
    const order: string[] = [];
    const first = slots.take(signal).then((out) => {
      order.push("first");
      out();
    });
    const second = slots.take(signal).then((out) => {
      order.push("second");
      out();
    });
    expect(order).toEqual([]);
    leave();
    leave();
    await Promise.all([first, second]);
    expect(order).toEqual(["first", "second"]);
    (await slots.take(signal))();
  });

  it("lets one who gave up leave the queue without taking a slot", async () => {
    const slots = createSlots(1);
    const leave = await slots.take(signal);
    const impatient = new AbortController();
    const waiting = slots.take(impatient.signal);
    const patient = slots.take(signal);
    impatient.abort();
    await expect(waiting).rejects.toMatchObject({ kind: "cancelled" });
    leave();
    (await patient)();
  });
});
