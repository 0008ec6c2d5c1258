import { InMemoryTransport, SUBSCRIPTION_ID_META_KEY, type Transport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { createMemoryArtifactStore } from "./artifacts/memory-artifact-store.ts";
import { connectMcp, type McpConnection, type McpDeps, type McpServerConfig } from "./mcp.ts";
import { createFakeClock } from "./testing/fake-clock.ts";
import { toSentTools } from "./tools/deferred-tools.ts";
import { toToolNames } from "./tools/mcp/mcp-tools.ts";
import type { ExecutedCall, Tool, ToolRun } from "./tools/tool.ts";
import { createToolExecutor, type ToolExecutor } from "./tools/tool-executor.ts";
import { createToolRegistry, type ToolRegistry } from "./tools/tool-registry.ts";
import { systemClock } from "./types/clock.ts";
import type { Json } from "./types/json.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("toToolNames", () => {
  it("complaint 16: gives names of 1 to 64 plain characters", () => {
    const names = toToolNames("my server", ["get.weather", "ü", "x".repeat(100)]);
    expect(names.get("get.weather")).toBe("my_server__get_weather");
    for (const name of names.values()) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  it("complaint 16: gives each its own name, the same for every order, and the plain one to whom it belongs", () => {
    const names = toToolNames("s", ["a.b", "a_b", "a/b"]);
    const other = toToolNames("s", ["a/b", "a_b", "a.b"]);
    expect(names.get("a_b")).toBe("s__a_b");
    expect(names.get("a.b")).toMatch(/^s__a_b_[0-9a-f]{8}$/);
    expect(new Set(names.values()).size).toBe(3);
    for (const [tool, name] of names) expect(other.get(tool)).toBe(name);
  });

  it("keeps apart long names that begin alike, and names that others hold", () => {
    const names = toToolNames("s", [`${"x".repeat(80)}1`, `${"x".repeat(80)}2`]);
    expect(new Set(names.values()).size).toBe(2);
    expect(toToolNames("s", ["a"], (name) => name === "s__a").get("a")).toMatch(/^s__a_[0-9a-f]{8}$/);
  });
});

describe.each(["legacy", "modern"] as const)("connectMcp with a server of the %s era", (era) => {
  it("AF-27 discovers tools, calls one and closes, twice", async () => {
    const server = createServer({ era, tools: [echo()] });
    const { connection, registry, execute } = await connect(server);
    expect([connection.era, connection.status]).toEqual([era, "connected"]);
    expect(connection.tools.map(({ name }) => name)).toEqual(["s__echo"]);
    expect(await execute("s__echo", { text: "hi" })).toMatchObject({
      outcome: "ok",
      content: [{ type: "text", text: '{"text":"hi"}' }],
    });
    await Promise.all([connection.close(), connection.close()]);
    expect([connection.status, registry.listTools(), server.open]).toEqual(["closed", [], 0]);
  });

  it("AF-27 lists again when the server says that its tools changed, and leaves the others alone", async () => {
    const server = createServer({ era, tools: [echo(), echo("old")] });
    const { connection, registry } = await connect(server);
    const kept = registry.get("s__echo");
    const changed = new Promise((done) => registry.onChange(() => connection.tools.length === 3 && done(undefined)));
    server.tools = [echo(), echo("new"), echo("newer")];
    server.notify("notifications/tools/list_changed");
    await changed;
    expect(connection.tools.map(({ name }) => name)).toEqual(["s__echo", "s__new", "s__newer"]);
    expect(registry.get("s__echo")).toBe(kept);
    await connection.close();
  });
});

describe("a transport that there is not", () => {
  it.each([
    [{ transport: "sse", url: "http://x" }, 'no transport "sse"'],
    [{ transport: "http", url: "here" }, '"here" is no url'],
  ])("is refused with what to write (%j)", async (parts, wrong) => {
    const config = { name: "s", ...parts } as unknown as McpServerConfig;
    const asked = connectMcp(config, { clock: systemClock, registry: createToolRegistry() });
    await expect(asked).rejects.toMatchObject({ kind: "invalid", code: "bad_options" });
    await expect(asked).rejects.toThrow(wrong);
  });
});

describe("discovery", () => {
  it("leaves its tools to be loaded on demand where the configuration says so", async () => {
    const { registry, connection } = await connect(createServer({ tools: [echo()] }), { deferLoading: true });
    expect(toSentTools(registry.listTools()).map(({ name }) => name)).toEqual(["load_tools"]);
    expect(toSentTools(registry.listTools(), new Set(["s__echo"])).at(-1)?.name).toBe("s__echo");
    await connection.close();
  });

  it("takes only what is allowed and not denied", async () => {
    const server = createServer({ tools: [echo("a"), echo("b"), echo("c")] });
    const { connection } = await connect(server, { allow: ["a", "b"], deny: ["b"] });
    expect(connection.tools.map(({ name }) => name)).toEqual(["s__a"]);
    await connection.close();
  });

  it("complaint 16: leaves out a tool whose schema is broken or too large, with a warning, and takes the others", async () => {
    const broken = { ...echo("broken"), inputSchema: { type: "object", $ref: "https://nowhere.example/x.json" } };
    const large = { ...echo("large"), inputSchema: { type: "object", description: "x".repeat(40_000) } };
    const warnings: string[] = [];
    const server = createServer({ tools: [broken, large, echo()] });
    const { connection } = await connect(
      server,
      {},
      { onWarning: ({ code, message }) => warnings.push(`${code}: ${message}`) },
    );
    expect(connection.tools.map(({ name }) => name)).toEqual(["s__echo"]);
    expect(warnings.map((warning) => warning.slice(0, 26))).toEqual([
      'mcp_tool_left_out: "large"',
      'mcp_tool_left_out: "broken',
    ]);
    await connection.close();
  });

  it("AI-4: tells the model a schema without the choice at its top, which providers refuse", async () => {
    const properties = { id: { type: "string" }, name: { type: "string" } };
    const anyOf = [{ required: ["id"] }, { required: ["name"] }];
    const either = { ...echo("either"), inputSchema: { type: "object", properties, anyOf } };
    const { connection } = await connect(createServer({ tools: [either] }));
    expect(connection.tools[0]?.parameters).toEqual({ type: "object", properties });
    await connection.close();
  });

  it("bounds descriptions and takes out what people cannot see", async () => {
    const hidden = { ...echo("hidden"), description: `Echo.\u{E0041}\u0007\n${"x".repeat(5_000)}` };
    const { connection } = await connect(createServer({ tools: [hidden] }));
    const [tool] = connection.tools;
    expect(tool?.description.length).toBeLessThan(2_010);
    expect(tool?.description).toMatch(/^Echo\. x+…$/);
    await connection.close();
  });

  it("does not take the name of a tool that is there already", async () => {
    const registry = createToolRegistry([
      { name: "s__echo", description: "Mine.", parameters: { type: "object" }, execute: async () => "mine" },
    ]);
    const { connection, execute } = await connect(createServer({ tools: [echo()] }), {}, { registry });
    expect(connection.tools[0]?.name).toMatch(/^s__echo_[0-9a-f]{8}$/);
    await connection.close();
    expect(await execute("s__echo", {})).toMatchObject({ content: [{ text: "mine" }] });
  });
});

describe("trust", () => {
  const readOnly = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false };

  it("lets no hint of an untrusted server loosen anything", async () => {
    expect(await mapped(readOnly, {})).toMatchObject({
      approval: "always",
      annotations: { readOnly: false, idempotent: false, openWorld: true },
    });
  });

  it("takes the hints of a trusted server", async () => {
    expect(await mapped(readOnly, { trust: "trusted" })).toMatchObject({
      approval: "never",
      annotations: { readOnly: true, idempotent: true, openWorld: false },
    });
    expect(await mapped({ destructiveHint: true }, { trust: "trusted" })).toMatchObject({ approval: "always" });
    expect(await mapped({}, { trust: "trusted" })).toMatchObject({
      approval: "never",
      annotations: { readOnly: false },
    });
  });

  it("takes the word of the configuration, unless the server itself says that the tool writes", async () => {
    expect(await mapped({}, { readOnly: ["echo"] })).toMatchObject({
      approval: "never",
      annotations: { readOnly: true },
    });
    expect(await mapped({ readOnlyHint: false }, { readOnly: ["echo"] })).toMatchObject({
      approval: "always",
      annotations: { readOnly: false },
    });
  });

  it("asks as configured", async () => {
    expect(await mapped({}, { approval: "never" })).toMatchObject({ approval: "never" });
    expect(await mapped({ destructiveHint: true }, { approval: "hints" })).toMatchObject({ approval: "always" });
    expect(await mapped({}, { approval: "hints" })).toMatchObject({ approval: "never" });
    expect(await mapped({}, { trust: "trusted", approval: "ask" })).toMatchObject({ approval: "always" });
  });

  async function mapped(annotations: { [hint: string]: boolean }, config: Partial<McpServerConfig>): Promise<Tool> {
    const { connection, registry } = await connect(createServer({ tools: [{ ...echo(), annotations }] }), config);
    const tool = registry.get("s__echo")?.tool;
    await connection.close();
    return tool as Tool;
  }
});

