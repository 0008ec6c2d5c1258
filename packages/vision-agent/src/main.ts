// The entrance. Two roads lead through the house; start-house.ts builds them in order:
//
//   SEE   camera → sources → frames → pipeline (workflow > blocks > models) → results
//           → scene events → alerts → person
//   ASK   person → interface (cli, http) → session → agent loop ⇄ model or offline interpreter
//           agent loop → tool → backend → result → back the same way, as events
import { readFileSync } from "node:fs";
import { readEnvironment } from "./config/environment.ts";
import { findRunningHouse } from "./find-running-house.ts";
import { runCommandLine } from "./interfaces/cli/command-line.ts";
import { createCommands } from "./interfaces/cli/create-commands.ts";
import type { HouseDoor } from "./interfaces/cli/house-flags.ts";
import { toStartFailure } from "./interfaces/cli/start-failure.ts";

const env = readEnvironment();
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};
const { stdin, stdout, stderr, platform, pid } = process;

const door: HouseDoor = {
  async start(flags, onNotice) {
    // Loaded by the commands that need it: everything else is answered at once.
    const { startHouse } = await import("./start-house.ts");
    return startHouse({ flags, env, pid, version, onNotice });
  },
  findRunning: (flags) => findRunningHouse(flags, env),
};

const commands = createCommands({
  door,
  terminal: {
    stdin,
    stdout,
    stderr,
    hasScreen: platform !== "linux" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY),
  },
  signals: process,
  platform,
});

async function main(): Promise<number> {
  try {
    return await runCommandLine({
      argv: process.argv.slice(2),
      version,
      commands,
      writeOut: (text) => void stdout.write(text),
      writeError: (text) => void stderr.write(text),
    });
  } catch (thrown) {
    const { message, exitCode } = toStartFailure(thrown);
    stderr.write(`${message}\n`);
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
