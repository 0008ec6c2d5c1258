// the machine's Node, or one fetched before, or one fetched now → path of a Node that is new enough
import { spawnSync } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { nodePackageFor } from "./host.mjs";
import { withInstallLock } from "./install-lock.mjs";
import { LaunchError } from "./launch-error.mjs";
import { FETCHED_NODE, isNewEnough, NEEDED_NODE } from "./node-version.mjs";
import { runNpm } from "./run-tool.mjs";

/**
 * @param {import("./checkout.mjs").Checkout} checkout
 * @returns {Promise<string>}
 * @throws {LaunchError} `platform`, or whatever kept npm from fetching
 */
export async function findNode(checkout) {
  const { host, runtimeFolder, screen } = checkout;
  if (isNewEnough(host.nodeVersion)) return host.nodePath;
  const name = nodePackageFor(host);
  if (name === undefined) {
    const machine = [host.platform, host.arch, host.libc].filter(Boolean).join(" ");
    const message = `Vision Agent needs Node ${NEEDED_NODE} or newer. This is ${host.nodeVersion}, and there is no download for this machine (${machine}): install Node 24 and start again.`;
    throw new LaunchError(message, { kind: "platform" });
  }
  const home = join(runtimeFolder, `node-${FETCHED_NODE}-${host.platform}-${host.arch}`);
  const program = join("node_modules", name, "bin", host.platform === "win32" ? "node.exe" : "node");
  const node = join(home, program);
  if (existsSync(node)) return node;
  await withInstallLock({ runtimeFolder, say: screen.say }, async (lock) => {
    if (existsSync(node)) return; // another start was quicker
    const label = `Downloading Node ${FETCHED_NODE} into .runtime, once (${host.nodeVersion} is too old)`;
    await screen.during(label, () => fetchNode(checkout, { name, program, home, lock }));
  });
  return node;
}

/**
 * Fetched aside and tried before it gets its name: what has the name works.
 * @param {import("./checkout.mjs").Checkout} checkout
 * @param {{ name: string, program: string, home: string, lock: import("./install-lock.mjs").HeldLock }} options
 */
async function fetchNode(checkout, { name, program, home, lock }) {
  const folder = join(lock.temporaryFolder, "node");
  const fetch = (/** @type {string} */ version) =>
    runNpm(checkout, {
      node: checkout.host.nodePath,
      args: ["install", "--prefix", folder, "--no-save", "--no-package-lock", "--force", `${name}@${version}`],
      cwd: checkout.runtimeFolder,
      lock,
    });
  try {
    await fetch(FETCHED_NODE);
  } catch (error) {
    if (!(error instanceof LaunchError) || error.kind !== "install") throw error;
    await fetch("24"); // not every registry has every version for every machine
  }
  const answer = spawnSync(join(folder, program), ["-v"], { encoding: "utf8" });
  if (answer.status !== 0 || !isNewEnough(answer.stdout.trim())) {
    const message = `The downloaded Node does not run on this machine. Install Node ${NEEDED_NODE} or newer and start again.`;
    throw new LaunchError(message, {
      kind: "platform",
      details: answer.stderr || String(answer.error ?? answer.stdout),
    });
  }
  rmSync(home, { recursive: true, force: true });
  renameSync(folder, home);
}
