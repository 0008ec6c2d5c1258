import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeHost, nodePackageFor } from "./host.mjs";
import { NODE_PACKAGES } from "./node-packages.mjs";
import { isNewEnough } from "./node-version.mjs";
import { identifyProcess } from "./process-identity.mjs";

const SCRIPTS = join(import.meta.dirname, "..");
const COMMAND = join(import.meta.dirname, "../../packages/vision-agent/bin/vision-agent.js");
const OLD_NODE = findOldNode();

/** Writes what it was given into report.json of its folder; `serve` stays until it is told to stop. */
const PROGRAM = `
  import { writeFileSync } from "node:fs";
  const args: string[] = process.argv.slice(2);
  writeFileSync("report.json", JSON.stringify({ pid: process.pid, args, version: process.version }));
  if (args[0] === "exit") process.exit(Number(args[1]));
  if (args[0] === "serve") {
    setInterval(() => undefined, 1000);
    process.on("SIGTERM", () => process.exit(0));
    process.on("disconnect", () => process.exit(0));
  } else process.channel?.unref();
`;

/** Stands for vitest: starts a worker that would outlive it. */
const TOOL = `
  import { spawn } from "node:child_process";
  import { writeFileSync } from "node:fs";
  const worker = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  writeFileSync("report.json", JSON.stringify({ pid: process.pid, worker: worker.pid }));
  setInterval(() => undefined, 1000);
`;

describe("launch", () => {
  it("passes the exit code on", async () => {
    const { ended } = start(checkout(), ["scripts/start.mjs", "exit", "3"]);
    expect((await ended).code).toBe(3);
  });

  it("hands arguments with spaces over whole", async () => {
    const root = checkout();
    const { ended } = start(root, ["scripts/start.mjs", "what do you see?", "", "a b"]);
    expect((await ended).code).toBe(0);
    expect(report(root).args).toEqual(["what do you see?", "", "a b"]);
  });

  it("starts quietly when nothing is to be done", async () => {
    const { ended } = start(checkout(), ["scripts/start.mjs"]);
    expect((await ended).said).toBe("");
  });

  it.each(["SIGTERM", "SIGKILL"] as const)("leaves no program behind after %s", async (signal) => {
    const root = checkout();
    const { child, ended } = start(root, ["scripts/start.mjs", "serve"]);
    const { pid } = await reported(root);
    child.kill(signal);
    await ended;
    await gone(pid);
  });

  it.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("leaves no tool and no worker behind after %s", async (signal) => {
    const root = checkout();
    writeFileSync(join(root, "tool.mjs"), TOOL);
    const { child, ended } = start(root, ["scripts/run.mjs", "tool.mjs"]);
    const { pid, worker } = await reported(root);
    child.kill(signal);
    await ended;
    await Promise.all([gone(pid), gone(worker)]);
  });

  it("lets two starts at once both succeed, with one build between them", async () => {
    const root = checkout();
    write(root, "packages/web/index.html", "");
    write(root, "node_modules/vite/bin/vite.js", SLOW_BUILDER);
    const ends = await Promise.all([1, 2].map(() => start(root, ["scripts/start.mjs"]).ended));
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect(existsSync(join(root, "packages/web/dist/index.html"))).toBe(true);
    const said = ends.map((end) => end.said).join("");
    expect(said.match(/Building the dashboard: done/g)).toHaveLength(1);
  });

  it("says in one sentence that the registry cannot be reached", async () => {
    const root = checkout({ "node_modules/left-out": { version: "1.0.0", integrity: `sha512-${"A".repeat(86)}==` } });
    write(root, "package.json", JSON.stringify({ name: "x", type: "module", dependencies: { "left-out": "1.0.0" } }));
    const startedAt = performance.now();
    const { code, said } = await start(root, ["scripts/start.mjs"], {
      env: { npm_config_registry: "http://127.0.0.1:9", npm_config_cache: join(root, "cache") },
    }).ended;
    expect(code).toBe(1);
    expect(said).toContain("The package registry cannot be reached (ECONNREFUSED).");
    expect(said).not.toContain("    at ");
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect(existsSync(join(root, "report.json"))).toBe(false);
  });
});

