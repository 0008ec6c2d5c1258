import { describe, expect, it } from "vitest";
import { toCountsLine } from "./run-vitest.ts";

describe("toCountsLine", () => {
  it("adds up and names what there is", () => {
    const unit = { passed: 10, failed: 0, skipped: 1 };
    expect(toCountsLine([unit])).toBe("10 passed | 1 skipped (11)");
    expect(toCountsLine([unit, { passed: 2, failed: 3, skipped: 0 }])).toBe("3 failed | 12 passed | 1 skipped (16)");
  });

  it("says that there were none", () => {
    expect(toCountsLine([])).toBe("no tests (0)");
  });
});
