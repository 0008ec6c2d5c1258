import { delimiter, dirname } from "node:path";

/**
 * What a person told the outer npm about workspaces, dry runs or production must not reach an npm of ours;
 * registry, proxy, cache and certificates must.
 */
const OUTER_NPM_ONLY = new RegExp(
  "^npm_config_(workspaces?|include_workspace_root|global|location|prefix|dry_run|omit|include|production|only" +
    "|package_lock|package_lock_only|json|save.*|ignore_scripts)$|^npm_(package|lifecycle)_",
  "i",
);

/**
 * The environment for everything the launcher starts: `node` comes first in PATH.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} node path of the Node to use
 * @returns {NodeJS.ProcessEnv}
 */
export function toChildEnvironment(env, node) {
  const kept = Object.fromEntries(Object.entries(env).filter(([key]) => !OUTER_NPM_ONLY.test(key)));
  const pathKey = Object.keys(kept).find((key) => key.toUpperCase() === "PATH") ?? "PATH"; // "Path" on Windows
  const path = [dirname(node), kept[pathKey]].filter(Boolean).join(delimiter);
  return { ...kept, NODE: node, npm_node_execpath: node, [pathKey]: path };
}
