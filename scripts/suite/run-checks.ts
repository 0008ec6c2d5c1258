// format, lint, types, borders → one line each, and the words of those that fail
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runChild } from "../launch/run-child.mjs";
import { runVitest, type TestCounts, toCountsLine } from "./run-vitest.ts";
import { toSeconds } from "./seconds.ts";
import { countSourceLines } from "./source-lines.ts";

interface CheckEnd {
  readonly code: number;
  readonly output: string;
  readonly counts?: TestCounts | undefined;
}

/** All checks run at once and are told in order. Returns false when one fails. */
export async function runChecks(root: string, say: (line: string) => void): Promise<boolean> {
  const running = checksOf(root).map(({ name, run }) => ({ name, ended: timed(run) }));
  let passed = true;
  for (const { name, ended } of running) {
    const { code, output, counts, ms } = await ended;
    const found = counts === undefined ? "" : `  ${toCountsLine([counts])}`;
    say(`${code === 0 ? "ok  " : "FAIL"} ${name.padEnd(32)} ${toSeconds(ms)}${found}`);
    if (code === 0) continue;
    passed = false;
    say(output.trimEnd());
  }
  const lines = countSourceLines(root);
  const total = [...lines.values()].reduce((sum, count) => sum + count, 0);
  say(`source lines: ${[...lines].map(([name, count]) => `${name} ${count}`).join(", ")}; together ${total}`);
  return passed;
}

function checksOf(root: string): { name: string; run: () => Promise<CheckEnd> }[] {
  const tool = (program: string, ...args: string[]) => ({
    run: () =>
      runChild(process.execPath, [join(root, "node_modules", program), ...args], {
        role: "tool",
        cwd: root,
        env: process.env,
        output: "capture",
      }),
  });
  return [
    { name: "format and lint", ...tool("@biomejs/biome/bin/biome", "check", "--diagnostic-level=error") },
    ...typedFolders(root).map((folder) => ({
      name: `types of ${folder}`,
      ...tool("typescript/bin/tsc", "--noEmit", "-p", join(root, folder)),
    })),
    {
      name: "dead code",
      ...tool(
        "knip/bin/knip.js",
        "--no-progress",
        "--no-config-hints",
        "--include",
        "files,dependencies,exports,types",
      ),
    },
    { name: "borders", run: () => runVitest(root, ["checks"], "capture") },
  ];
}

/** The root, and what needs a setting of its own: the dashboard and tests that drive a browser. */
function typedFolders(root: string): string[] {
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
  const own = packages.flatMap((folder) => [folder, `${folder}/e2e`]);
  return [".", ...own.filter((folder) => existsSync(join(root, folder, "tsconfig.json")))];
}

async function timed<T extends object>(work: () => Promise<T>): Promise<T & { ms: number }> {
  const startedAt = performance.now();
  const result = await work();
  return { ...result, ms: performance.now() - startedAt };
}
