import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Secret } from "@vision-agent/agent-core";
import type { ProbeResult, ServerStatus } from "@vision-agent/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { loadConfig } from "../../config/load-config.ts";
import { withSetting } from "../../config/with-setting.ts";
import { PLAIN } from "../../testing/fake-api-client.ts";
import { createMemoryFiles, type MemoryFiles } from "../../testing/memory-files.ts";
import { createDefaultFiles } from "../../workspace/open-workspace.ts";
import type { InitFlags, SetupTools } from "./app-flags.ts";
import { createChecks, examine, type Finding } from "./doctor.ts";
import { setUp } from "./init.ts";
import { proveModelKey, proveRoboflowKey } from "./prove-key.ts";

const KEY = "sk-planted-key";
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

describe("a key", () => {
  it.each([
    [200, {}, "works", "answers."],
    [429, { error: { message: "slow down" } }, "works", "asks for patience (slow down)"],
    [401, { error: { message: `bad ${KEY}` } }, "wrong", "refuses the key (bad ***)"],
    [404, { error: { message: "no such model" } }, "wrong", "refuses the call (no such model)"],
    [529, "<html>", "unproven", "is in trouble (status 529)"],
  ] as const)("is proven by one tiny call: %d", async (status, body, state, words) => {
    const { url, requests } = await answerWith(status, body);
    const proof = await proveModelKey({
      provider: "anthropic",
      model: "m",
      apiKey: new Secret(KEY),
      baseUrl: url,
      fetch,
    });
    expect(proof.state).toBe(state);
    expect(proof.message).toContain(words);
    expect(proof.message).not.toContain(KEY);
    expect(requests).toMatchObject([
      {
        url: "/v1/messages",
        key: KEY,
        body: { model: "m", max_tokens: 1, messages: [{ role: "user", content: "Hi" }] },
      },
    ]);
  });

  it("of OpenAI and of Roboflow is proven in their own ways", async () => {
    const openai = await answerWith(200, {});
    const common = { apiKey: new Secret(KEY), fetch };
    await proveModelKey({ ...common, provider: "openai", model: "m", baseUrl: `${openai.url}/v1/` });
    expect(openai.requests).toMatchObject([{ url: "/v1/chat/completions", key: `Bearer ${KEY}` }]);
    const roboflow = await answerWith(200, {});
    expect((await proveRoboflowKey({ ...common, apiUrl: roboflow.url })).state).toBe("works");
    expect(roboflow.requests).toMatchObject([{ url: `/?api_key=${KEY}` }]);
  });

  it("is unproven where nobody answers, and never told", async () => {
    const { url } = await answerWith(200, {});
    await new Promise((closed) => servers.pop()?.close(closed));
    const common = { apiKey: new Secret(KEY), fetch };
    const proof = await proveRoboflowKey({ ...common, apiUrl: url });
    expect(proof.state).toBe("unproven");
    expect(proof.message).toContain("does not answer (ECONNREFUSED)");
    expect(proof.message).not.toContain(KEY);
  });
});

