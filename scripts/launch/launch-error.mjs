/**
 * What kept the launcher from starting the program:
 * - `platform`: no ready-made Node for this machine
 * - `npm`: npm itself was not found
 * - `registry`: the package registry did not answer
 * - `install`: npm failed for another reason
 * - `read_only`: something must be written and the folder does not allow it
 * - `build`: the dashboard did not build
 * - `interrupted`: a signal ended a step; nothing needs to be said
 * @typedef {"platform" | "npm" | "registry" | "install" | "read_only" | "build" | "interrupted"} LaunchErrorKind
 */

/** The message is one plain sentence with the way out; `details` is what the failed tool wrote. */
export class LaunchError extends Error {
  /**
   * @param {string} message
   * @param {{ kind: LaunchErrorKind, details?: string, exitCode?: number, cause?: unknown }} options
   */
  constructor(message, { kind, details = "", exitCode = 1, cause }) {
    super(message, { cause });
    this.name = "LaunchError";
    this.kind = kind;
    this.details = details.trim();
    this.exitCode = exitCode;
  }
}
