import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findNpm } from "../../../scripts/launch/find-npm.mjs";
import { packPackage } from "../../../scripts/pack/pack-package.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
/** Types of the platform; no provider's library. */
const PLATFORM = ["@types/node", "undici-types"];

const PROGRAM = `
import { createAgentExecutor, createMemoryArtifactStore, createMemorySessionStore, randomIds, systemClock, type Tool } from "@vision-agent/agent-core";
import { createFileSessionStore } from "@vision-agent/agent-core/node";
import { toSimpleSse } from "@vision-agent/agent-core/protocols";
import * as jobs from "@vision-agent/agent-core/jobs";
import { scriptedModel } from "@vision-agent/agent-core/testing";

const clock: Tool<{ city: string }> = {
  name: "clock",
  description: "The time in a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: async ({ city }) => "noon in " + city,
};
const executor = createAgentExecutor({
  llm: scriptedModel([{ toolCalls: [{ name: "clock", args: { city: "Oslo" } }] }, { text: "It is noon." }]),
  model: "scripted",
  tools: [clock],
  sessions: createMemorySessionStore(),
  artifacts: createMemoryArtifactStore(),
  prompt: { system: async () => [{ id: "who", text: "Be brief.", stability: "static" }], state: async () => "" },
  clock: systemClock,
  ids: randomIds,
});
const words: string[] = [];
for await (const event of executor.execute({ sessionId: "s", text: "Time?", principal: { userId: "you" } })) {
  for (const { event: word } of toSimpleSse(event)) words.push(word);
}
await executor.close();
console.log(JSON.stringify({ words, jobs: Object.keys(jobs).length > 0, store: typeof createFileSessionStore }));
`;

describe("the packed package", () => {
  let folder: string;
  let diagnostics: string;
  const installed = (): string => join(folder, "node_modules/@vision-agent/agent-core");

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "agent-core-pack-"));
    const npm = findNpm({ npmExecPath: process.env.npm_execpath, nodePath: process.execPath, path: process.env.PATH });
    const tarball = await packPackage({ root, folder: "packages/agent-core", into: folder, npm });
    await mkdir(installed(), { recursive: true });
    await run("tar", ["-xzf", tarball, "-C", installed(), "--strip-components=1"]);
    const manifest = JSON.parse(await readFile(join(installed(), "package.json"), "utf8"));
    for (const name of [...Object.keys(manifest.dependencies), ...PLATFORM]) await link(name);
    await writeFile(join(folder, "package.json"), JSON.stringify({ name: "consumer", type: "module" }));
    await writeFile(join(folder, "program.ts"), PROGRAM);
    diagnostics = await compile("program.ts");
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("AI-13 AF-33 type-checks in the program of a user who has no provider's library", () => {
    expect(diagnostics).toBe("");
  });

  it("AF-29 runs as plain JavaScript", async () => {
    const { stdout } = await run(process.execPath, ["out/program.js"], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({
      words: ["tool_start", "tool_complete", "token", "done"],
      jobs: true,
      store: "function",
    });
  });

  it("AI-13 asks for a provider's library only under the provider's own entry", async () => {
    const failed = await run(process.execPath, ["-e", 'import("@vision-agent/agent-core/anthropic")'], {
      cwd: folder,
    }).catch((error: { stderr: string }) => error);
    expect(failed.stderr).toContain("Cannot find package '@anthropic-ai/sdk'");
  });

  it("S000-11.0.2 ships no tests, no TypeScript sources and no developer's fields", async () => {
    const manifest = JSON.parse(await readFile(join(installed(), "package.json"), "utf8")) as Record<string, unknown>;
    expect(Object.keys(manifest)).not.toContain("devDependencies");
    const { stdout } = await run("tar", ["-tzf", join(folder, "vision-agent-agent-core-0.1.0.tgz")]);
    const sources = stdout.split("\n").filter((file) => /\.test\.|(?<!\.d)\.ts$/.test(file));
    expect(sources).toEqual([]);
  });

  async function link(name: string): Promise<void> {
    const at = join(folder, "node_modules", name);
    await mkdir(dirname(at), { recursive: true });
    await symlink(join(root, "node_modules", name), at, "junction");
  }

  /** What the compiler has to say. */
  async function compile(file: string): Promise<string> {
    const program = join(root, "node_modules/typescript/bin/tsc");
    const options = ["--strict", "--module", "nodenext", "--target", "es2024", "--types", "node", "--outDir", "out"];
    const compiling = run(process.execPath, [program, ...options, file], { cwd: folder });
    return (await compiling.catch((error: { stdout: string }) => error)).stdout;
  }
});
