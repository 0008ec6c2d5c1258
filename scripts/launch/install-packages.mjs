// package-lock.json → node_modules
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withInstallLock } from "./install-lock.mjs";
import { runNpm } from "./run-tool.mjs";

/**
 * @typedef {{ root: string, host: Pick<import("./host.mjs").Host, "platform" | "arch" | "libc"> }} Place
 * @typedef {object} LockEntry one package of package-lock.json
 * @property {string} [version]
 * @property {boolean} [link]
 * @property {boolean} [optional]
 * @property {string[]} [os]
 * @property {string[]} [cpu]
 * @property {string[]} [libc]
 */

const STAMP = "node_modules/.launch-stamp";
/** npm writes it last, and anew each time it changes something. */
const NPM_RECORD = "node_modules/.package-lock.json";

/**
 * @param {import("./checkout.mjs").Checkout} checkout
 * @param {string} node the Node that runs npm: with an older one npm warns about every package
 */
export async function installPackages(checkout, node) {
  const { root, runtimeFolder, screen } = checkout;
  if (isInstalled(checkout)) return;
  await withInstallLock({ runtimeFolder, say: screen.say }, async (lock) => {
    if (isInstalled(checkout)) return; // another start was quicker
    // NODE_ENV=production around us would otherwise leave out what builds the dashboard.
    const args = ["ci", "--include=dev", "--include=optional"];
    const label = "Installing packages, once";
    await screen.during(label, () => runNpm(checkout, { node, args, cwd: root, lock }));
    writeStamp(checkout);
  });
}

/**
 * Our stamp is the quick answer. Without a valid one, because a person ran npm or copied the folder,
 * the versions on disk are compared with the lockfile.
 * @param {Place} place
 */
export function isInstalled(place) {
  const { root } = place;
  if (readText(join(root, STAMP)) === stampFor(place)) return true;
  const expected = Object.entries(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages);
  const packages = expected.filter(([path]) => path.includes("node_modules/"));
  if (packages.length > 0 && !existsSync(join(root, NPM_RECORD))) return false; // npm was interrupted
  if (!packages.every(([path, entry]) => isInPlace(place, path, entry))) return false;
  writeStamp(place);
  return true;
}

/**
 * @param {Place} place
 * @param {string} path
 * @param {LockEntry} entry
 */
function isInPlace({ root, host }, path, entry) {
  if (entry.link) return existsSync(join(root, path));
  if (entry.optional && !isFor(host, entry)) return true;
  const text = readText(join(root, path, "package.json"));
  // An optional package may be missing, unless it is the binary for this very machine.
  if (text === undefined) return entry.optional === true && entry.os === undefined;
  return versionIn(text) === entry.version;
}

/**
 * @param {Place["host"]} host
 * @param {LockEntry} entry
 */
function isFor({ platform, arch, libc }, { os, cpu, libc: libcs }) {
  return allows(os, platform) && allows(cpu, arch) && (libc === "" || allows(libcs, libc));
}

/**
 * npm's lists name what is allowed, or with a "!" what is not.
 * @param {readonly string[] | undefined} list
 * @param {string} value
 */
function allows(list, value) {
  if (list === undefined) return true;
  return list.some((item) => !item.startsWith("!")) ? list.includes(value) : !list.includes(`!${value}`);
}

/** @param {string} packageJson */
function versionIn(packageJson) {
  try {
    return JSON.parse(packageJson).version;
  } catch {
    return undefined; // half written
  }
}

/** @param {Place} place */
function stampFor({ root, host }) {
  const lockfile = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  const record = statSync(join(root, NPM_RECORD), { throwIfNoEntry: false })?.mtimeMs;
  return [lockfile, host.platform, host.arch, host.libc, record].join(" ");
}

/** @param {Place} place */
function writeStamp(place) {
  try {
    writeFileSync(join(place.root, STAMP), stampFor(place));
  } catch (error) {
    // A read-only checkout, or one without packages, is compared anew each time.
    if (!["EACCES", "EROFS", "EPERM", "ENOENT"].includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? ""))
      throw error;
  }
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
