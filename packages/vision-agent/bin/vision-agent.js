#!/usr/bin/env node
// the command → the application, run by a Node that is new enough
import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const launcher = new URL("../../../scripts/start.mjs", import.meta.url);

if (major > 24 || (major === 24 && minor >= 15)) {
  enableCompileCache(); // what was compiled once is there at the next start
  await import("../src/main.ts"); // dynamic: an older Node cannot even load it
} else if (existsSync(new URL("./launch/launch.mjs", launcher))) {
  await import(launcher.href); // a clone brings its own Node
} else {
  process.stderr.write(`Vision Agent needs Node 24.15 or newer, this is ${process.version}: install Node 24.\n`);
  process.exitCode = 1;
}
