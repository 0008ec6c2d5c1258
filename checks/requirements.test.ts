import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { GROUPS, OPEN } from "../scripts/requirements/requirements.data.ts";
import { openIds, toCoverage, toRequirementsPage, unknownIds } from "../scripts/requirements/requirements-page.ts";
import { findTests } from "../scripts/requirements/test-names.ts";

const tests = findTests(".");

it("every requirement has a test, a reason, or stands in the list of open ones, which only shrinks", () => {
  expect(openIds(toCoverage(GROUPS, tests))).toEqual(OPEN);
});

it("no test names a requirement that there is not", () => {
  expect(unknownIds(GROUPS, tests)).toEqual([]);
});

it("docs/requirements.md is what `node scripts/requirements/generate.ts` writes", () => {
  const same = readFileSync("docs/requirements.md", "utf8") === toRequirementsPage(GROUPS, tests);
  expect(same, "Run: node scripts/requirements/generate.ts").toBe(true);
});
