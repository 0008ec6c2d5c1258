// The entrance. Two roads lead through the app; start-app.ts builds them in order:
//
//   SEE   camera → sources → frames → pipeline (workflow > blocks > models) → results
//           → scene → watches → alerts → person
//   ASK   person → interface (cli, http) → session → agent loop ⇄ model or offline interpreter
//           agent loop → tool → backend → result → back the same way, as events
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { readEnvironment } from "./config/environment.ts";
import type { AppLauncher } from "./interfaces/cli/app-flags.ts";
import { type Commands, runCommandLine } from "./interfaces/cli/command-line.ts";
import { printable } from "./interfaces/cli/terminal-text.ts";

// Whatever this program and its helpers write is for its owner alone.
process.umask(0o077);
const env = readEnvironment();
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};
const { stdin, stdout, stderr, platform, pid } = process;
const EVALS = fileURLToPath(new URL("../../../evals", import.meta.url));

// Everything below is loaded by the command that needs it: help and version are there at once.
const launcher: AppLauncher = {
  async start(flags, onNotice) {
    const { startApp } = await import("./start-app.ts");
    return startApp({ flags, env, pid, version, onNotice, faults: process });
  },
  async findRunning(flags) {
    const { findRunningApp } = await import("./find-running-app.ts");
    return findRunningApp(flags, env);
  },
  async openBackends(flags, onNotice) {
    const { openBackendTools } = await import("./open-backend-tools.ts");
    return openBackendTools({ flags, env, onNotice });
  },
  async openSetup(flags) {
    const { openSetupTools } = await import("./open-setup-tools.ts");
    return openSetupTools({ flags, env });
  },
};

async function loadCommands(): Promise<Commands> {
  const [{ createCommands }, { systemClock }] = await Promise.all([
    import("./interfaces/cli/create-commands.ts"),
    import("@vision-agent/agent-core"),
  ]);
  return createCommands({
    launcher,
    terminal: {
      stdin,
      stdout,
      stderr,
      hasScreen: platform !== "linux" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY),
    },
    signals: process,
    platform,
    env,
    nodeVersion: process.versions.node,
    now: systemClock.now,
    evals: {
      ownSet: EVALS,
      temporaryFolder: tmpdir(),
      clock: systemClock,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
  });
}

async function main(): Promise<number> {
  try {
    return await runCommandLine({
      argv: process.argv.slice(2),
      version,
      loadCommands,
      writeOut: (text) => void stdout.write(printable(text)),
      writeError: (text) => void stderr.write(printable(text)),
    });
  } catch (thrown) {
    const { toStartFailure } = await import("./interfaces/cli/start-failure.ts");
    const { message, exitCode } = toStartFailure(thrown);
    stderr.write(`${printable(message)}\n`);
    return exitCode;
  }
}

// A reader that has left, as in `ask … | head`, is no reason to break off.
for (const stream of [stdout, stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

const exitCode = await main();
// What was printed reaches a pipe before the process is gone.
stdout.write("", () => stderr.write("", () => process.exit(exitCode)));
