// packages/web and packages/protocol → packages/web/dist
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withInstallLock } from "./install-lock.mjs";
import { LaunchError } from "./launch-error.mjs";
import { runTool } from "./run-tool.mjs";

/** All that the built dashboard depends on, from the checkout's root; the lockfile stands for the tools. */
const INPUTS = [
  "packages/web/src",
  "packages/web/public",
  "packages/web/index.html",
  "packages/web/vite.config.ts",
  "packages/web/tsconfig.json",
  "packages/web/package.json",
  "packages/protocol/src",
  "package-lock.json",
];
const STAMP = ".build-stamp";

/**
 * @param {import("./checkout.mjs").Checkout} checkout
 * @param {{ node: string, vite?: string }} tools `vite` is the path of its program; default: the installed one
 * @throws {LaunchError} `build` with what vite said
 */
export async function buildDashboard(checkout, { node, vite = join(checkout.root, "node_modules/vite/bin/vite.js") }) {
  const { root, runtimeFolder, screen } = checkout;
  if (!isDashboardStale(root)) return;
  await withInstallLock({ runtimeFolder, say: screen.say }, async (lock) => {
    if (!isDashboardStale(root)) return; // another start was quicker
    await screen.during("Building the dashboard", async () => {
      // Taken before the build: an edit during the build makes the next start build again.
      const stamp = hashInputs(root);
      const built = join(lock.temporaryFolder, "dist");
      const args = [vite, "build", "--outDir", built, "--emptyOutDir", "--logLevel", "warn"];
      const { code, output } = await runTool(checkout, { node, args, cwd: join(root, "packages/web"), lock });
      if (code !== 0) {
        const message = "The dashboard could not be built. Fix the error below and start again.";
        throw new LaunchError(message, { kind: "build", details: output });
      }
      writeFileSync(join(built, STAMP), stamp);
      replaceFolder(join(root, "packages/web/dist"), built, join(lock.temporaryFolder, "old"));
    });
  });
}

/** @param {string} root */
export function isDashboardStale(root) {
  if (!existsSync(join(root, "packages/web/index.html"))) return false; // nothing to build from
  const stamp = join(root, "packages/web/dist", STAMP);
  return !existsSync(stamp) || readFileSync(stamp, "utf8") !== hashInputs(root);
}

/**
 * Contents, not times: git and copies change times without changing anything.
 * @param {string} root
 */
function hashInputs(root) {
  const hash = createHash("sha256");
  for (const file of INPUTS.flatMap((input) => filesOf(root, input))) {
    hash.update(`${file}\0`).update(
      createHash("sha256")
        .update(readFileSync(join(root, file)))
        .digest(),
    );
  }
  return hash.digest("hex");
}

/**
 * @param {string} root
 * @param {string} path a file, a folder, or nothing
 * @returns {string[]}
 */
function filesOf(root, path) {
  const entry = statSync(join(root, path), { throwIfNoEntry: false });
  if (entry === undefined) return [];
  if (!entry.isDirectory()) return [path];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => filesOf(root, `${path}/${name}`));
}

/**
 * Two renames: a launcher killed between them leaves no dashboard, never half of one.
 * @param {string} folder
 * @param {string} successor
 * @param {string} aside
 */
function replaceFolder(folder, successor, aside) {
  if (existsSync(folder)) renameSync(folder, aside);
  renameSync(successor, folder);
  rmSync(aside, { recursive: true, force: true });
}
