import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AGENT_CORE_DISK, AGENT_CORE_FOREIGN_WORDS, FORBIDDEN, LAYERS, PACKAGES } from "./borders.data.ts";
import { type Import, importsInText, importsOf, sourceFiles, targetOf } from "./imports.ts";

const isTest = (file: string): boolean => /\.test\.tsx?$|__fixtures__\//.test(file);

describe("borders between packages", () => {
  it("knows every package", () => {
    expect(readdirSync("packages").sort()).toEqual(Object.keys(PACKAGES).sort());
  });

  it.each(Object.keys(PACKAGES))("%s imports only the packages that the table allows", (name) => {
    expect(importsOf(name).filter((found) => crossesBorder(name, found))).toEqual([]);
  });

  it.each(Object.keys(FORBIDDEN))("%s imports nothing of what it must not know", (name) => {
    const wrong = importsOf(name).filter(
      ({ from, to }) => !isTest(from) && FORBIDDEN[name]?.some((beginning) => to.startsWith(beginning)),
    );
    expect(wrong).toEqual([]);
  });

  it("sees a type import, a re-export and a dynamic import", () => {
    const text = `import type { A } from "a"; export { b } from "b"; const c = await import("c");`;
    expect(importsInText("x.ts", text)).toEqual([
      { to: "a", typeOnly: true },
      { to: "b", typeOnly: false },
      { to: "c", typeOnly: false },
    ]);
  });
});

describe("examples", () => {
  const files = readdirSync("examples").filter((file) => file.endsWith(".ts"));
  const entries = new Set(
    Object.keys(PACKAGES).flatMap((name) => {
      const { exports = {} } = JSON.parse(readFileSync(join("packages", name, "package.json"), "utf8"));
      return Object.keys(exports).map((entry) => join("@vision-agent", name, entry));
    }),
  );

  it("use only the public entries of the packages", () => {
    const wrong = files.flatMap((file) =>
      importsInText(file, readFileSync(join("examples", file), "utf8"))
        .filter(({ to }) =>
          to.startsWith(".") ? !/^\.\/[\w.-]+$/.test(to) : to.startsWith("@vision-agent/") && !entries.has(to),
        )
        .map(({ to }) => `${file} imports ${to}`),
    );
    expect(files.length).toBeGreaterThan(5);
    expect(entries).toContain("@vision-agent/agent-core/testing");
    expect(wrong).toEqual([]);
  });
});

describe("borders between folders", () => {
  it.each(Object.keys(LAYERS))("%s has no folder that the table does not know", (name) => {
    const known = LAYERS[name]?.flat() ?? [];
    const folders = new Set(sourceFiles(name).flatMap((file) => (file.includes("/") ? [folderOf(file)] : [])));
    expect([...folders].filter((folder) => !known.includes(folder))).toEqual([]);
  });

  it.each(Object.keys(LAYERS))("%s imports downwards only", (name) => {
    expect(importsOf(name).filter((found) => goesUpwards(name, found))).toEqual([]);
  });
});

describe("agent-core", () => {
  const files = sourceFiles("agent-core").filter((file) => !isTest(file));

  it("touches the disk only in its file stores", () => {
    const wrong = importsOf("agent-core").filter(
      ({ from, to }) =>
        /^node:fs/.test(to) &&
        !isTest(from) &&
        !from.startsWith("testing/") &&
        !AGENT_CORE_DISK.some((folder) => from.startsWith(folder)),
    );
    expect(wrong).toEqual([]);
  });

  it("has no word of cameras", () => {
    const wrong = files.filter((file) =>
      AGENT_CORE_FOREIGN_WORDS.test(readFileSync(join("packages/agent-core/src", file), "utf8")),
    );
    expect(wrong).toEqual([]);
  });
});

describe("habits", () => {
  it("mocks no module", () => {
    const word = ["vi", "mock("].join(".");
    const wrong = Object.keys(PACKAGES).flatMap((name) =>
      sourceFiles(name).filter((file) => readFileSync(join("packages", name, "src", file), "utf8").includes(word)),
    );
    expect(wrong).toEqual([]);
  });

  it("imports no test support in product code", () => {
    const isSupport = (file: string): boolean => isTest(file) || /(^|\/)(testing|__fixtures__)(\/|\.ts$)/.test(file);
    const wrong = Object.keys(PACKAGES).flatMap((name) =>
      importsOf(name).filter(
        ({ from, to }) =>
          !isSupport(from) &&
          (/^@vision-agent\/[\w-]+\/testing$/.test(to) || /(^|\/)(testing|__fixtures__)(\/|\.ts$)/.test(to)),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("has no folder or file that says nothing", () => {
    const wrong = Object.keys(PACKAGES).flatMap((name) =>
      sourceFiles(name).filter((file) => /(^|\/)(utils?|helpers?|common|shared|misc|lib)(\/|\.tsx?$)/.test(file)),
    );
    expect(wrong).toEqual([]);
  });
});

function folderOf(file: string): string {
  return file.split("/")[0]?.replace(/\.tsx?$/, "") ?? "";
}

function crossesBorder(name: string, { to, typeOnly, from }: Import): boolean {
  const target = to === "vision-agent" ? "vision-agent" : /^@vision-agent\/([^/]+)/.exec(to)?.[1];
  if (target === undefined) return to.startsWith(".") && targetOf({ from, to, typeOnly }).startsWith("..");
  const allowed = PACKAGES[name];
  if (allowed === undefined || !allowed.ours.includes(target)) return true;
  return allowed.typesOnly === true && !typeOnly && !allowed.values?.includes(to);
}

function goesUpwards(name: string, found: Import): boolean {
  if (!found.to.startsWith(".") || !found.from.includes("/")) return false;
  if (isTest(found.from) && folderOf(targetOf(found)) === "testing") return false;
  const rows = LAYERS[name] ?? [];
  const rowOf = (folder: string): number => rows.findIndex((row) => row.includes(folder));
  const [own, other] = [folderOf(found.from), folderOf(targetOf(found))];
  // Tests reach up to their own support; product code does not, by a check of its own.
  if (isTest(found.from) && other === "testing") return false;
  return own !== other && rowOf(other) >= rowOf(own);
}
