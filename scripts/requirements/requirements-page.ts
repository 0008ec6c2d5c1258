// requirements and tests → docs/requirements.md

import type { Requirement, RequirementGroup } from "./requirement.ts";
import { idsIn } from "./requirement-ids.ts";
import type { NamedTest } from "./test-names.ts";

export interface Coverage {
  readonly requirement: Requirement;
  readonly tests: readonly NamedTest[];
}

/** Which tests name which requirement. `VI-21` is proven by its criteria when no test names it alone. */
export function toCoverage(groups: readonly RequirementGroup[], tests: readonly NamedTest[]): readonly Coverage[] {
  const byId = new Map<string, NamedTest[]>();
  for (const test of tests) {
    for (const id of idsIn(test.name)) byId.set(id, [...(byId.get(id) ?? []), test]);
  }
  const named = (id: string): readonly NamedTest[] => {
    const criteria = [...byId].flatMap(([other, tests]) => (other.startsWith(`${id}.`) ? tests : []));
    return byId.get(id) ?? [...new Set(criteria)];
  };
  const testsOf = ({ id, as = id }: Requirement): readonly NamedTest[] => byId.get(id) ?? named(as);
  return groups.flatMap(({ requirements }) =>
    requirements.map((requirement) => ({ requirement, tests: testsOf(requirement) })),
  );
}

/** Not done, or done in part, or neither a test nor a reason why there is none. */
export function openIds(coverage: readonly Coverage[]): readonly string[] {
  return coverage.filter(isOpen).map(({ requirement }) => requirement.id);
}

function isOpen({ requirement: { missing, without }, tests }: Coverage): boolean {
  return missing !== undefined || (tests.length === 0 && without === undefined);
}

/** Ids in the names of tests that no requirement has: most likely misspelt. */
export function unknownIds(groups: readonly RequirementGroup[], tests: readonly NamedTest[]): readonly string[] {
  const known = new Set(groups.flatMap(({ requirements }) => requirements.map(({ id }) => id)));
  return [...new Set(tests.flatMap(({ name }) => idsIn(name)))].filter((id) => !known.has(id));
}

/** The whole page. */
export function toRequirementsPage(groups: readonly RequirementGroup[], tests: readonly NamedTest[]): string {
  const coverage = new Map(toCoverage(groups, tests).map((row) => [row.requirement.id, row]));
  const open = openIds([...coverage.values()]);
  const proven = [...coverage.values()].filter((row) => row.tests.length > 0 && !isOpen(row)).length;
  const lines = [
    "# Requirements and the tests that prove them",
    "",
    "Written by `node scripts/requirements/generate.ts` from the names of the tests; do not edit. A test that proves a",
    "requirement has its id in its name. `checks/requirements.test.ts` fails when this page is stale.",
    "",
    `${proven} of ${coverage.size} are proven by a test; ${coverage.size - proven - open.length} need none, for the reason given; ${open.length} are open${toList(open)}.`,
    "An open one is not done, or only in part: its row says what is missing.",
  ];
  for (const { title, requirements } of groups) {
    lines.push("", `## ${title}`, "", "| id | requirement | tests |", "|---|---|---|");
    for (const { id } of requirements) {
      const row = coverage.get(id);
      if (row) lines.push(toRow(row));
    }
  }
  return `${lines.join("\n")}\n`;
}

function toList(ids: readonly string[]): string {
  return ids.length === 0 ? "" : `: ${ids.join(", ")}`;
}

function toRow({ requirement, tests }: Coverage): string {
  const { id, says, missing } = requirement;
  const proof = toProof(requirement, tests);
  const gap = missing === undefined ? "" : `<br>**Open:** ${cell(missing)}.`;
  return `| ${id} | ${cell(says)} | ${proof}${gap} |`;
}

/** A test is shown where it is named; whatever leans on it says so. */
function toProof({ id, as, without, missing }: Requirement, tests: readonly NamedTest[]): string {
  if (tests.length === 0) return missing === undefined ? cell(`none: ${without ?? "open"}`) : "none";
  if (tests.some(({ name }) => idsIn(name).includes(id))) return toCell(tests);
  return as === undefined ? "by what follows" : `as ${as}`;
}

function toCell(tests: readonly NamedTest[]): string {
  const byFile = Map.groupBy(tests, ({ file }) => file);
  return [...byFile]
    .map(([file, named]) => `[${shortOf(file)}](../${file}): ${named.map(({ name }) => cell(name)).join("; ")}`)
    .join("<br>");
}

function shortOf(file: string): string {
  return file.replace(/^packages\//, "").replace("/src/", "/");
}

/** Signs that mean something to Markdown are shown as they are; code is left alone. */
function cell(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/`[^`|]*`|[|<>*_[\]]/g, (found) => (found.length > 1 ? found : `\\${found}`));
}
