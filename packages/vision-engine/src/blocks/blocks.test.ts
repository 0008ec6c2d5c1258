import { describe, expect, it } from "vitest";
import { BLOCK_MANIFESTS } from "./block.ts";
import { BLOCKS } from "./block-catalog.ts";

describe("block list", () => {
  it("has every name once", () => {
    const names = BLOCKS.flatMap(({ manifest }) => [manifest.type, ...(manifest.aliases ?? [])]);
    expect(new Set(names).size).toBe(names.length);
  });

  it("has blocks of the catalogue only, as the catalogue describes them", () => {
    for (const { manifest } of BLOCKS) expect(BLOCK_MANIFESTS).toContain(manifest);
  });

  it("says of every block what it is and what a step of it does", () => {
    for (const { manifest, description, phrase } of BLOCKS) {
      const properties = Object.fromEntries(
        manifest.properties.map(({ name, default: value }) => [name, value ?? null]),
      );
      expect(description, manifest.type).toMatch(/^[A-Z].+\.$/s);
      expect(phrase({ name: "step", properties }), manifest.type).toMatch(/^[a-z].*[^.]$/s);
    }
  });
});
