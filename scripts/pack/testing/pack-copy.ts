// a copy of the checkout → npm pack in each package's folder → tarballs; the checkout itself is not touched
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { findNpm } from "../../launch/find-npm.mjs";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");

export interface PackedCopy {
  /** The copied package folders, by name. */
  readonly folders: Readonly<Record<string, string>>;
  /** By name. */
  readonly tarballs: Readonly<Record<string, string>>;
}

/** The packages are named as their folders; one that needs another of them comes after it. Everything is made inside `into`. */
export async function packCopy(names: readonly string[], into: string): Promise<PackedCopy> {
  const copy = join(into, "checkout");
  for (const file of ["package.json", ".npmrc", "tsconfig.json", "LICENSE", "scripts/pack", "scripts/launch"]) {
    await cp(join(root, file), join(copy, file), { recursive: true });
  }
  await linkAll(join(root, "node_modules"), join(copy, "node_modules"), ["@vision-agent"]);
  const folders: Record<string, string> = {};
  for (const name of names) {
    const [from, to] = [join(root, "packages", name), join(copy, "packages", name)];
    await cp(from, to, { recursive: true, filter: (path) => !["node_modules", "dist"].includes(basename(path)) });
    if (existsSync(join(from, "node_modules"))) await linkAll(join(from, "node_modules"), join(to, "node_modules"), []);
    await link(to, join(copy, "node_modules/@vision-agent", name));
    folders[name] = to;
  }
  const npm = findNpm({ npmExecPath: process.env.npm_execpath, nodePath: process.execPath, path: process.env.PATH });
  const tarballs: Record<string, string> = {};
  for (const [name, cwd] of Object.entries(folders)) {
    const { stdout } = await run(process.execPath, [npm, "pack", "--pack-destination", into, "--offline"], { cwd });
    tarballs[name] = join(into, stdout.trim().split("\n").at(-1)!);
  }
  return { folders, tarballs };
}

/** A link that works on every system. */
export async function link(target: string, at: string): Promise<void> {
  await mkdir(dirname(at), { recursive: true });
  await symlink(target, at, "junction");
}

async function linkAll(from: string, to: string, without: readonly string[]): Promise<void> {
  const names = (await readdir(from)).filter((name) => !name.startsWith(".") && !without.includes(name));
  for (const name of names) await link(join(from, name), join(to, name));
}
