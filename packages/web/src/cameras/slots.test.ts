import { describe, expect, it } from "vitest";
import { createSlots } from "./slots.ts";

const forever = new AbortController().signal;

describe("createSlots", () => {
  it("lets the next one in when a place is given back", async () => {
    const slots = createSlots(1);
    const giveBack = await slots.take(forever);
    const order: string[] = [];
    const second = slots.take(forever).then((done) => {
      order.push("second");
      done();
    });
    order.push("first");
    giveBack();
    await second;
    expect(order).toEqual(["first", "second"]);
  });

  it("counts a place that is given back twice once", async () => {
    const slots = createSlots(1);
    const giveBack = await slots.take(forever);
    giveBack();
    giveBack();
    await slots.take(forever);
    const leaving = new AbortController();
    const third = slots.take(leaving.signal);
    leaving.abort(new Error("left"));
    await expect(third).rejects.toThrow("left");
  });

  it("does not keep a place for one who left the queue", async () => {
    const slots = createSlots(1);
    const giveBack = await slots.take(forever);
    const leaving = new AbortController();
    const left = slots.take(leaving.signal);
    const waiting = slots.take(forever);
    leaving.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    giveBack();
    await expect(waiting).resolves.toBeTypeOf("function");
  });
});
