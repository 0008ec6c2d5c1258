// npm run <anything else> → node scripts/run.mjs <program> <arguments> → that program
import { launch } from "./launch/launch.mjs";

const [program, ...args] = process.argv.slice(2);
if (program === undefined) {
  console.error("Name the program to run: node scripts/run.mjs <program> [arguments]");
  process.exitCode = 1;
} else {
  process.exitCode = await launch({
    program,
    args,
    workingFolder: "checkout",
    needsDashboard: false,
    role: "tool",
  });
}
