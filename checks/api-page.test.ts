import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { API_PAGE, readEntries, toApiPage, undocumented } from "../scripts/api-page/api-page.ts";

const entries = readEntries(".");

it("every exported name of agent-core has a sentence", () => {
  expect(undocumented(entries)).toEqual([]);
});

it("docs/agent-core/api.md is what `node scripts/api-page/generate.ts` writes", () => {
  const same = readFileSync(API_PAGE, "utf8") === toApiPage(entries);
  expect(same, "Run: node scripts/api-page/generate.ts").toBe(true);
});
