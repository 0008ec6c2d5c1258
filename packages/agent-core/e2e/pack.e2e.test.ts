import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { link, type PackedCopy, packCopy } from "../../../scripts/pack/testing/pack-copy.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
/** Types of the platform; no provider's library. */
const PLATFORM = ["@types/node", "undici-types"];
const PROVIDERS = ["@anthropic-ai/sdk", "openai", "@modelcontextprotocol/client", "zod"];
const RESOLUTIONS = {
  nodenext: ["--module", "nodenext"],
  bundler: ["--module", "esnext", "--moduleResolution", "bundler"],
};

const PROGRAM = `
import { createAgent, defineTool, RunError } from "@vision-agent/agent-core";
import { createFileSessionStore } from "@vision-agent/agent-core/node";
import { toSimpleSse } from "@vision-agent/agent-core/protocols";
import * as jobs from "@vision-agent/agent-core/jobs";
import { scriptedModel } from "@vision-agent/agent-core/testing";

const clock = defineTool({
  name: "clock",
  description: "The time in a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: ({ city }) => "noon in " + city.toUpperCase(),
});
const client = scriptedModel([{ toolCalls: [{ name: "clock", args: { city: "Oslo" } }] }, { text: "It is noon." }]);
await using agent = createAgent({ model: { id: "scripted", client }, tools: [clock], instructions: "Be brief." });
const words: string[] = [];
const request: { signal?: AbortSignal; session?: string } = {};
const stream = agent.stream("Time?", { signal: request.signal, session: request.session });
for await (const event of stream) for (const { event: word } of toSimpleSse(event)) words.push(word);
const { text } = await stream.result();
const failure = await agent.run("And now?").catch((error: RunError) => error instanceof RunError && error.code);
console.log(JSON.stringify({ words, text, failure, jobs: Object.keys(jobs).length > 0, store: typeof createFileSessionStore }));
`;

/** Runs as it is: no compiler. */
const JAVASCRIPT = `
import { createMemorySessionStore } from "@vision-agent/agent-core";
console.log(typeof createMemorySessionStore);
`;

