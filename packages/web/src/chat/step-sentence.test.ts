import { describe, expect, it } from "vitest";
import { stepSentence } from "./step-sentence.ts";

describe("stepSentence", () => {
  it("says what was done to what, and where", () => {
    expect(words("start_pipeline", { name: "dock-count", sources: ["dock"] }, true)).toBe("started dock-count on dock");
    expect(words("start_pipeline", { name: "dock-count" }, false)).toBe("starting dock-count");
    expect(words("capture_frame", { camera: "street" }, true)).toBe("took a picture from street");
    expect(words("start_pipeline", { sources: ["a", "b"] }, true)).toBe("started a, b");
  });

  it("says the name of a tool it does not know", () => {
    expect(words("count_sheep", null, true)).toBe("count sheep ");
  });

  it("keeps a long subject short", () => {
    expect(stepSentence("recall", { query: "x".repeat(100) }, true).subject).toHaveLength(40);
  });
});

function words(...given: Parameters<typeof stepSentence>): string {
  const { verb, subject, place } = stepSentence(...given);
  return `${verb} ${subject}${place}`;
}
