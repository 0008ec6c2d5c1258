import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const pages = globSync(["docs/agent-core/*.md", "packages/agent-core/README.md"], { cwd: root });

/** What a snippet may take for granted. */
const GIVEN = `
import type { AgentExecutor, LLMClient, RunHandle } from "@vision-agent/agent-core";
declare global {
  const executor: AgentExecutor;
  const llm: LLMClient;
  const run: RunHandle;
}
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agent-core-docs-"));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const config = { extends: join(root, "tsconfig.json"), compilerOptions: { noUnusedLocals: false }, include: ["*"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ ...config, exclude: ["node_modules"] }));
  await writeFile(join(folder, "given.ts"), GIVEN);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("AF-39 every snippet of the pages and of the package's README type-checks", async () => {
  let count = 0;
  for (const file of pages) {
    const text = await readFile(join(root, file), "utf8");
    for (const [, code] of text.matchAll(/```ts\n(.*?)```/gs)) {
      count += 1;
      await writeFile(join(folder, `${basename(file, ".md")}-${count}.ts`), `${code}\nexport {};\n`);
    }
  }
  expect(count).toBeGreaterThan(20);
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [tsc, "-p", folder]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe("");
});
