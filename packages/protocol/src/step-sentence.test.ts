import { describe, expect, it } from "vitest";
import { stepLine, stepSentence } from "./step-sentence.ts";

describe("stepSentence", () => {
  it("says what was done to what, and where", () => {
    expect(stepLine("start_pipeline", { name: "dock-count", sources: ["dock"] }, true)).toBe(
      "started dock-count on dock",
    );
    expect(stepLine("start_pipeline", { name: "dock-count" }, false)).toBe("starting dock-count");
    expect(stepLine("capture_frame", { camera: "street" }, true)).toBe("looked at street");
    expect(stepLine("start_pipeline", { sources: ["a", "b"] }, true)).toBe("started a, b");
  });

  it("says the name of a tool it does not know", () => {
    expect(stepLine("count_sheep", null, true)).toBe("count sheep");
  });

  it("keeps a long subject short", () => {
    expect(stepSentence("recall", { query: "x".repeat(100) }, true).subject).toHaveLength(40);
  });
});
