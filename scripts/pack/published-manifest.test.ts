import { expect, it } from "vitest";
import { toPublishedManifest } from "./published-manifest.ts";

it("points entries at JavaScript and leaves out what only developers need", () => {
  const manifest = {
    name: "@x/y",
    version: "1.0.0",
    private: true,
    type: "module",
    exports: { ".": "./src/index.ts", "./data": "./src/data.json" },
    scripts: { test: "x" },
    dependencies: { ajv: "8" },
    devDependencies: { vitest: "5" },
  };
  expect(toPublishedManifest(manifest)).toEqual({
    name: "@x/y",
    version: "1.0.0",
    type: "module",
    files: ["src"],
    exports: { ".": "./src/index.js", "./data": "./src/data.json" },
    dependencies: { ajv: "8" },
  });
});
