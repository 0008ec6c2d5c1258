// While npm packs a package, its package.json is the published one; the source's is kept beside it and put back.
import { existsSync } from "node:fs";
import { copyFile, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toPublishedManifest } from "./published-manifest.mjs";

/**
 * Needs `putSourceBack` afterwards.
 * @param {string} root of the checkout
 * @param {string} folder of the package
 */
export async function swapManifest(root, folder) {
  const { manifest, kept, license } = filesOf(folder);
  const published = toPublishedManifest(JSON.parse(await readFile(manifest, "utf8")));
  await copyFile(join(root, "LICENSE"), license);
  await copyFile(manifest, `${kept}.part`);
  await rename(`${kept}.part`, kept);
  await writeFile(`${manifest}.part`, `${JSON.stringify(published, null, 2)}\n`);
  await rename(`${manifest}.part`, manifest);
}

/**
 * @param {string} folder of the package
 * @returns {Promise<boolean>} whether there was something to put back
 */
export async function putSourceBack(folder) {
  const { manifest, kept, license } = filesOf(folder);
  if (!existsSync(kept)) return false;
  await rename(kept, manifest);
  await rm(license, { force: true });
  return true;
}

/** @param {string} folder of the package */
export function isSwapped(folder) {
  return existsSync(filesOf(folder).kept);
}

/** @param {string} folder */
function filesOf(folder) {
  return {
    manifest: join(folder, "package.json"),
    kept: join(folder, ".package.source.json"),
    license: join(folder, "LICENSE"),
  };
}
