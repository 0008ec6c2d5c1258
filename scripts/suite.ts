// npm test → checks → unit tests → end-to-end tests; the first step that fails is the last one
import { join } from "node:path";
import { findChromium, isBrowserRequired } from "./find-chromium.mjs";
import { runChecks } from "./suite/run-checks.ts";
import { runVitest, type TestCounts, toCountsLine } from "./suite/run-vitest.ts";
import { toSeconds } from "./suite/seconds.ts";

interface StepEnd {
  readonly passed: boolean;
  readonly counts?: TestCounts | undefined;
}

const root = join(import.meta.dirname, "..");

const steps: { name: string; run: () => Promise<StepEnd> }[] = [
  { name: "check", run: async () => ({ passed: await runChecks(root, console.log) }) },
  { name: "unit", run: () => runProject("unit") },
  { name: "e2e", run: () => runProject("e2e") },
];

async function runProject(project: string): Promise<StepEnd> {
  const { code, counts } = await runVitest(root, [project], "inherit");
  return { passed: code === 0, counts };
}

async function runSuite(): Promise<boolean> {
  const startedAt = performance.now();
  const summary: string[] = [];
  const counted: TestCounts[] = [];
  let passed = true;
  if (findChromium() === undefined && !isBrowserRequired()) {
    console.log("No Chromium found: the browser tests are skipped (CHROMIUM_PATH names one).");
  }
  for (const { name, run } of steps) {
    console.log(`\n── ${name}`);
    const stepStartedAt = performance.now();
    const end = await run();
    passed = end.passed;
    if (end.counts) counted.push(end.counts);
    const counts = end.counts ? `  ${toCountsLine([end.counts])}` : "";
    summary.push(
      `${passed ? "ok  " : "FAIL"} ${name.padEnd(6)} ${toSeconds(performance.now() - stepStartedAt)}${counts}`,
    );
    if (!passed) break;
  }
  console.log(`\n${summary.join("\n")}`);
  console.log(`     Tests  ${toCountsLine(counted)}`);
  console.log(`     total  ${toSeconds(performance.now() - startedAt)}`);
  return passed;
}

process.exitCode = (await runSuite()) ? 0 : 1;
