#!/usr/bin/env node
// the command → the application, run by a Node that is new enough
import { existsSync } from "node:fs";
import * as module from "node:module"; // as a whole: an older Node refuses names that it does not have

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const launcher = new URL("../../../scripts/start.mjs", import.meta.url);

if (major > 24 || (major === 24 && minor >= 15)) {
  module.enableCompileCache(); // what was compiled once is there at the next start
  await import("../src/main.ts"); // dynamic: an older Node cannot even load it
} else if (existsSync(new URL("./launch/launch.mjs", launcher))) {
  await import(launcher.href); // a clone finds or fetches its own Node
} else {
  process.stderr.write(
    `Vision Agent needs Node 24.15 or newer; this is Node ${process.versions.node}. Install Node 24 and try again.\n`,
  );
  process.exitCode = 1;
}
