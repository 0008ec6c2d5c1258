import { expect, it } from "vitest";
import { toPublishedManifest } from "./published-manifest.mjs";

it("points entries at JavaScript with its types and leaves out what only developers need", () => {
  const manifest = {
    name: "@x/y",
    version: "1.0.0",
    type: "module",
    files: ["dist"],
    exports: { ".": "./src/index.ts", "./data": "./src/data.json" },
    scripts: { prepack: "x" },
    dependencies: { ajv: "8" },
    devDependencies: { vitest: "5" },
  };
  expect(toPublishedManifest(manifest)).toEqual({
    name: "@x/y",
    version: "1.0.0",
    type: "module",
    files: ["dist"],
    exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" }, "./data": "./dist/data.json" },
    dependencies: { ajv: "8" },
  });
});