describe("the doctor", () => {
  it("finds a workspace without a key healthy, and says what could be better", async () => {
    const { code, findings, out } = await visit({});
    expect(code).toBe(0);
    expect(findings.filter(({ state }) => state === "fail")).toEqual([]);
    expect(stateOf(findings, "Model")).toBe("warn");
    expect(stateOf(findings, "Camera street")).toBe("ok");
    expect(out).toContain("It works; ");
  });

  it("names every fault with the way to mend it, and the exit code says so", async () => {
    const { code, findings, out } = await visit({
      nodeVersion: "22.1.0",
      ffmpeg: async () => undefined,
      freeBytes: async () => 5e7,
      probe: async () => ({ ok: false, reason: "refused", message: "Nobody listens there." }),
      files: {
        "/w/config.yaml": "llm:\n  provider: hal\n",
        "/w/CAMERAS.md": "| Name | URL |\n|--|--|\n| a | rtsp://u:hidden@x |\n| b/c | x |",
      },
    });
    expect(code).toBe(1);
    const failed = findings.filter(({ state }) => state === "fail").map(({ name }) => name);
    expect(failed).toEqual(["Node", "Disk", "Settings", "Cameras", "Camera a"]);
    expect(findings.every(({ state, mend }) => state === "ok" || mend !== undefined)).toBe(true);
    expect(out).toContain("config.yaml line 2: llm.provider must be anthropic, openai or offline");
    expect(out).not.toContain("hidden");
  });

  it("says that the workspace cannot be written", async () => {
    const { findings } = await visit({ fault: "EROFS" });
    expect(findings.find(({ name }) => name === "Workspace")).toMatchObject({ state: "fail" });
  });

  it("proves keys with a call, and never prints them", async () => {
    const { url } = await answerWith(401, { error: { message: "invalid x-api-key" } });
    const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url };
    const { code, out } = await visit({ env, json: true });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ healthy: false });
    expect(out).toContain("refuses the key (invalid x-api-key)");
    expect(out).not.toContain(KEY);
  });

  it("fails for a server that is needed, and warns of one that is not", async () => {
    const down: ServerStatus = {
      label: "main",
      url: "http://s:9001",
      reachable: false,
      version: null,
      latency_ms: null,
      pipelines: null,
      note: null,
    };
    const named = await visit({ env: { INFERENCE_URL: "http://s:9001" }, servers: [down] });
    expect(stateOf(named.findings, "Server main")).toBe("warn");
    const files = { "/w/config.yaml": "inference:\n  backend: http\n" };
    const needed = await visit({ files, servers: [down] });
    expect(stateOf(needed.findings, "Server main")).toBe("fail");
  });

  it("tells a check that breaks as one that failed", async () => {
    const { findings } = await visit({ ffmpeg: () => Promise.reject(new Error("odd")) });
    expect(findings.find(({ name }) => name === "ffmpeg")).toMatchObject({
      state: "fail",
      message: expect.stringContaining("odd"),
    });
  });
});

describe("init", () => {
  it("makes the workspace and goes on without keys, asking nothing", async () => {
    const { code, out, files } = await prepare({ flags: { yes: true } });
    expect(code).toBe(0);
    expect(files.contents.has("/w/AGENTS.md")).toBe(true);
    expect(out).toContain("the offline interpreter answers");
    expect(out).toContain("Ready: vision-agent");
  });

  it("writes what flags say once, and leaves a person's lines alone", async () => {
    const flags = { yes: true, provider: "offline", cameras: ["yard=rtsp://me:hidden@10.0.0.9/s"] } as const;
    const first = await prepare({ flags });
    expect(first.files.contents.get("/w/config.yaml")).toMatch(/^# [\s\S]*\nllm:\n {2}provider: "offline"\n$/);
    expect(first.files.contents.get("/w/CAMERAS.md")).toContain("| yard | rtsp://me:hidden@10.0.0.9/s |");
    expect(first.out).not.toContain("hidden");
    const mine = { "/w/config.yaml": "llm:\n  provider: anthropic # mine\n" };
    const second = await prepare({ flags, files: mine });
    expect(second.code).toBe(1);
    expect(second.files.contents.get("/w/config.yaml")).toBe(mine["/w/config.yaml"]);
  });

  it("proves a key that it finds, and says when it does not work", async () => {
    const { url, requests } = await answerWith(401, { error: { message: "no" } });
    const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url };
    const { code, out } = await prepare({ flags: { yes: true, json: true }, env });
    expect(code).toBe(1);
    expect(requests).toHaveLength(1);
    expect(JSON.parse(out).steps).toContainEqual(expect.objectContaining({ step: "model", state: "failed" }));
    expect(out).not.toContain(KEY);
  });

  it("keeps a key that is typed and works in .env, and asks for a camera", async () => {
    const { url } = await answerWith(200, {});
    const answers = [KEY, "sim://street", "gate"];
    const asked: string[] = [];
    const { files, out } = await prepare({
      env: { ANTHROPIC_BASE_URL: url },
      ask: async (_question, { hidden = false } = {}) => {
        asked.push(hidden ? "hidden" : "shown");
        return answers[asked.length - 1] ?? "";
      },
    });
    expect(asked).toEqual(["hidden", "shown", "shown"]);
    expect(files.contents.get("/w/.env")).toBe(`ANTHROPIC_API_KEY=${KEY}\n`);
    expect(files.contents.get("/w/CAMERAS.md")).toContain("| gate | sim://street |");
    expect(out).not.toContain(KEY);
    expect([...files.contents].filter(([, text]) => text.includes(KEY)).map(([path]) => path)).toEqual(["/w/.env"]);
  });

  it("keeps no key that does not work", async () => {
    const { url } = await answerWith(401, {});
    const { files } = await prepare({ env: { ANTHROPIC_BASE_URL: url }, ask: async () => KEY });
    expect(files.contents.has("/w/.env")).toBe(false);
  });

  it("refuses a camera that it cannot read, before anything is made", async () => {
    await expect(prepare({ flags: { cameras: ["nonsense"] } })).rejects.toThrow("--camera takes NAME=SOURCE");
  });
});

