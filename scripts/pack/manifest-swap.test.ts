import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isSwapped, putSourceBack, swapManifest } from "./manifest-swap.mjs";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const SOURCE = '{ "name": "x", "version": "1.0.0",\n\n  "exports": { ".": "./src/index.ts" }, "scripts": {} }\n';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "manifest-swap-"));
  await writeFile(join(folder, "package.json"), SOURCE);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("puts the source manifest back byte for byte and leaves nothing behind", async () => {
  await swapManifest(root, folder);
  expect(await manifest()).toContain("./dist/index.js");
  expect(await readdir(folder)).toContain("LICENSE");
  expect(await putSourceBack(folder)).toBe(true);
  expect(await manifest()).toBe(SOURCE);
  expect(await readdir(folder)).toEqual(["package.json"]);
  expect(await putSourceBack(folder)).toBe(false);
});

it("the guard puts it back when npm was killed", async () => {
  await swapManifest(root, folder);
  await run(process.execPath, [join(import.meta.dirname, "swap-guard.mjs"), folder, "10"]);
  expect(await manifest()).toBe(SOURCE);
});

it("a package that does not build keeps its manifest", async () => {
  const prepack = run(process.execPath, [join(import.meta.dirname, "prepack.mjs")], { cwd: folder });
  await expect(prepack).rejects.toThrow("The package does not compile");
  expect(isSwapped(folder)).toBe(false);
  expect(await manifest()).toBe(SOURCE);
});

it("packing says so when the manifest was put back too early", async () => {
  const postpack = run(process.execPath, [join(import.meta.dirname, "postpack.mjs")], { cwd: folder });
  await expect(postpack).rejects.toThrow("Pack again.");
});

const manifest = (): Promise<string> => readFile(join(folder, "package.json"), "utf8");
