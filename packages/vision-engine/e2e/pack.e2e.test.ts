import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { link, packCopy } from "../../../scripts/pack/testing/pack-copy.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const PACKED = ["protocol", "vision-engine"];
/** What a program in TypeScript needs besides. */
const PLATFORM_TYPES = ["@types/node", "undici-types"];

describe("the packed package", () => {
  let folder: string;
  let tarballs: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vision-engine-pack-"));
    await writeFile(join(folder, "package.json"), JSON.stringify({ name: "consumer", type: "module" }));
    const packed = await packCopy(PACKED, folder);
    tarballs = Object.values(packed.tarballs);
    for (const [name, tarball] of Object.entries(packed.tarballs)) await install(name, tarball);
    for (const name of PLATFORM_TYPES) await linkPackage(name, root);
    await copyFile(join(root, "examples/count-line.ts"), join(folder, "count-line.ts"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("type-checks in a user's program and runs as plain JavaScript", async () => {
    expect(await compile("count-line.ts")).toBe("");
    const { stdout } = await run(process.execPath, ["out/count-line.js", "sim://street?width=160&height=90"], {
      cwd: folder,
    });
    expect(stdout).toBe("in 7, out 7\n");
  });

  it("ships no tests, no TypeScript sources and no notes of the compiler", async () => {
    const lists = await Promise.all(tarballs.map((tarball) => run("tar", ["-tzf", tarball])));
    const files = lists.flatMap(({ stdout }) => stdout.trim().split("\n"));
    expect(files).toContain("package/dist/blocks/manifests/block-manifests.generated.jsonl");
    expect(files.filter((file) => /\.test\.|__fixtures__|tsbuildinfo|(?<!\.d)\.ts$/.test(file))).toEqual([]);
  });

  /** Unpacks one of ours into the empty folder, beside what its manifest asks for. */
  async function install(name: string, tarball: string): Promise<void> {
    const place = join(folder, "node_modules/@vision-agent", name);
    await mkdir(place, { recursive: true });
    await run("tar", ["-xzf", tarball, "-C", place, "--strip-components=1"]);
    const manifest = JSON.parse(await readFile(join(place, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    const others = Object.keys(manifest.dependencies).filter((dependency) => !dependency.startsWith("@vision-agent/"));
    for (const dependency of others) await linkPackage(dependency, join(root, "packages", name), root);
  }

  /** From the first of these folders that has it. */
  async function linkPackage(name: string, ...homes: readonly string[]): Promise<void> {
    const found = homes.map((home) => join(home, "node_modules", name)).find((path) => existsSync(path));
    await link(found!, join(folder, "node_modules", name));
  }

  /** What the compiler has to say. */
  async function compile(file: string): Promise<string> {
    const program = join(root, "node_modules/typescript/bin/tsc");
    const options = ["--strict", "--module", "nodenext", "--target", "es2024", "--types", "node", "--outDir", "out"];
    const compiling = run(process.execPath, [program, ...options, file], { cwd: folder });
    return (await compiling.catch((error: { stdout: string }) => error)).stdout;
  }
});
