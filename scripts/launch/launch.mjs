// npm start, npm test, npm run … → Node 24 → packages → dashboard → the program
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildDashboard } from "./build-dashboard.mjs";
import { describeCheckout } from "./checkout.mjs";
import { toChildEnvironment } from "./child-environment.mjs";
import { findNode } from "./find-node.mjs";
import { installPackages } from "./install-packages.mjs";
import { LaunchError } from "./launch-error.mjs";
import { runChild } from "./run-child.mjs";

const SHOW_CURSOR = "\x1b[?25h";

/**
 * @typedef {object} Launch
 * @property {string} program relative to the checkout
 * @property {readonly string[]} args
 * @property {"person" | "checkout"} workingFolder where relative paths in `args` begin
 * @property {boolean} needsDashboard
 * @property {import("./run-child.mjs").Role} role
 */

/**
 * Prepares the checkout that this file lies in and runs the program in it.
 * @param {Launch} options
 * @returns {Promise<number>} the program's exit code, or 1 after one sentence about what is missing
 */
export async function launch({ program, args, workingFolder, needsDashboard, role }) {
  const checkout = describeCheckout(fileURLToPath(new URL("../..", import.meta.url)));
  const { root, runtimeFolder, env, screen } = checkout;
  try {
    const node = await findNode(checkout);
    await installPackages(checkout, node);
    if (needsDashboard) await buildDashboard(checkout, { node });
    const end = await runChild(node, [resolve(root, program), ...args], {
      role,
      cwd: workingFolder === "checkout" ? root : personFolder(env),
      env: { NODE_COMPILE_CACHE: join(runtimeFolder, "compile-cache"), ...toChildEnvironment(env, node) },
    });
    if (end.interrupted && process.stdout.isTTY) process.stdout.write(SHOW_CURSOR); // a killed vitest had hidden it
    return end.code;
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    if (error.kind !== "interrupted") screen.say([error.message, error.details].filter(Boolean).join("\n\n"));
    return error.exitCode;
  }
}

/**
 * npm changes to the checkout and leaves the person's own folder in a variable.
 * @param {NodeJS.ProcessEnv} env
 */
function personFolder(env) {
  return (env.npm_lifecycle_event && env.INIT_CWD) || process.cwd();
}