describe("results", () => {
  it("VI-4 stores pictures by what their bytes are, and names what cannot be shown", async () => {
    const content = [
      { type: "image", data: PNG, mimeType: "image/jpeg" },
      { type: "image", data: Buffer.from("<svg/>").toString("base64"), mimeType: "image/svg+xml" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "a://b", text: "words" } },
      { type: "resource", resource: { uri: "a://c", blob: PNG, mimeType: "image/png" } },
      { type: "resource_link", uri: "a://d", name: "door" },
    ];
    const result = await answer({ content });
    expect(result.content).toMatchObject([
      { type: "image", mimeType: "image/png" },
      { type: "text", text: expect.stringMatching(/^\[image\/svg\+xml, 6 bytes, kept as art_\w+\]$/) },
      { type: "text", text: expect.stringMatching(/^\[audio\/wav, 3 bytes, kept as art_\w+\]$/) },
      { type: "text", text: "[resource a://b]\nwords" },
      { type: "image", mimeType: "image/png" },
      { type: "text", text: "[resource a://d: door]" },
    ]);
  });

  it("VA-11 gives structured content as text where the server did not", async () => {
    expect(await answer({ content: [], structuredContent: { a: 1 } })).toMatchObject({
      content: [{ text: '{"a":1}' }],
    });
    const both = await answer({ content: [{ type: "text", text: "a is 1" }], structuredContent: { a: 1 } });
    expect(both.content).toEqual([{ type: "text", text: "a is 1" }]);
  });

  it("VA-23 passes on the server's errors as error results", async () => {
    const content = [{ type: "text", text: "no such door" }];
    expect(await answer({ content, isError: true })).toMatchObject({ outcome: "error", content });
    const refused = await answer(new Error("bad door"));
    expect(refused.outcome).toBe("error");
    expect(refused.content).toMatchObject([{ text: expect.stringContaining("bad door") }]);
  });

  async function answer(reply: { [key: string]: unknown } | Error): Promise<ExecutedCall["result"]> {
    const server = createServer({ tools: [echo()], onCall: async () => reply });
    const { connection, execute } = await connect(server);
    const result = await execute("s__echo", {});
    await connection.close();
    return result;
  }
});

