import { describe, expect, it } from "vitest";
import { NODE_PACKAGES } from "./node-packages.mjs";
import { isNewEnough } from "./node-version.mjs";

describe("isNewEnough", () => {
  it.each(["v24.15.0", "24.15.0", "v24.21.0", "v25.0.0", "v26.1.0"])("accepts %s", (version) => {
    expect(isNewEnough(version)).toBe(true);
  });

  it.each(["v24.14.9", "v24.9.0", "v22.20.0", "v18.20.8", ""])("refuses %j", (version) => {
    expect(isNewEnough(version)).toBe(false);
  });

  it.each(Object.entries(NODE_PACKAGES))(
    "accepts what would be fetched: %s, one version with its checksum",
    (_, pinned) => {
      expect(isNewEnough(pinned.version)).toBe(true);
      expect(pinned.version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(Buffer.from(pinned.integrity.replace("sha512-", ""), "base64")).toHaveLength(64);
    },
  );
});
