// the machine's Node, or one fetched before, or one fetched now → path of a Node that is new enough
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePackageFor } from "./host.mjs";
import { withInstallLock } from "./install-lock.mjs";
import { LaunchError } from "./launch-error.mjs";
import { NODE_PACKAGES } from "./node-packages.mjs";
import { isNewEnough, NEEDED_NODE } from "./node-version.mjs";
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
  const pinned = name === undefined ? undefined : NODE_PACKAGES[name];
  if (name === undefined || pinned === undefined) {
    const machine = [host.platform, host.arch, host.libc].filter(Boolean).join(" ");
    const message = `Vision Agent needs Node ${NEEDED_NODE} or newer. This is ${host.nodeVersion}, and there is no download for this machine (${machine}): install Node 24 and start again.`;
    throw new LaunchError(message, { kind: "platform" });
  }
  const home = join(runtimeFolder, `node-${pinned.version}-${host.platform}-${host.arch}`);
  const program = join("node_modules", name, "bin", host.platform === "win32" ? "node.exe" : "node");
  const node = join(home, program);
  if (existsSync(node)) return node;
  await withInstallLock({ runtimeFolder, say: screen.say }, async (lock) => {
    if (existsSync(node)) return; // another start was quicker
    const label = `Downloading Node ${pinned.version} into .runtime, once (${host.nodeVersion} is too old)`;
    await screen.during(label, () => fetchNode(checkout, { name, ...pinned, program, home, lock }));
  });
  return node;
}

/**
 * Fetched aside by a lockfile with its checksum, and tried before it gets its name: what has the name works.
 * @param {import("./checkout.mjs").Checkout} checkout
 * @param {{ name: string, version: string, integrity: string, program: string, home: string, lock: import("./install-lock.mjs").HeldLock }} options
 */
async function fetchNode(checkout, { name, version, integrity, program, home, lock }) {
  const folder = join(lock.temporaryFolder, "node");
  mkdirSync(folder, { recursive: true });
  const wanted = { name: "fetched-node", version: "1.0.0", private: true, dependencies: { [name]: version } };
  const packages = { "": wanted, [`node_modules/${name}`]: { version, integrity } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(wanted));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ ...wanted, lockfileVersion: 3, packages }));
  await runNpm(checkout, { node: checkout.host.nodePath, args: ["ci", "--force"], cwd: folder, lock });
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
