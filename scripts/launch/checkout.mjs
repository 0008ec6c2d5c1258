import { join } from "node:path";
import { describeHost } from "./host.mjs";
import { createScreen } from "./screen.mjs";

/**
 * The folder that the launcher prepares, and all that it takes from its surroundings.
 * @typedef {object} Checkout
 * @property {string} root the folder of package.json
 * @property {string} runtimeFolder fetched Node, lock and caches; not in git
 * @property {NodeJS.ProcessEnv} env
 * @property {import("./host.mjs").Host} host
 * @property {import("./screen.mjs").Screen} screen
 */

/**
 * @param {string} root
 * @returns {Checkout}
 */
export function describeCheckout(root) {
  return {
    root,
    runtimeFolder: join(root, ".runtime"),
    env: process.env,
    host: describeHost(),
    screen: createScreen({ stream: process.stderr }),
  };
}