describe("the packed package", () => {
  let folder: string;
  let packed: PackedCopy;
  let manifest: Record<string, unknown>;
  let modules: Record<string, { types: string; default: string }>;
  const installed = (): string => join(folder, "node_modules/@vision-agent/agent-core");
  const tarball = (): string => packed.tarballs["agent-core"]!;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "agent-core-pack-"));
    packed = await packCopy(["agent-core"], folder);
    await mkdir(installed(), { recursive: true });
    await run("tar", ["-xzf", tarball(), "-C", installed(), "--strip-components=1"]);
    manifest = JSON.parse(await readFile(join(installed(), "package.json"), "utf8"));
    const { "./package.json": _, ...entries } = manifest.exports as typeof modules;
    modules = entries;
    const wanted = [...Object.keys(manifest.dependencies as object), ...PLATFORM];
    for (const name of wanted) await link(join(root, "node_modules", name), join(folder, "node_modules", name));
    await writeFile(join(folder, "package.json"), JSON.stringify({ name: "consumer", type: "module" }));
    await writeFile(join(folder, "program.ts"), PROGRAM);
    await writeFile(join(folder, "plain.js"), JAVASCRIPT);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("npm pack leaves the folder as it was", async () => {
    const source = await readFile(join(root, "packages/agent-core/package.json"), "utf8");
    const copy = packed.folders["agent-core"]!;
    expect(await readFile(join(copy, "package.json"), "utf8")).toBe(source);
    const names = await readdir(join(root, "packages/agent-core"));
    const added = (await readdir(copy)).filter((name) => name !== "dist" && !names.includes(name));
    expect(added).toEqual([]);
  });

  it("AI-13 AF-33 type-checks in the program of a user who has no provider's library", async () => {
    expect(await compile(["program.ts"], [...RESOLUTIONS.nodenext, "--exactOptionalPropertyTypes"])).toBe("");
    expect(await compile(["program.ts"], RESOLUTIONS.bundler)).toBe("");
  });

  it("AF-29 runs as plain JavaScript", async () => {
    await compile(["program.ts"], RESOLUTIONS.nodenext);
    const { stdout } = await run(process.execPath, ["out/program.js"], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({
      words: ["start", "tool_start", "tool_complete", "token", "done"],
      text: "It is noon.",
      failure: "script_over",
      jobs: true,
      store: "function",
    });
    expect((await run(process.execPath, ["plain.js"], { cwd: folder })).stdout).toBe("function\n");
  });

  it("AI-13 asks for a provider's library only under the provider's own entry", async () => {
    const failed = await run(process.execPath, ["-e", 'import("@vision-agent/agent-core/anthropic")'], {
      cwd: folder,
    }).catch((error: { stderr: string }) => error);
    expect(failed.stderr).toContain("Cannot find package '@anthropic-ai/sdk'");
  });

  it("every entry and the first agent type-check, and load beside the providers' libraries", async () => {
    for (const name of PROVIDERS) await link(join(root, "node_modules", name), join(folder, "node_modules", name));
    const entries = Object.keys(modules).map((entry) => entry.replace(".", "@vision-agent/agent-core"));
    expect(entries.length).toBeGreaterThan(10);
    const lines = entries.map((entry, n) => `import * as entry${n} from "${entry}";`);
    const sizes = entries.map((_, n) => `Object.keys(entry${n}).length`);
    await writeFile(join(folder, "all.ts"), `${lines.join("\n")}\nconsole.log(Math.min(${sizes.join(", ")}) > 0);\n`);
    await copyFile(join(root, "examples/first-agent.ts"), join(folder, "first-agent.ts"));
    expect(await compile(["all.ts", "first-agent.ts"], RESOLUTIONS.nodenext)).toBe("");
    const { stdout } = await run(process.execPath, ["out/all.js"], { cwd: folder });
    expect(stdout).toBe("true\n");
  });

  it("gives its manifest to programs that ask for it", async () => {
    const ask = 'console.log(require("@vision-agent/agent-core/package.json").license)';
    expect((await run(process.execPath, ["-e", ask], { cwd: folder })).stdout).toBe("Apache-2.0\n");
  });

  it("publint finds nothing", async () => {
    const publint = join(root, "node_modules/publint/src/cli.js");
    const { stdout } = await run(process.execPath, [publint, "run", tarball(), "--strict"]);
    expect(stdout).toContain("All good!");
  });

  it("the types of every entry resolve for ESM", async () => {
    const attw = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
    const { stdout } = await run(process.execPath, [attw, tarball(), "--profile", "esm-only", "--format", "ascii"]);
    expect(stdout).toContain("@vision-agent/agent-core/testing");
  });

  it("S000-11.0.2 ships no tests, no TypeScript sources and no developer's fields", async () => {
    expect(Object.keys(manifest)).not.toContain("devDependencies");
    expect(Object.keys(manifest)).not.toContain("scripts");
    const { stdout } = await run("tar", ["-tzf", tarball()]);
    const files = stdout.trim().split("\n");
    const others = files.filter((file) => !/^package\/dist\/.*\.(?:js|d\.ts)$/.test(file));
    expect(others.toSorted()).toEqual(["package/LICENSE", "package/README.md", "package/package.json"]);
    expect(files.filter((file) => /\.test\.|__fixtures__/.test(file))).toEqual([]);
  });

  it("declarations name no TypeScript source and no requirement, and no file is shipped that no entry reaches", async () => {
    const seen = new Set<string>();
    const pending = Object.values(modules).flatMap((entry) => [entry.types, entry.default]);
    for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
      if (seen.has(join(file))) continue;
      seen.add(join(file));
      const text = await readFile(join(installed(), file), "utf8");
      for (const [, name] of text.matchAll(/(?:from |import\(|import )"(\.[^"]*)"/g)) {
        expect(name, file).toMatch(/\.js$/);
        const target = join(file, "..", name!);
        pending.push(target, target.replace(/\.js$/, ".d.ts"));
      }
      // Of requirements that a user does not have.
      if (file.endsWith(".d.ts")) expect(text, file).not.toMatch(/\b(?:(?:AF|AI|SC|VA|VI)-\d|X\d+\b|Invariant \d)/);
    }
    const files = await readdir(join(installed(), "dist"), { recursive: true });
    const shipped = files.filter((name) => /\.(js|ts)$/.test(name)).map((name) => join("dist", name));
    expect(shipped.filter((name) => !seen.has(name))).toEqual([]);
  });

  /** What the compiler has to say, libraries included. */
  async function compile(files: readonly string[], resolution: readonly string[]): Promise<string> {
    const program = join(root, "node_modules/typescript/bin/tsc");
    const options = ["--strict", ...resolution, "--target", "es2024", "--types", "node", "--outDir", "out"];
    const compiling = run(process.execPath, [program, ...options, ...files], { cwd: folder });
    return (await compiling.catch((error: { stdout: string }) => error)).stdout;
  }
});
