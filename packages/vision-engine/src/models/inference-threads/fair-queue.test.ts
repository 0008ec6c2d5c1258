import { describe, expect, it } from "vitest";
import { createFairQueue } from "./serve-inference.ts";

describe("createFairQueue", () => {
  it("gives each client its turn, however much another one asks for", () => {
    const queue = createFairQueue<string>();
    for (const item of ["a1", "a2", "a3"]) queue.add(1, item);
    queue.add(2, "b1");
    queue.add(3, "c1");
    queue.add(2, "b2");
    expect(takeAll(queue)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
    expect(queue.take()).toBeUndefined();
  });

  it("takes those that go together, but none that stands behind another", () => {
    const queue = createFairQueue<string>();
    queue.add(1, "x1");
    queue.add(2, "y1");
    queue.add(2, "x2");
    queue.add(3, "x3");
    queue.add(4, "x4");
    expect(queue.takeWhere((item) => item.startsWith("x"), 2)).toEqual(["x1", "x3"]);
    expect(takeAll(queue)).toEqual(["y1", "x4", "x2"]);
  });

  it("forgets what a client wanted that is gone", () => {
    const queue = createFairQueue<string>();
    queue.add(1, "a");
    queue.add(1, "b");
    queue.add(2, "c");
    expect(queue.drop(1)).toBe(2);
    expect(queue.drop(7)).toBe(0);
    expect(takeAll(queue)).toEqual(["c"]);
  });
});

function takeAll(queue: ReturnType<typeof createFairQueue<string>>): readonly string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}