describe("time", () => {
  it("gives up on a call in time and tells the server", async () => {
    const server = createServer({ tools: [echo()], onCall: () => new Promise(() => undefined) });
    const { connection, execute } = await connect(server, { timeoutMs: 30 });
    expect((await execute("s__echo", {})).outcome).toBe("timeout");
    expect(server.seen).toContain("notifications/cancelled");
    await connection.close();
  });

  it("hands on progress", async () => {
    const server = createServer({
      tools: [echo()],
      onCall: async (_, progress) => {
        progress({ progress: 1, total: 4, message: "a quarter" });
        return { content: [] };
      },
    });
    const { connection, executor } = await connect(server);
    const notes: string[] = [];
    const hooks = { ...quietHooks(), onProgress: (...note: unknown[]) => void notes.push(note.join(" ")) };
    const call = { id: "c1", toolName: "s__echo", arguments: {}, state: "complete" as const };
    await executor.executeBatch([call], run(), hooks, new Set(["c1"]));
    expect(notes).toEqual(["c1 a quarter 0.25"]);
    await connection.close();
  });
});

describe("reconnecting", () => {
  it("complaint 16: opens a broken connection again once, however many calls wait for it", async () => {
    const server = createServer({ tools: [echo()] });
    const statuses: string[] = [];
    const { connection, execute } = await connect(server, {}, { onStatus: (status) => statuses.push(status) });
    server.drop();
    const results = await Promise.all([1, 2, 3].map((n) => execute("s__echo", { text: String(n) }, `c${n}`)));
    expect(results.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok"]);
    expect(server.connections).toBe(2);
    expect(statuses).toEqual(["connected", "reconnecting", "connected"]);
    await connection.close();
  });

  it("complaint 16: never repeats a call that is not known to be harmless", async () => {
    const server = createServer({ tools: [echo()], onCall: dropFirst() });
    const { connection, execute } = await connect(server);
    const result = await execute("s__echo", {});
    expect(result.outcome).toBe("error");
    expect(result.content).toMatchObject([{ text: expect.stringContaining("was not repeated") }]);
    expect(server.calls).toBe(1);
    expect((await execute("s__echo", {}, "c2")).outcome).toBe("ok");
    await connection.close();
  });

  it("sends a call again that is known to be harmless", async () => {
    const server = createServer({ tools: [echo()], onCall: dropFirst() });
    const { connection, execute } = await connect(server, { readOnly: ["echo"] });
    expect((await execute("s__echo", {})).outcome).toBe("ok");
    expect(server.calls).toBe(2);
    await connection.close();
  });

  it("waits longer each time, gives up, keeps the tools, and tries again when it is called", async () => {
    const clock = createFakeClock();
    const server = createServer({ tools: [echo()] });
    const reconnect = { attempts: 3, baseMs: 100, capMs: 150 };
    const { connection, execute } = await connect(server, {}, { clock, reconnect });
    server.isDown = true;
    server.drop();
    await settle();
    expect([connection.status, server.connections]).toEqual(["reconnecting", 2]);
    await clock.advance(99);
    expect(server.connections).toBe(2);
    await clock.advance(1);
    expect(server.connections).toBe(3);
    await clock.advance(150);
    expect([connection.status, server.connections]).toEqual(["failed", 4]);
    expect(connection.tools).toHaveLength(1);
    expect((await execute("s__echo", {})).outcome).toBe("error");
    server.isDown = false;
    expect((await execute("s__echo", {}, "c2")).outcome).toBe("ok");
    expect(connection.status).toBe("connected");
    await connection.close();
    expect(clock.sleepers).toBe(0);
  });

  it("does not chase a server that breaks right after each connecting", async () => {
    const server = createServer({ tools: [echo()] });
    const reconnect = { attempts: 2, baseMs: 1, capMs: 1 };
    const { connection } = await connect(server, {}, { reconnect });
    for (let round = 0; round < 10 && connection.status !== "failed"; round++) {
      server.drop();
      await systemClock.sleep(20);
    }
    expect(connection.status).toBe("failed");
    expect(server.connections).toBeLessThanOrEqual(4);
    await connection.close();
  });

  it("closes while it is reconnecting, and answers the calls that wait", async () => {
    const server = createServer({ tools: [echo()] });
    const { connection, execute } = await connect(server, {}, { clock: createFakeClock() });
    server.isDown = true;
    server.drop();
    await settle();
    const waiting = execute("s__echo", {});
    await connection.close();
    expect((await waiting).outcome).toBe("error");
    expect(connection.status).toBe("closed");
  });
});

describe("connecting", () => {
  it("rejects with a network error when the server cannot be reached, and leaves no tool behind", async () => {
    const server = createServer({ tools: [echo()] });
    server.isDown = true;
    const registry = createToolRegistry();
    await expect(connect(server, {}, { registry })).rejects.toMatchObject({ kind: "network", code: "mcp_connect" });
    expect(registry.listTools()).toEqual([]);
  });

  it("rejects as cancelled when its signal fires first", async () => {
    const controller = new AbortController();
    const server = createServer({ tools: [echo()], isSilent: true });
    const connecting = connect(server, {}, { signal: controller.signal });
    controller.abort();
    await expect(connecting).rejects.toMatchObject({ kind: "cancelled" });
    await expect(connect(server, {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: "cancelled" });
    expect(server.open).toBe(0);
  });
});

interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly [key: string]: Json };
  readonly annotations?: { readonly [hint: string]: boolean };
}

