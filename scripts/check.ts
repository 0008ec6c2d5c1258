// npm run check → format, lint, types and borders
import { join } from "node:path";
import { runChecks } from "./suite/run-checks.ts";

const passed = await runChecks(join(import.meta.dirname, ".."), console.log);
process.exitCode = passed ? 0 : 1;
