// npm run test:conformance [-- DIR] → footage and peers, then every recorded call of the Python engine
import { join } from "node:path";
import { runChild } from "./launch/run-child.mjs";
import { runVitest } from "./suite/run-vitest.ts";

const root = join(import.meta.dirname, "..");
const words = process.argv.slice(2);

// With arguments only the recorded calls are replayed: those of that folder, or the chosen ones.
const footage = words.length > 0 ? undefined : await runVitest(root, ["conformance"], "inherit");
const args = [join(root, "packages/vision-engine/conformance/main.ts"), ...words];
const replay = await runChild(process.execPath, args, { role: "tool", cwd: root, env: process.env, output: "inherit" });
process.exitCode = footage?.code || replay.code || 0;
