import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { PACKAGES } from "./borders.data.ts";
import { sourceFiles } from "./imports.ts";
import { ALLOWED_NAMES, DRAWN_SCENES, FORBIDDEN_WORDS, HOUSE_IS_DATA, SHARED_TYPES } from "./names.data.ts";

const files = Object.keys(PACKAGES)
  .flatMap((name) => sourceFiles(name).map((file) => join("packages", name, "src", file)))
  .filter((path) => !/\.generated\.tsx?$/.test(path));
const sources = files.filter((path) => !/\.(test|test-d)\.tsx?$/.test(path));

describe("names", () => {
  it("exports no type name from two files", () => {
    const places = new Map<string, Set<string>>();
    for (const path of sources) {
      for (const [, name = ""] of readFileSync(path, "utf8").matchAll(
        /^export (?:declare )?(?:interface|type|class) ([A-Z]\w*)/gm,
      )) {
        places.set(name, (places.get(name) ?? new Set()).add(path));
      }
    }
    const twice = [...places].filter(([name, paths]) => paths.size > 1 && !SHARED_TYPES.has(name));
    expect(twice.map(([name, paths]) => `${name}: ${[...paths].join(", ")}`)).toEqual([]);
  });

  it("uses no word that has to be learnt, in files, in code and in tests", () => {
    const wrong = files
      .filter((path) => !path.startsWith(DRAWN_SCENES))
      .flatMap((path) => {
        const isData = HOUSE_IS_DATA.some((folder) => path.startsWith(folder));
        const names = new Set([fileName(path), ...identifiersIn(path)]);
        return [...names].filter((name) => isForbidden(name, isData)).map((name) => `${path}: ${name}`);
      });
    expect(wrong).toEqual([]);
  });
});

function fileName(path: string): string {
  return (path.split("/").at(-1) ?? "").replace(/\..*$/, "");
}

function identifiersIn(path: string): readonly string[] {
  const names: string[] = [];
  const add = ({ name }: { name: string }): void => void names.push(name);
  const { program } = parseSync(path, readFileSync(path, "utf8"));
  new Visitor({ Identifier: add, PrivateIdentifier: add, JSXIdentifier: add }).visit(program);
  return names;
}

function isForbidden(name: string, isData: boolean): boolean {
  if (ALLOWED_NAMES.has(name) && (isData || !["house", "man", "purse"].includes(name))) return false;
  const words = name.replace(/([a-z\d])([A-Z])/g, "$1 $2").split(/[^A-Za-z]+/);
  return words.some((word) => FORBIDDEN_WORDS.has(word.toLowerCase()));
}
