// npm test → every check and every test that needs nothing but this checkout
import { launch } from "./launch/launch.mjs";

process.exitCode = await launch({
  program: "scripts/suite.ts",
  args: [],
  workingFolder: "checkout",
  needsDashboard: true,
  role: "tool",
});
