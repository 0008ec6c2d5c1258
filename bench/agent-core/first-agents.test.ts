import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FEATURES } from "./features.data.ts";
import { countLines, readFirstAgents, snippetWith } from "./first-agents.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/agent-core/README.md"), "utf8");

it("the page shows the example that is run", () => {
  expect(snippetWith(page, "createAgent")).toBe(readFirstAgents(root).ours);
});

it("the page has the features that the bench prints", () => {
  const missing = FEATURES.filter((row) => !page.includes(`| ${row.join(" | ")} |`));
  expect(missing).toEqual([]);
});

it("counts lines and imports, but no comments", () => {
  expect(countLines('// a\nimport "x";\n\nrun();\n')).toEqual({ lines: 2, imports: 1 });
});
