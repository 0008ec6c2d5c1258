import { describe, expect, it } from "vitest";
import type { RequirementGroup } from "./requirement.ts";
import { idsIn } from "./requirement-ids.ts";
import { openIds, toCoverage, toRequirementsPage, unknownIds } from "./requirements-page.ts";
import { testNamesIn } from "./test-names.ts";

// Put together here, so that these samples do not count as tests themselves.
const [A, B, P] = ["AF", "VI", "S000"];

describe("ids in names", () => {
  it.each([
    [`${A}-4 ${B}-21.3 does it`, [`${A}-4`, `${B}-21.3`]],
    [`${A}-1…${A}-3 does it`, [`${A}-1`, `${A}-2`, `${A}-3`]],
    [`${A}-6…8`, [`${A}-6`, `${A}-7`, `${A}-8`]],
    [`${B}-21.1…3`, [`${B}-21.1`, `${B}-21.2`, `${B}-21.3`]],
    [`${P}-4 ${P}-4.1 ${P}-11.2.10, ${P}-C`, [`${P}-4`, `${P}-4.1`, `${P}-11.2.10`, `${P}-C`]],
    ["UTF-8 and SHA-256 are no ids", []],
  ])("%s", (name, ids) => {
    expect(idsIn(name)).toEqual(ids);
  });

  it("finds properties and complaints by their number", () => {
    expect(idsIn(["Invar", "iant 3: x"].join(""))).toEqual([["invar", "iant 3"].join("")]);
  });
});

describe("names in test files", () => {
  it("reads tables, templates, conditions and joined strings", () => {
    const text = `
      describe("a", () => {
        it("b", () => {});
        it.each([1])("c %s", () => {});
        it.skipIf(no)(\`d \${x} e\`, () => {});
        test.each\`x\`("f" + " g", () => {});
        expect("not a test").toBe(1);
        it(name, run);
      });`;
    expect(testNamesIn("x.test.ts", text)).toEqual(["a", "b", "c %s", "d … e", "f g"]);
  });
});

describe("the page", () => {
  const groups: readonly RequirementGroup[] = [
    {
      title: "Some",
      requirements: [
        { id: `${A}-1`, says: "One.", missing: "half of it" },
        { id: `${A}-2`, says: "Two.", without: "not wanted" },
        { id: `${A}-3`, says: "Three." },
        { id: `${A}-4`, says: "Four." },
      ],
    },
  ];
  const tests = [
    { file: "packages/x/src/a.test.ts", name: `${A}-1 does | it` },
    { file: "packages/x/src/b.test.ts", name: `${A}-4 does it` },
  ];

  it("names the tests, the reasons and what is open", () => {
    const page = toRequirementsPage(groups, tests);
    expect(page).toContain(
      `1 of 4 are proven by a test; 1 need none, for the reason given; 2 are open: ${A}-1, ${A}-3.`,
    );
    expect(page).toContain(
      `| ${A}-1 | One. | [x/a.test.ts](../packages/x/src/a.test.ts): ${A}-1 does \\| it<br>**Open:** half of it. |`,
    );
    expect(page).toContain("none: not wanted");
    expect(openIds(toCoverage(groups, tests))).toEqual([`${A}-1`, `${A}-3`]);
  });

  it("takes the tests of the requirement that a criterion is, and the criteria for the whole", () => {
    const requirements = [
      { id: `${A}-1`, says: "One." },
      { id: `${A}-5`, says: "All." },
      { id: `${A}-5.1`, says: "First.", as: `${A}-1` },
      { id: `${A}-5.2`, says: "Second." },
    ];
    const second = { file: "packages/x/src/b.test.ts", name: `${A}-5.2 does it` };
    const coverage = toCoverage([{ title: "Some", requirements }], [...tests, second]);
    const [first] = tests;
    expect(coverage.map((row) => row.tests)).toEqual([[first], [second], [first], [second]]);
    const page = toRequirementsPage([{ title: "Some", requirements }], [...tests, second]);
    expect(page).toContain(`| ${A}-5 | All. | by what follows |\n| ${A}-5.1 | First. | as ${A}-1 |\n`);
  });

  it("tells ids that no requirement has", () => {
    expect(unknownIds(groups, [{ file: "a", name: `${A}-99 x` }])).toEqual([`${A}-99`]);
  });
});
