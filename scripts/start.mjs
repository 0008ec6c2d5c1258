// npm start -- <arguments> → the application
import { launch } from "./launch/launch.mjs";

process.exitCode = await launch({
  program: "packages/vision-agent/src/main.ts",
  args: process.argv.slice(2),
  workingFolder: "person",
  needsDashboard: true,
  role: "program",
});
