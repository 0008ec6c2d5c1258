// a package's sources → dist (JavaScript and declarations) → a tarball that npm can publish
//
//   node scripts/pack/pack-package.ts packages/agent-core [folder for the tarball]
import { copyFile, cp, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findNpm } from "../launch/find-npm.mjs";
import { runChild } from "../launch/run-child.mjs";
import { type Manifest, toPublishedManifest } from "./published-manifest.ts";

/** Builds what the package needs of ours, too. `npm` is the path of npm-cli.js. Gives the path of the tarball; throws with the tool's own words when a step fails. */
export async function packPackage(options: {
  readonly root: string;
  /** Of the package, from the root. */
  readonly folder: string;
  /** Where the tarball goes. */
  readonly into: string;
  readonly npm: string;
}): Promise<string> {
  const { root, folder, into, npm } = options;
  const home = join(root, folder);
  const dist = join(home, "dist");
  await rm(dist, { recursive: true, force: true });
  await runTool([join(root, "node_modules/typescript/bin/tsc"), "-b", join(home, "tsconfig.build.json")], root);
  await cp(join(home, "src"), join(dist, "src"), { recursive: true, filter: isShipped });

  const manifest = JSON.parse(await readFile(join(home, "package.json"), "utf8")) as Manifest;
  await writeFile(join(dist, "package.json"), `${JSON.stringify(toPublishedManifest(manifest), null, 2)}\n`);
  await copyFile(join(home, "README.md"), join(dist, "README.md"));
  await copyFile(join(root, "LICENSE"), join(dist, "LICENSE"));

  await mkdir(into, { recursive: true });
  await runTool([npm, "pack", dist, "--pack-destination", into, "--ignore-scripts", "--offline"], root);
  return join(into, `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`);
}

/** Data that the sources read goes along as it is; the sources themselves have been built. */
async function isShipped(path: string): Promise<boolean> {
  if ((await stat(path)).isDirectory()) return !path.endsWith("__fixtures__");
  return !/\.tsx?$/.test(path);
}

async function runTool(args: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await runChild(process.execPath, args, {
    role: "tool",
    cwd,
    env: process.env,
    output: "capture",
  });
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}:\n${output}`);
}

if (import.meta.main) {
  const [folder, into] = process.argv.slice(2);
  const root = join(import.meta.dirname, "../..");
  if (folder === undefined) throw new Error("Name the package: node scripts/pack/pack-package.ts packages/agent-core");
  const npm = findNpm({
    npmExecPath: process.env.npm_execpath,
    nodePath: process.execPath,
    path: process.env.PATH,
  });
  console.log(await packPackage({ root, folder, into: into ?? join(root, folder, "dist"), npm }));
}
