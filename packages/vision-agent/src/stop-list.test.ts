import { describe, expect, it } from "vitest";
import { createStopList } from "./stop-list.ts";

describe("the stop list", () => {
  it("stops in reverse order, once, and passes over what fails", async () => {
    const order: string[] = [];
    const problems: string[] = [];
    const list = createStopList({ limitMs: 1000, onProblem: (message) => problems.push(message) });
    list.add(() => void order.push("first"));
    list.add(async () => {
      throw new Error("stuck drawer");
    });
    list.add(async () => void order.push("last"));
    await Promise.all([list.stop(), list.stop()]);
    expect(order).toEqual(["last", "first"]);
    expect(problems).toEqual(["While stopping: stuck drawer"]);
  });

  it("does not wait for ever", async () => {
    const problems: string[] = [];
    const list = createStopList({ limitMs: 20, onProblem: (message) => problems.push(message) });
    list.add(() => new Promise(() => undefined));
    await list.stop();
    expect(problems).toEqual(["Not everything stopped within 0.02 seconds."]);
  });
});