type Progress = { readonly progress: number; readonly total?: number; readonly message?: string };
type Reply = { readonly [key: string]: unknown } | Error;

interface FakeServer {
  tools: readonly OfferedTool[];
  /** Refuses new connections. */
  isDown: boolean;
  readonly connections: number;
  readonly open: number;
  readonly calls: number;
  readonly seen: readonly string[];
  connect(): Transport;
  drop(): void;
  notify(method: string): void;
}

interface FakeServerOptions {
  readonly era?: "legacy" | "modern";
  readonly tools: readonly OfferedTool[];
  readonly isSilent?: boolean;
  onCall?(call: { args: Json; drop(): void }, progress: (progress: Progress) => void): Promise<Reply>;
}

type Request = {
  id?: number | string;
  method: string;
  params?: { arguments?: Json; _meta?: { progressToken?: number } };
};

/** A server by hand, so that its misdeeds can be chosen. */
function createServer(options: FakeServerOptions): FakeServer {
  const isModern = options.era === "modern";
  const ends = new Set<InMemoryTransport>();
  const capabilities = { tools: { listChanged: true } };
  const counts = { connections: 0, calls: 0 };
  const seen: string[] = [];
  let subscription: Json | undefined;

  const replyTo = async ({ id, method, params }: Request, end: InMemoryTransport): Promise<Reply | undefined> => {
    const meta = { [SUBSCRIPTION_ID_META_KEY]: id };
    switch (method) {
      case "server/discover":
        return isModern ? { supportedVersions: ["2026-07-28"], capabilities } : new Error("Method not found");
      case "initialize":
        return { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "fake", version: "1" } };
      case "subscriptions/listen":
        subscription = id;
        await end.send({
          jsonrpc: "2.0",
          method: "notifications/subscriptions/acknowledged",
          params: { notifications: { toolsListChanged: true }, _meta: meta },
        });
        return undefined;
      case "tools/list":
        return { tools: server.tools, ...(isModern ? { ttlMs: 0, cacheScope: "private" } : {}) };
      case "tools/call": {
        counts.calls += 1;
        const progress = (given: Progress): void => {
          const progressToken = params?._meta?.progressToken ?? 0;
          void end.send({ jsonrpc: "2.0", method: "notifications/progress", params: { ...given, progressToken } });
        };
        const args = params?.arguments ?? null;
        if (options.onCall) return options.onCall({ args, drop: () => server.drop() }, progress);
        return { content: [{ type: "text", text: JSON.stringify(args) }] };
      }
      default:
        return undefined;
    }
  };

  const serve = async (request: Request, end: InMemoryTransport): Promise<void> => {
    seen.push(request.method);
    if (options.isSilent) return;
    const reply = await replyTo(request, end);
    const { id } = request;
    if (reply === undefined || id === undefined || !ends.has(end)) return;
    if (reply instanceof Error) {
      await end.send({ jsonrpc: "2.0", id, error: { code: -32601, message: reply.message } });
    } else {
      await end.send({ jsonrpc: "2.0", id, result: { ...(isModern ? { resultType: "complete" } : {}), ...reply } });
    }
  };

  const server: FakeServer = {
    tools: options.tools,
    isDown: false,
    get connections() {
      return counts.connections;
    },
    get open() {
      return ends.size;
    },
    get calls() {
      return counts.calls;
    },
    seen,
    connect() {
      counts.connections += 1;
      if (server.isDown) throw new Error("connection refused");
      const [near, far] = InMemoryTransport.createLinkedPair();
      ends.add(far);
      far.onmessage = (message) => void serve(message as Request, far);
      far.onclose = () => ends.delete(far);
      return near;
    },
    drop() {
      for (const end of [...ends]) void end.close();
    },
    notify(method) {
      const params = subscription === undefined ? {} : { _meta: { [SUBSCRIPTION_ID_META_KEY]: subscription } };
      for (const end of ends) void end.send({ jsonrpc: "2.0", method, params });
    },
  };
  return server;
}

