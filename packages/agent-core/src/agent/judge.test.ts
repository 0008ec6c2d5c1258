import { describe, expect, it } from "vitest";
import type { Json } from "../types/json.ts";
import { LoopDetector } from "./judge.ts";
import type { ToolStep } from "./tools.ts";

describe("LoopDetector", () => {
  it("finds the third time of the same call with the same result, whatever the order of keys", () => {
    const detector = new LoopDetector(3);
    expect(detector.note([step({ a: 1, b: 2 }, "same")])).toBeUndefined();
    expect(detector.note([step({ b: 2, a: 1 }, "same")])).toBeUndefined();
    expect(detector.note([step({ a: 1, b: 2 }, "same")])).toBe("look");
  });

  it("is content as long as arguments or results change", () => {
    const detector = new LoopDetector(3);
    for (let turn = 0; turn < 10; turn++) {
      expect(detector.note([step({ a: turn }, "same"), step({ a: "poll" }, `state ${turn}`)])).toBeUndefined();
    }
  });

  it("lets a run look at the same thing again and again while its work goes on", () => {
    const detector = new LoopDetector(3);
    for (let turn = 0; turn < 6; turn++) {
      expect(detector.note([step({ what: "queue" }, "empty")])).toBeUndefined();
      expect(detector.note([step({ write: turn }, "done")])).toBeUndefined();
    }
  });

  it("complaint 21: finds two calls that take turns", () => {
    const detector = new LoopDetector(3);
    const found = [0, 1, 2, 3, 4, 5].map((turn) => detector.note([step({ side: turn % 2 }, "same")]));
    expect(found.some((name) => name === "look")).toBe(true);
  });

  it("counts the same call several times in a turn as one", () => {
    const detector = new LoopDetector(3);
    expect(detector.note([step({}, "x"), step({}, "x"), step({}, "x")])).toBeUndefined();
  });
});

function step(args: { [key: string]: Json }, text: string): ToolStep {
  return {
    call: { id: "c", toolName: "look", arguments: args, state: "complete" },
    result: { type: "tool_result", callId: "c", toolName: "look", outcome: "ok", content: [{ type: "text", text }] },
    terminate: false,
  };
}
