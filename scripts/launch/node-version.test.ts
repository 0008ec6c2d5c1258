import { describe, expect, it } from "vitest";
import { FETCHED_NODE, isNewEnough } from "./node-version.mjs";

describe("isNewEnough", () => {
  it.each(["v24.15.0", "24.15.0", "v24.21.0", "v25.0.0", "v26.1.0"])("accepts %s", (version) => {
    expect(isNewEnough(version)).toBe(true);
  });

  it.each(["v24.14.9", "v24.9.0", "v22.20.0", "v18.20.8", ""])("refuses %j", (version) => {
    expect(isNewEnough(version)).toBe(false);
  });

  it("accepts the version that would be fetched", () => {
    expect(isNewEnough(FETCHED_NODE)).toBe(true);
  });
});