describe("a setting", () => {
  it("is added below everything that is there, unless its group is the person's", () => {
    const setting = { group: "llm", key: "provider", value: "offline" };
    expect(withSetting("# mine\ndemo: true", setting)).toBe('# mine\ndemo: true\n\nllm:\n  provider: "offline"\n');
    expect(withSetting("llm:\n  model: x\n", setting)).toBeUndefined();
    expect(withSetting("llm:\n  provider: offline\n", setting)).toBe("llm:\n  provider: offline\n");
  });
});

interface BackendToolsOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly probe?: () => Promise<ProbeResult>;
  readonly ffmpeg?: () => Promise<string | undefined>;
  readonly freeBytes?: () => Promise<number>;
}

function openSetup(options: BackendToolsOptions): SetupTools & { readonly files: MemoryFiles } {
  const files = createMemoryFiles(options.files);
  return {
    folder: "/w",
    configFolder: "/w",
    files,
    fetch,
    loadConfig: async () =>
      loadConfig({
        env: options.env ?? {},
        configText: await files.readText("/w/config.yaml"),
        envText: await files.readText("/w/.env"),
      }),
    makeWorkspace: () => createDefaultFiles({ folder: "/w", files, configText: "# settings\n" }),
    probe: options.probe ?? (async () => ({ ok: true, width: 960, height: 540, fps: 10 })),
    models: async () => [{ id: "vision-agent/default", summary: "x", cached: true }],
    ffmpeg: options.ffmpeg ?? (async () => "ffmpeg version 7"),
    freeBytes: options.freeBytes ?? (async () => 5e10),
  };
}

async function visit(
  options: BackendToolsOptions & {
    readonly nodeVersion?: string;
    readonly servers?: readonly ServerStatus[];
    readonly fault?: string;
    readonly json?: boolean;
  },
) {
  const setup = openSetup({
    files: { "/w/CAMERAS.md": "| Name | URL |\n|--|--|\n| street | sim://street |" },
    ...options,
  });
  if (options.fault !== undefined) setup.files.fault = { code: options.fault };
  const checks = createChecks({
    setup,
    nodeVersion: options.nodeVersion ?? "24.21.0",
    running: undefined,
    servers: async () => options.servers ?? [],
  });
  let out = "";
  const write = (text: string): void => {
    out += text;
  };
  const code = await examine({ checks, json: options.json ?? false, write, colours: PLAIN });
  const findings = (await Promise.all(Object.values(checks).map((check) => check().catch(() => BROKEN)))).flat();
  return { code, out, findings };
}

const BROKEN: readonly Finding[] = [{ name: "ffmpeg", state: "fail", message: "odd" }];

function stateOf(findings: readonly Finding[], wanted: string): Finding["state"] | undefined {
  return findings.find(({ name }) => name === wanted)?.state;
}

async function prepare(
  options: BackendToolsOptions & {
    readonly flags?: Partial<InitFlags>;
    readonly ask?: Parameters<typeof setUp>[0]["ask"];
  },
) {
  const setup = openSetup(options);
  let out = "";
  const write = (text: string): void => {
    out += text;
  };
  const flags: InitFlags = { json: false, yes: false, cameras: [], ...options.flags };
  const code = await setUp({ setup, write, ...(options.ask && { ask: options.ask }) }, flags);
  return { code, out, files: setup.files };
}

async function answerWith(status: number, body: unknown) {
  const requests: unknown[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const key = request.headers["x-api-key"] ?? request.headers.authorization;
    const text = Buffer.concat(chunks).toString();
    requests.push({ url: request.url, key, body: text === "" ? undefined : JSON.parse(text) });
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  servers.push(server);
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
