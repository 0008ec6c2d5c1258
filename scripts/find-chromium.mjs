import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/**
 * The browser for the dashboard's tests: CHROMIUM_PATH, else the first known name in PATH.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | undefined}
 */
export function findChromium(env = process.env) {
  if (env.CHROMIUM_PATH) return env.CHROMIUM_PATH;
  const folders = (env.PATH ?? "").split(delimiter).filter(Boolean);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/**
 * Whether a missing browser is a failure instead of a reason to skip.
 * @param {NodeJS.ProcessEnv} [env]
 */
export function isBrowserRequired(env = process.env) {
  return env.CI === "true" || env.VISION_AGENT_REQUIRE_BROWSER === "1";
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
