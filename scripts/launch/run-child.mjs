// launcher → child: signals go down, the exit code comes up
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { watchStarter } from "./watch-starter.mjs";

/**
 * A `program` has the keyboard, gets the signals that we get, and ends by itself on `disconnect`, when we are killed.
 * A `tool` has none of it: at the first signal, or when we are killed, it is killed with all that it started.
 * @typedef {"program" | "tool"} Role
 *
 * @typedef {object} ChildOptions
 * @property {Role} role
 * @property {string} cwd
 * @property {NodeJS.ProcessEnv} env
 * @property {"inherit" | "capture"} [output] default inherit
 * @property {(pid: number) => void} [onStart]
 *
 * @typedef {object} ChildEnd
 * @property {number} code 128 + the signal's number when a signal ended the child
 * @property {string} output what was captured, the end of it when it is long
 * @property {boolean} interrupted we were told to stop meanwhile
 */

const SIGNALS = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"]); // the last: Windows
const KILL_AFTER_MS = 10_000;
const KEPT_OUTPUT = 64 * 1024;
const END_WITH_LAUNCHER = fileURLToPath(new URL("./end-with-launcher.cjs", import.meta.url));

/**
 * Runs a Node program to its end.
 * @param {string} node
 * @param {readonly string[]} args
 * @param {ChildOptions} options
 * @returns {Promise<ChildEnd>}
 */
export function runChild(node, args, { role, cwd, env, output = "inherit", onStart }) {
  const isTool = role === "tool";
  const outputs = output === "capture" ? "pipe" : "inherit";
  const child = spawn(node, isTool ? ["--require", END_WITH_LAUNCHER, ...args] : args, {
    cwd,
    env: isTool ? { ...env, VISION_AGENT_TOOL_OF: String(process.pid) } : env,
    stdio: [isTool ? "ignore" : "inherit", outputs, outputs, "ipc"],
    detached: isTool && process.platform !== "win32", // a process group of its own
    windowsHide: true,
  });
  if (child.pid !== undefined) onStart?.(child.pid);

  let captured = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text) => {
      captured = (captured + text).slice(-KEPT_OUTPUT);
    });
  }

  const watch = watchSignals(isTool ? (signal) => killGroup(child, signal) : politely(child));
  return new Promise((done, fail) => {
    child.once("error", (error) => {
      watch.stop();
      fail(error);
    });
    child.once("close", (code, signal) => {
      watch.stop();
      const endedBy = isTool ? (watch.received() ?? signal) : signal;
      done({
        code: code ?? 128 + (endedBy ? constants.signals[endedBy] : 0),
        output: captured,
        interrupted: watch.received() !== undefined,
      });
    });
  });
}

/** @param {(signal: NodeJS.Signals) => void} onSignal */
function watchSignals(onSignal) {
  /** @type {NodeJS.Signals | undefined} */
  let received;
  const take = (/** @type {NodeJS.Signals} */ signal) => {
    received ??= signal;
    onSignal(signal);
  };
  const starter = watchStarter(() => take("SIGTERM"));
  for (const signal of SIGNALS) process.on(signal, take);
  return {
    received: () => received,
    stop() {
      starter.stop();
      for (const signal of SIGNALS) process.off(signal, take);
    },
  };
}

/** @param {import("node:child_process").ChildProcess} child */
function politely(child) {
  return (/** @type {NodeJS.Signals} */ signal) => {
    // A terminal sends Ctrl-C to parent and child alike, and in a conversation it need not mean the end.
    if (signal === "SIGINT" && hasTerminal()) return;
    child.kill(signal);
    setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS).unref();
  };
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function killGroup(child, signal) {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (process.platform === "win32") child.kill(signal);
  else process.kill(-child.pid, "SIGKILL");
}

function hasTerminal() {
  return [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
}
