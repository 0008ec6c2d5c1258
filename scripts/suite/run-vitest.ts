// names of vitest projects → passed or not, with counts
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChildEnd, runChild } from "../launch/run-child.mjs";

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface VitestEnd extends ChildEnd {
  /** Undefined when vitest ended before it could count. */
  readonly counts: TestCounts | undefined;
}

/** Runs vitest projects; with `capture` vitest's words come back instead of going to the terminal. */
export async function runVitest(
  root: string,
  projects: readonly string[],
  output: "inherit" | "capture",
): Promise<VitestEnd> {
  const folder = mkdtempSync(join(tmpdir(), "vision-agent-tests-"));
  const report = join(folder, "report.json");
  const args = [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    // Tests of threads, sockets and child processes share one machine: a second failure is a fault. Vitest names what it ran again.
    "--retry=1",
    ...projects.flatMap((project) => ["--project", project]),
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ];
  try {
    const end = await runChild(process.execPath, args, { role: "tool", cwd: root, env: process.env, output });
    return { ...end, counts: loadCounts(report) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same words and order as vitest's own closing line. */
export function toCountsLine(all: readonly TestCounts[]): string {
  const sum = (key: keyof TestCounts) => all.reduce((total, counts) => total + counts[key], 0);
  const parts = (["failed", "passed", "skipped"] as const).filter((key) => sum(key) > 0);
  const total = sum("passed") + sum("failed") + sum("skipped");
  return `${parts.map((key) => `${sum(key)} ${key}`).join(" | ") || "no tests"} (${total})`;
}

function loadCounts(report: string): TestCounts | undefined {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(report, "utf8"));
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
  } catch {
    return undefined;
  }
}
