import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("every dependency that wants to run a script when it is installed is denied", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const { allowScripts } = JSON.parse(readFileSync("package.json", "utf8")) as { allowScripts: object };
  const paths = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript);
  const names = paths.map((path) => path.split("node_modules/").at(-1));
  expect(Object.fromEntries(names.map((name) => [name, false]))).toEqual(allowScripts);
});