describe.skipIf(OLD_NODE === undefined)("the command on an older Node (needs one in PATH)", () => {
  it("runs with the Node that the clone has fetched", async () => {
    const root = checkout();
    cpSync(COMMAND, join(root, "packages/vision-agent/bin/vision-agent.js"));
    linkFetchedNode(root);
    const { ended } = start(root, ["packages/vision-agent/bin/vision-agent.js", "a b"], { node: OLD_NODE });
    expect(await ended).toEqual({ code: 0, said: "" });
    expect(report(root)).toMatchObject({ args: ["a b"], version: process.version });
  });

  it("says which Node it needs where there is no clone", async () => {
    const root = mkdtempSync(join(tmpdir(), "published-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    write(root, "node_modules/vision-agent/package.json", JSON.stringify({ type: "module" }));
    cpSync(COMMAND, join(root, "node_modules/vision-agent/bin/vision-agent.js"));
    const { ended } = start(root, ["node_modules/vision-agent/bin/vision-agent.js"], { node: OLD_NODE });
    const { code, said } = await ended;
    expect(code).toBe(1);
    expect(said).toMatch(
      /^Vision Agent needs Node 24\.15 or newer; this is Node [\d.]+\. Install Node 24 and try again\.\n$/,
    );
  });
});

const SLOW_BUILDER = `
  import { mkdirSync, writeFileSync } from "node:fs";
  const folder = process.argv[process.argv.indexOf("--outDir") + 1];
  await new Promise((done) => setTimeout(done, 500));
  mkdirSync(folder, { recursive: true });
  writeFileSync(folder + "/index.html", "");
`;

function checkout(packages: Record<string, object> = {}): string {
  const root = mkdtempSync(join(tmpdir(), "launch e2e "));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  cpSync(SCRIPTS, join(root, "scripts"), { recursive: true });
  const wanted = Object.fromEntries(Object.keys(packages).map((path) => [path.replace("node_modules/", ""), "1.0.0"]));
  const lockfile = {
    name: "x",
    lockfileVersion: 3,
    packages: { "": { name: "x", dependencies: wanted }, ...packages },
  };
  write(root, "package.json", JSON.stringify({ name: "x", type: "module" }));
  write(root, "package-lock.json", JSON.stringify(lockfile));
  write(root, "packages/vision-agent/src/main.ts", PROGRAM);
  return root;
}

function findOldNode(): string | undefined {
  const name = process.platform === "win32" ? "node.exe" : "node";
  const candidates = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name));
  return candidates.find(
    (file) => existsSync(file) && !isNewEnough(spawnSync(file, ["-v"], { encoding: "utf8" }).stdout.trim()),
  );
}

function linkFetchedNode(root: string): void {
  const { platform, arch, libc } = describeHost();
  const name = nodePackageFor({ platform, arch, libc }) ?? "";
  const folder = `.runtime/node-${NODE_PACKAGES[name]?.version}-${platform}-${arch}/node_modules/${name}`;
  const file = join(root, folder, "bin", platform === "win32" ? "node.exe" : "node");
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(process.execPath, file);
}

interface StartOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Default: the one that runs the tests. */
  readonly node?: string | undefined;
}

function start(root: string, args: readonly string[], { env = {}, node = process.execPath }: StartOptions = {}) {
  const outer = Object.entries(process.env).filter(([key]) => !/^npm_/i.test(key));
  const child: ChildProcess = spawn(node, args, {
    cwd: root,
    env: { ...Object.fromEntries(outer), ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, said }));
  return { child, ended };
}

async function reported(root: string): Promise<{ pid: number; worker: number }> {
  await until(() => existsSync(join(root, "report.json")) && readFileSync(join(root, "report.json"), "utf8") !== "");
  return report(root);
}

function report(root: string) {
  return JSON.parse(readFileSync(join(root, "report.json"), "utf8"));
}

async function gone(pid: number): Promise<void> {
  await until(() => identifyProcess(pid) === undefined);
}

async function until(isTrue: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 5000; !isTrue(); await new Promise((done) => setTimeout(done, 20))) {
    if (Date.now() > deadline) throw new Error("It did not happen within 5 seconds.");
  }
}

function write(root: string, file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}
