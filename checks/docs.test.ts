import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const PAGES = ["README.md", "CONTRIBUTING.md", ...globSync("{docs,evals,packages/*}/**/*.md", { exclude: isForeign })];
const FILES = globSync("{bench,checks,examples,packages,scripts}/**/*.{ts,tsx,mjs}", { exclude: isForeign });
/** Pages about the past name files as they were. */
const CURRENT = PAGES.filter((page) => !page.startsWith("docs/decisions/"));

it("docs/roads.md names every folder of every package", () => {
  const roads = readFileSync("docs/roads.md", "utf8");
  const folders = globSync("packages/*/src/*/").filter((folder) => !/testing|__fixtures__/.test(folder));
  expect(folders.length).toBeGreaterThan(40);
  expect(folders.filter((folder) => !roads.includes(`\`${folder.replace(/\/$/, "")}\``))).toEqual([]);
});

it("a link leads somewhere", () => {
  const broken = PAGES.flatMap((page) =>
    [...withoutCode(page).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !existsSync(join(dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});

it("a source file that a page names is there", () => {
  const unknown = CURRENT.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/`([\w./-]+\.(?:ts|tsx|mjs))`/g)]
      .map(([, name]) => name!)
      .filter((name) => !FILES.some((file) => file === name || file.endsWith(`/${name}`)))
      .map((name) => `${page}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

function withoutCode(page: string): string {
  return readFileSync(page, "utf8").replace(/```[\s\S]*?```|`[^`]*`/g, "");
}

function isForeign(path: string): boolean {
  return /(^|\/)(node_modules|dist|eval-report)(\/|$)/.test(path);
}
