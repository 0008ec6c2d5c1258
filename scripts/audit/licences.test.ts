import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toLicenceReport } from "./licences.ts";

describe("toLicenceReport", () => {
  it("takes one choice of an OR and every part of an AND, and refuses what is not on the list", () => {
    const integrity = "sha512-x";
    const { refused, unpinned, groups } = toLicenceReport({
      "": {},
      "packages/web": { license: "Apache-2.0" },
      "node_modules/ours": { link: true },
      "node_modules/a": { license: "(MIT OR GPL-3.0-or-later)", integrity },
      "node_modules/a/node_modules/b": { license: "MIT AND GPL-2.0-only", integrity },
      "node_modules/c": { license: "SEE LICENSE IN LICENSE", integrity },
      "node_modules/d": { integrity },
      "node_modules/e": { license: "ISC" },
    });
    expect(refused).toEqual(["b (MIT AND GPL-2.0-only)", "c (SEE LICENSE IN LICENSE)", "d (none)"]);
    expect(unpinned).toEqual(["e"]);
    expect(groups.map(([licence]) => licence)).toContain("ISC");
  });

  it("finds nothing to object to in this repository", () => {
    const lock = readFileSync(join(import.meta.dirname, "../../package-lock.json"), "utf8");
    const { refused, unpinned } = toLicenceReport(JSON.parse(lock).packages);
    expect({ refused, unpinned }).toEqual({ refused: [], unpinned: [] });
  });
});
