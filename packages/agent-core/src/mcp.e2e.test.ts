import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createMemoryArtifactStore } from "./artifacts/memory-artifact-store.ts";
import { connectMcp, type McpConnection, type McpServerConfig } from "./mcp.ts";
import type { ExecutedCall, ToolRun } from "./tools/tool.ts";
import { createToolExecutor, type ToolExecutor } from "./tools/tool-executor.ts";
import { createToolRegistry } from "./tools/tool-registry.ts";
import { systemClock } from "./types/clock.ts";
import type { Json } from "./types/json.ts";
import type { ArtifactRef } from "./types/message.ts";

const EVERYTHING = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json")),
  "dist/index.js",
);
const STDIO = { transport: "stdio" as const, command: process.execPath, args: [EVERYTHING, "stdio"] };

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

describe.each(["stdio", "http"] as const)("connectMcp with the reference server over %s", (wire) => {
  it("AF-27 finds its tools and calls them", async () => {
    const { connection, call, artifacts } = await connect(await wireOf(wire));
    expect(connection.status).toBe("connected");
    const names = connection.tools.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toContain("every__get-sum");
    expect(await call("every__echo", { message: "hi" })).toMatchObject({
      outcome: "ok",
      content: [{ text: "Echo: hi" }],
    });
    expect(await call("every__get-sum", { a: 2, b: 3 })).toMatchObject({ outcome: "ok" });
    const weather = await call("every__get-structured-content", { location: "Chicago" });
    expect(JSON.stringify(weather.content)).toContain("temperature");
    const image = await call("every__get-tiny-image", {});
    expect(image.content.map(({ type }) => type)).toEqual(["text", "image", "text"]);
    expect(artifacts).toMatchObject([{ mimeType: "image/png", width: 20, height: 20 }]);
    const reference = await call("every__get-resource-reference", { resourceType: "Text", resourceId: 1 });
    expect(JSON.stringify(reference.content)).toContain("demo://resource");
  });

  it("VA-23 checks the arguments here, by the server's schema", async () => {
    const { call } = await connect(await wireOf(wire));
    const result = await call("every__get-sum", { a: "two", c: 1 });
    expect(result.outcome).toBe("invalid_args");
    expect(JSON.stringify(result.content)).toContain("a: expected number");
  });

  it("hands on progress and stops a call that is cancelled", async () => {
    const { executor, notes } = await connect(await wireOf(wire));
    const controller = new AbortController();
    const slow = { duration: 20, steps: 200 };
    const running = callWith(
      { executor, notes, signal: controller.signal },
      "every__trigger-long-running-operation",
      slow,
    );
    while (notes.length < 2) await systemClock.sleep(20);
    controller.abort();
    expect((await running).outcome).toBe("cancelled");
  });

  it("lists again when the server adds tools after the handshake", async () => {
    const { connection } = await connect(await wireOf(wire));
    const hasLate = () => connection.tools.some(({ name }) => name === "every__simulate-research-query");
    for (let round = 0; round < 100 && !hasLate(); round++) await systemClock.sleep(50);
    expect(hasLate()).toBe(true);
  });
});

describe("stdio", () => {
  it("complaint 16: starts a server again that was killed, and leaves no process behind", async () => {
    const { connection, call } = await connect(STDIO);
    const [pid] = await childrenOf();
    process.kill(Number(pid), "SIGKILL");
    while (connection.status === "connected") await systemClock.sleep(10);
    expect((await call("every__echo", { message: "again" })).outcome).toBe("ok");
    expect(await childrenOf()).not.toContain(pid);
    await connection.close();
    await connection.close();
    expect(await childrenOf()).toEqual([]);
  });

  it("passes on nothing of our environment but what any program needs", async () => {
    process.env.AGENT_CORE_TEST_SECRET = "swordfish";
    const { call } = await connect({ ...STDIO, env: { GIVEN: "yes" } });
    const seen = JSON.stringify((await call("every__get-env", {})).content);
    delete process.env.AGENT_CORE_TEST_SECRET;
    expect(seen).toContain("GIVEN");
    expect(seen).not.toContain("swordfish");
  });

  it("says how a server that died at its start ended, and its last words, without secrets", async () => {
    const script =
      "console.error('line '.repeat(2000)); console.error('missing TOKEN for ' + process.env.ACCESS); process.exit(3)";
    const dying = { ...STDIO, args: ["-e", script], env: { ACCESS: "very-secret-value" } };
    const failed = await connect(dying).catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({
      code: "mcp_connect",
      message: expect.stringMatching(/ended with code 3.*missing TOKEN/s),
    });
    expect(String(failed)).not.toContain("very-secret-value");
    expect(String(failed).length).toBeLessThan(1_500);
  });

  it("rejects when the program does not exist or does not speak the protocol", async () => {
    const silent = { ...STDIO, args: ["-e", "process.exit(3)"] };
    await expect(connect({ ...STDIO, command: "/no/such/program" })).rejects.toMatchObject({
      kind: "invalid",
      code: "mcp_connect",
      message: expect.stringContaining("Check its `command`"),
    });
    await expect(connect(silent)).rejects.toMatchObject({ kind: "network", code: "mcp_connect" });
    expect(await childrenOf()).toEqual([]);
  });
});

