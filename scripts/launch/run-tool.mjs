// a tool (npm, vite) works under the lock → done, or one sentence and the tool's own words
import { toChildEnvironment } from "./child-environment.mjs";
import { findNpm } from "./find-npm.mjs";
import { LaunchError } from "./launch-error.mjs";
import { runChild } from "./run-child.mjs";

/** Offline, npm's own retry pauses take 140 s; with these it gives up after 6 s. */
const SHORT_RETRIES = ["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=4000"];
const QUIET = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
const UNREACHABLE =
  /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b/;

/**
 * @param {import("./checkout.mjs").Checkout} checkout
 * @param {{ node: string, args: readonly string[], cwd: string, lock: import("./install-lock.mjs").HeldLock }} options
 * @returns {Promise<import("./run-child.mjs").ChildEnd>}
 * @throws {LaunchError} `interrupted` when the person stopped the launcher meanwhile
 */
export async function runTool({ env }, { node, args, cwd, lock }) {
  const end = await runChild(node, args, {
    role: "tool",
    cwd,
    env: toChildEnvironment(env, node),
    output: "capture",
    onStart: lock.addOwner,
  });
  if (end.code !== 0 && end.interrupted) {
    throw new LaunchError("Interrupted.", { kind: "interrupted", exitCode: end.code });
  }
  return end;
}

/**
 * @param {import("./checkout.mjs").Checkout} checkout
 * @param {{ node: string, args: readonly string[], cwd: string, lock: import("./install-lock.mjs").HeldLock }} options
 * @throws {LaunchError} `registry`, `install`, `npm` or `interrupted`
 */
export async function runNpm(checkout, { node, args, cwd, lock }) {
  const { env, host } = checkout;
  const npm = findNpm({ npmExecPath: env.npm_execpath, nodePath: host.nodePath, path: env.PATH ?? env.Path });
  const { code, output } = await runTool(checkout, {
    node,
    args: [npm, ...args, ...QUIET, ...SHORT_RETRIES],
    cwd,
    lock,
  });
  if (code === 0) return;
  const unreachable = UNREACHABLE.exec(output)?.[1];
  if (unreachable !== undefined) {
    const message = `The package registry cannot be reached (${unreachable}). Connect to the network, or set another registry with \`npm config set registry <address>\`, and start again.`;
    throw new LaunchError(message, { kind: "registry", details: /request to .*/.exec(output)?.[0] });
  }
  const message = `npm could not install the packages (exit code ${code}). Fix the error below and start again.`;
  throw new LaunchError(message, { kind: "install", details: output });
}
