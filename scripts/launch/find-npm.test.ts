import { describe, expect, it } from "vitest";
import { findNpm } from "./find-npm.mjs";

const nodePath = "/opt/node/bin/node";

describe("findNpm", () => {
  it("takes npm's own word", () => {
    const npmExecPath = "/somewhere/npm-cli.js";
    expect(findNpm({ npmExecPath, nodePath, path: "/usr/bin", exists: () => true })).toBe(npmExecPath);
  });

  it("looks beside Node when another package manager started it", () => {
    const beside = "/opt/node/lib/node_modules/npm/bin/npm-cli.js";
    const found = findNpm({
      npmExecPath: "/somewhere/yarn.js",
      nodePath,
      path: "/usr/bin",
      exists: (file) => file === beside,
    });
    expect(found).toBe(beside);
  });

  it("looks along the path when Node came without npm", () => {
    const found = findNpm({
      npmExecPath: undefined,
      nodePath,
      path: "/usr/bin",
      exists: (file) => file.startsWith("/usr/lib"),
    });
    expect(found).toBe("/usr/lib/node_modules/npm/bin/npm-cli.js");
  });

  it("says that npm is missing", () => {
    expect(() => findNpm({ npmExecPath: undefined, nodePath, path: "/usr/bin", exists: () => false })).toThrow(
      expect.objectContaining({ kind: "npm" }),
    );
  });
});
