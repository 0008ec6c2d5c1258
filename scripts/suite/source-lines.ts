import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Lines that people wrote, per package: no tests, test support or generated files. */
export function countSourceLines(root: string): Map<string, number> {
  const packages = readdirSync(join(root, "packages")).sort();
  return new Map(packages.map((name) => [name, countLines(join(root, "packages", name, "src"))]));
}

function countLines(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(
      (file) =>
        /\.(tsx?|css)$/.test(file) && !/\.(test|generated)\.tsx?$|__fixtures__|(^|\/)testing(\/|\.ts$)/.test(file),
    )
    .map((file) => readFileSync(join(folder, file), "utf8").split("\n").length - 1)
    .reduce((total, lines) => total + lines, 0);
}