/** Breaks the connection on the first call and answers the later ones. */
function dropFirst(): NonNullable<FakeServerOptions["onCall"]> {
  let isFirst = true;
  return async ({ drop }) => {
    if (isFirst) drop();
    isFirst = false;
    return { content: [] };
  };
}

function echo(name = "echo"): OfferedTool {
  return { name, description: "Says it again.", inputSchema: { type: "object" } };
}

interface Connected {
  readonly connection: McpConnection;
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  execute(toolName: string, args: { [key: string]: Json }, id?: string): Promise<ExecutedCall["result"]>;
}

async function connect(
  server: FakeServer,
  parts: Partial<McpServerConfig> = {},
  deps: Partial<McpDeps> = {},
): Promise<Connected> {
  const registry = deps.registry ?? createToolRegistry();
  const config = { name: "s", ...parts, transport: "custom" as const, open: () => server.connect() };
  const connection = await connectMcp(config as McpServerConfig, { clock: systemClock, ...deps, registry });
  const executor = createToolExecutor({ registry, artifacts: createMemoryArtifactStore(), clock: systemClock });
  return {
    connection,
    registry,
    executor,
    async execute(toolName, args, id = "c1") {
      const results: ExecutedCall[] = [];
      const hooks = { ...quietHooks(), onResult: async (executed: ExecutedCall) => void results.push(executed) };
      const call = { id, toolName, arguments: args, state: "complete" as const };
      await executor.executeBatch([call], run(), hooks, new Set([id]));
      return (results[0] as ExecutedCall).result;
    },
  };
}

function quietHooks() {
  return {
    onDecision: () => undefined,
    onIntent: async () => undefined,
    onResult: async () => undefined,
    onProgress: () => undefined,
    onSignal: () => undefined,
    onArtifact: () => undefined,
  };
}

function run(): ToolRun {
  const { signal } = new AbortController();
  return { signal, runId: "r1", sessionId: "s1", principal: { userId: "ada" }, env: {} as ToolRun["env"] };
}

/** Lets everything that is ready run. */
function settle(): Promise<void> {
  return systemClock.sleep(5);
}