describe("http", () => {
  it("complaint 16: finds a server again that was started anew", async () => {
    const port = await freePort();
    const first = await startHttp(port);
    const { call } = await connect({ transport: "http", url: `http://127.0.0.1:${port}/mcp` });
    expect((await call("every__echo", { message: "one" })).outcome).toBe("ok");
    await stop(first);
    await startHttp(port);
    expect((await call("every__echo", { message: "two" })).outcome).toBe("ok");
  });
});

type Wire = Pick<McpServerConfig, "transport"> & { readonly [key: string]: unknown };

async function wireOf(wire: "stdio" | "http"): Promise<Wire> {
  if (wire === "stdio") return STDIO;
  const port = await freePort();
  await startHttp(port);
  return { transport: "http", url: `http://127.0.0.1:${port}/mcp` };
}

async function startHttp(port: number): Promise<ChildProcess> {
  const env = { PATH: process.env.PATH, PORT: String(port) };
  const child = spawn(process.execPath, [EVERYTHING, "streamableHttp"], { env, stdio: ["ignore", "ignore", "pipe"] });
  closers.push(() => stop(child));
  await once(child.stderr, "data");
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

interface Connected {
  readonly connection: McpConnection;
  readonly executor: ToolExecutor;
  readonly artifacts: readonly ArtifactRef[];
  readonly notes: string[];
  call(toolName: string, args: { [key: string]: Json }): Promise<ExecutedCall["result"]>;
}

async function connect(wire: Wire): Promise<Connected> {
  const registry = createToolRegistry();
  const store = createMemoryArtifactStore();
  const config = { name: "every", approval: "never", timeoutMs: 30_000, ...wire } as McpServerConfig;
  const connection = await connectMcp(config, { registry, clock: systemClock });
  closers.push(() => connection.close());
  const executor = createToolExecutor({ registry, artifacts: store, clock: systemClock });
  const notes: string[] = [];
  const artifacts: ArtifactRef[] = [];
  return {
    connection,
    executor,
    artifacts,
    notes,
    async call(toolName, args) {
      const result = await callWith({ executor, notes }, toolName, args);
      artifacts.push(...(await store.list()));
      return result;
    },
  };
}

interface Caller {
  readonly executor: ToolExecutor;
  readonly notes: string[];
  readonly signal?: AbortSignal;
}

async function callWith(
  { executor, notes, signal = new AbortController().signal }: Caller,
  toolName: string,
  args: { [key: string]: Json },
): Promise<ExecutedCall["result"]> {
  const results: ExecutedCall[] = [];
  const env = {} as ToolRun["env"];
  const call = { id: "c1", toolName, arguments: args, state: "complete" as const };
  await executor.executeBatch(
    [call],
    { signal, runId: "r1", sessionId: "s1", principal: { userId: "ada" }, env },
    {
      onDecision: () => undefined,
      onIntent: async () => undefined,
      onResult: async (executed) => void results.push(executed),
      onProgress: (_, note) => void notes.push(note),
      onSignal: () => undefined,
      onArtifact: () => undefined,
    },
  );
  return (results[0] as ExecutedCall).result;
}

/** Ids of the reference servers that this process started over stdio. */
async function childrenOf(): Promise<readonly string[]> {
  const child = spawn("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  await once(child, "close");
  return text
    .split("\n")
    .filter((line) => line.includes(EVERYTHING))
    .map((line) => line.trim().split(" ")[0] ?? "");
}
