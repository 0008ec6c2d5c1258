import { readdir, readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadEvalSet, type SetFiles } from "./load-eval-set.ts";

const SOUND = "say: Hello\nhouse: { cameras: {} }\nexpect: { answer: { any: [hello] } }\n";

describe("loadEvalSet", () => {
  it("reads YAML and JSON of the folder and of the families below, sorted, and nothing else", async () => {
    const files = setOf({
      "b/two.yml": SOUND,
      "a/one.yaml": SOUND,
      "zero.json": '{"say":"a","house":{"cameras":{}},"expect":{"watches":[]}}',
      "README.md": "#",
      "pictures/a.jpg": "",
    });
    const set = await loadEvalSet(files, "/set");
    expect(set.map(({ family, name }) => `${family}/${name}`)).toEqual(["a/one", "b/two", "set/zero"]);
  });

  it("keeps one instruction or one family when asked", async () => {
    const files = setOf({ "a/one.yaml": SOUND, "a/two.yaml": SOUND, "b/three.yaml": SOUND });
    expect(await loadEvalSet(files, "/set", "a")).toHaveLength(2);
    expect((await loadEvalSet(files, "/set", "three")).map(({ name }) => name)).toEqual(["three"]);
    await expect(loadEvalSet(files, "/set", "four")).rejects.toThrow("no instruction and no family is called four");
  });

  it("tells what is wrong in all files at once", async () => {
    const files = setOf({ "a/one.yaml": "say: 1", "a/two.yaml": "{" });
    await expect(loadEvalSet(files, "/set")).rejects.toThrow(/one\.yaml:1: [\s\S]*two\.yaml:1: /);
  });

  it("says so when there is no folder or nothing in it", async () => {
    await expect(loadEvalSet(setOf({}), "/elsewhere")).rejects.toThrow("/elsewhere: there is no such folder");
    await expect(loadEvalSet(setOf({ "README.md": "#" }), "/set")).rejects.toThrow("there is no instruction file");
  });
});

describe("the set of this project", () => {
  const folder = fileURLToPath(new URL("../../../../evals", import.meta.url));

  it("has 148 instructions in thirteen families, those that wish for something with a correction, and with pictures that are there", async () => {
    const set = await loadEvalSet(
      {
        list: async (path) => ((await stat(path)).isDirectory() ? readdir(path) : undefined),
        readText: (path) => readFile(path, "utf8"),
      },
      folder,
    );
    expect(set).toHaveLength(148);
    expect(new Set(set.map(({ family }) => family)).size).toBe(13);
    const isWish = ({ family, expected }: (typeof set)[number]): boolean =>
      family !== "no-wrong-effects" && expected.ledger?.effects !== "none";
    expect(set.filter(isWish).filter(({ correction }) => correction === undefined)).toEqual([]);
    for (const image of set.flatMap(({ images }) => images)) expect((await stat(image)).size).toBeGreaterThan(0);
  });
});

function setOf(contents: Readonly<Record<string, string>>): SetFiles {
  const paths = ["/set/", ...Object.keys(contents).map((path) => `/set/${path}`)];
  return {
    list: async (folder) => {
      const inside = paths.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));
      return inside.length === 0
        ? undefined
        : [...new Set(inside.map((path) => path.split("/")[0]!))].filter((name) => name !== "");
    },
    readText: async (path) => contents[path.slice("/set/".length)] ?? "",
  };
}
