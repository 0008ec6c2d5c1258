/** From 24.15 on neither type stripping nor node:sqlite prints an experimental warning. */
export const NEEDED_NODE = "24.15";

/** @param {string} version as `process.version` writes it, with or without the leading v */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = toNumbers(version);
  const [neededMajor = 0, neededMinor = 0] = toNumbers(NEEDED_NODE);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

/** @param {string} version */
function toNumbers(version) {
  return version.replace(/^v/, "").split(".").map(Number);
}
