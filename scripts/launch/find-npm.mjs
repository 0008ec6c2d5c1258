import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { LaunchError } from "./launch-error.mjs";

/** Where npm lies, seen from the folder of a `node` or `npm` program: Windows, most systems, Debian's own package. */
const PLACES = [
  "node_modules/npm/bin/npm-cli.js",
  "../lib/node_modules/npm/bin/npm-cli.js",
  "../share/nodejs/npm/bin/npm-cli.js",
];

/**
 * The npm-cli.js to be run by a Node of our choice: npm.cmd cannot be spawned without a shell on Windows.
 * @param {object} options
 * @param {string | undefined} options.npmExecPath npm's own word; under yarn, pnpm or npx it names another program
 * @param {string} options.nodePath a fetched Node has no npm beside it, so the folders of `path` follow
 * @param {string | undefined} options.path
 * @param {(file: string) => boolean} [options.exists]
 */
export function findNpm({ npmExecPath, nodePath, path = "", exists = existsSync }) {
  const folders = [dirname(nodePath), ...path.split(delimiter).filter(Boolean)];
  const files = folders.flatMap((folder) => PLACES.map((place) => join(folder, place)));
  if (npmExecPath?.endsWith("npm-cli.js")) files.unshift(npmExecPath);
  const found = files.find((file) => exists(file));
  if (found === undefined) {
    throw new LaunchError("npm was not found. Install npm, or start with `npm start`.", { kind: "npm" });
  }
  return found;
}
