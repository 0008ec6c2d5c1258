import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** Past the framework, which takes secrets out of every other answer. */
const TAKES_OVER = /\bhijack\(|\btakeHeaders\(|\braw\.(?:write|end)\(/;

it("a response that is taken over from the framework is written without secrets", () => {
  const files = globSync("packages/vision-agent/src/interfaces/**/*.ts")
    .filter((path) => !path.endsWith(".test.ts"))
    .map((path) => ({ path, text: readFileSync(path, "utf8") }))
    .filter(({ text }) => TAKES_OVER.test(text));
  expect(files.filter(({ text }) => !text.includes(".withoutSecrets(")).map(({ path }) => path)).toEqual([]);
  // A rule that finds nothing would prove nothing.
  expect(files.length).toBeGreaterThanOrEqual(2);
});
