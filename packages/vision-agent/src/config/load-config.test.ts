import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ConfigError } from "./config-error.ts";
import { settingsWithoutUse } from "./config-schema.ts";
import { ALLOWED, DEFAULT_CONFIG_TEXT } from "./config-text.data.ts";
import { workspaceFolder } from "./environment.ts";
import { findWorkspace } from "./find-workspace.ts";
import { type ConfigInputs, loadConfig } from "./load-config.ts";
import { toConfigView } from "./to-config-view.ts";

describe("loadConfig", () => {
  it("gives the defaults when there is nothing to read", () => {
    expect(loadConfig({ env: {} })).toEqual({
      server: { host: "127.0.0.1", port: 4750, names: [] },
      llm: {
        provider: "anthropic",
        model: "claude-sonnet-5-5",
        fallbackModel: "claude-haiku-5-5",
        apiKey: undefined,
        baseUrl: undefined,
        maxTokens: 4096,
        thinking: { enabled: false, budgetTokens: 4096 },
        costLimitDaily: 10,
      },
      inference: {
        backend: "direct",
        apiKey: undefined,
        servers: [{ label: "main", url: "http://localhost:9001", apiKey: undefined }],
        serversNamed: false,
        roboflowApiUrl: "https://api.roboflow.com",
        localModels: undefined,
      },
      workspace: { path: undefined },
      heartbeat: { enabled: true, intervalMinutes: 15, activeHours: undefined, onlyAfterEvents: true },
      monitoring: { escalationConfidence: 0.5, maxResultsPerConsume: 10, resultImageMaxDimension: 640 },
      interface: {
        type: "rest",
        slack: { botToken: undefined, appToken: undefined, alertChannel: undefined },
      },
      agent: { autonomy: "supervised" },
      sinks: { allowPrivateAddresses: false, mailCaFile: undefined, s3Endpoint: undefined },
      egress: { images: "ask", remoteHosts: [] },
      demo: true,
      recording: { keepHours: 24, maxMegabytes: 5000 },
      events: { keepDays: 14, maxMegabytes: 2000, traceHours: 24, traceMegabytes: 200 },
    });
  });

  it("reads the file of the first run as the defaults, also with every line switched on", () => {
    expect(loadConfig({ env: {}, configText: DEFAULT_CONFIG_TEXT })).toEqual(loadConfig({ env: {} }));
    const switchedOn = DEFAULT_CONFIG_TEXT.replace(/^# (?=( {2}){0,3}\w+:| {4}- )/gm, "");
    const env = { ANTHROPIC_API_KEY: "k", ROBOFLOW_API_KEY: "r", SLACK_BOT_TOKEN: "b", SLACK_APP_TOKEN: "a" };
    const config = loadConfig({ env, configText: switchedOn });
    expect(config).toMatchObject({
      server: { port: 4750 },
      llm: { baseUrl: "https://api.anthropic.com", maxTokens: 4096, costLimitDaily: 10 },
      workspace: { path: "~/.vision_agent" },
      interface: { slack: { alertChannel: "#security-alerts" } },
      demo: true,
    });
    expect(config.inference.servers.map(({ label }) => label)).toEqual(["main", "basement"]);
  });

  it("takes the flag before the environment before .env before the file before the default", () => {
    const configText = "server:\n  port: 1\n  host: localhost\nllm:\n  api_key: from-file\n  base_url: http://file\n";
    const envText = "ANTHROPIC_API_KEY=from-dotenv\nANTHROPIC_BASE_URL=http://dotenv";
    const config = loadConfig({
      env: { ANTHROPIC_BASE_URL: "http://env", ANTHROPIC_API_KEY: "" },
      flags: { port: "9" },
      configText,
      envText,
    });
    expect(config.server).toEqual({ host: "localhost", port: 9, names: [] });
    expect(config.llm.baseUrl).toBe("http://env");
    expect(config.llm.apiKey?.reveal()).toBe("from-dotenv");
  });

  it("reads the hours in which the agent looks by itself", () => {
    const configText = "heartbeat:\n  active_hours: 22:00 - 06:30\n";
    const config = loadConfig({ env: {}, configText });
    expect(config.heartbeat.activeHours).toEqual({ from: "22:00", to: "06:30" });
    expect(toConfigView(config).heartbeat.active_hours).toBe("22:00-06:30");
  });

  it("is frozen to the bottom", () => {
    const config = loadConfig({ env: {} });
    expect(Object.isFrozen(config) && Object.isFrozen(config.server)).toBe(true);
  });

  it("AI-20 reads YAML and fills a variable named in braces from the environment and from .env", () => {
    const configText = `llm:\n  model: \${MODEL}-\${SIZE}\n`;
    expect(loadConfig({ env: { MODEL: "m" }, envText: "SIZE=big", configText }).llm.model).toBe("m-big");
  });

  it("S000-C takes the plan's whole configuration under its own names", () => {
    const env = { ANTHROPIC_API_KEY: "k", ROBOFLOW_API_KEY: "r", SLACK_BOT_TOKEN: "b", SLACK_APP_TOKEN: "a" };
    const config = loadConfig({ env, configText: PLAN });
    expect(config).toMatchObject({
      llm: { maxTokens: 2048, thinking: { enabled: true, budgetTokens: 1500 }, costLimitDaily: 2.5 },
      inference: { backend: "http", servers: [{ url: "http://localhost:9002" }] },
      workspace: { path: "~/cameras" },
      heartbeat: { enabled: false, intervalMinutes: 30 },
      monitoring: { escalationConfidence: 0.7, maxResultsPerConsume: 5, resultImageMaxDimension: 320 },
      interface: { type: "slack", slack: { alertChannel: "#security-alerts" } },
    });
    const { llm, inference } = config;
    const keys = [llm.apiKey, inference.apiKey, config.interface.slack.botToken, config.interface.slack.appToken];
    expect(keys.map((key) => key?.reveal())).toEqual(["k", "r", "b", "a"]);
  });

  it("takes the server and its key from the environment", () => {
    const { inference } = loadConfig({ env: { INFERENCE_URL: "http://box:9001", ROBOFLOW_API_KEY: "r" } });
    expect(inference).toMatchObject({ serversNamed: true, backend: "direct" });
    expect(inference.servers.map(({ url, apiKey }) => [url, apiKey?.reveal()])).toEqual([["http://box:9001", "r"]]);
  });

  it.each([
    [{ OPENAI_API_KEY: "o" }, "", ["openai", "gpt-6.1-terra", "o"]],
    [{ OPENAI_API_KEY: "o", ANTHROPIC_API_KEY: "a" }, "", ["anthropic", "claude-sonnet-5-5", "a"]],
    [{ OPENAI_API_KEY: "o", ANTHROPIC_API_KEY: "a" }, "llm:\n  provider: openai\n", ["openai", "gpt-6.1-terra", "o"]],
    [{ OPENAI_API_KEY: "o" }, "llm:\n  api_key: mine\n", ["anthropic", "claude-sonnet-5-5", "mine"]],
    [{ OPENAI_API_KEY: "o" }, "llm:\n  provider: anthropic\n", ["anthropic", "claude-sonnet-5-5", undefined]],
  ])("lets the key that is there choose the provider where nobody did: %j %j", (env, configText, expected) => {
    const { llm } = loadConfig({ env, configText });
    expect([llm.provider, llm.model, llm.apiKey?.reveal()]).toEqual(expected);
  });

  it("never prints a key", () => {
    const { llm } = loadConfig({ env: { ANTHROPIC_API_KEY: "sk-very-secret" } });
    const printed = [JSON.stringify(llm), inspect(llm, { depth: 9, showHidden: true }), `${llm.apiKey}`].join();
    expect(printed).not.toContain("secret");
    expect(printed).toContain("***");
  });
});

describe("the servers of the configuration", () => {
  it("are server_url and the list, with inference.api_key where they have none", () => {
    const configText =
      "inference:\n  backend: http\n  server_url: http://one:9001\n  servers:\n    - label: b\n      url: http://two\n      api_key: own\n";
    const { inference } = loadConfig({ env: { ROBOFLOW_API_KEY: "rf" }, configText });
    expect(inference.servers.map(({ label, url, apiKey }) => [label, url, apiKey?.reveal()])).toEqual([
      ["main", "http://one:9001", "rf"],
      ["b", "http://two", "own"],
    ]);
    expect(inference).toMatchObject({ backend: "http", serversNamed: true });
  });

  it("are the list alone when there is no server_url, frozen and without a printed key", () => {
    const configText = "inference:\n  servers:\n    - label: b\n      url: http://two\n      api_key: rf-secret\n";
    const { inference } = loadConfig({ env: {}, configText });
    expect(inference.servers.map(({ label }) => label)).toEqual(["b"]);
    expect(Object.isFrozen(inference.servers) && Object.isFrozen(inference.servers[0])).toBe(true);
    expect(JSON.stringify(inference) + inspect(inference, { depth: 9 })).not.toContain("rf-secret");
  });
});

describe("a wrong configuration", () => {
  it.each([
    ["server:\n  port: 99999\n", "server.port", 2],
    ["server:\n  host: 300.0.0.1\n", "server.host", 2],
    ["server:\n  host: http://all\n", "server.host", 2],
    ["server:\n  tls:\n    cert: a.pem\n", "server.tls.key", 2],
    ["server:\n  behind_proxy:\n    url: http://cameras.example.org\n", "server.behind_proxy.url", 3],
    ["\nserver: 4750\n", "server", 2],
    ["llm:\n  model: 3\n", "llm.model", 2],
    ["llm:\n  base_url: ftp://x\n", "llm.base_url", 2],
    ["inference:\n  backend: gpu\n", "inference.backend", 2],
    ["inference:\n  server_url: localhost\n", "inference.server_url", 2],
    ["inference:\n  roboflow_api_url: ftp://x\n", "inference.roboflow_api_url", 2],
    ["inference:\n  local_models: 3\n", "inference.local_models", 2],
    ["inference:\n  servers: []\n", "inference.servers", 2],
    ["demo: maybe\n", "demo", 1],
    ["llm:\n  max_tokens: 0\n", "llm.max_tokens", 2],
    ["llm:\n  thinking:\n    budget_tokens: 5\n", "llm.thinking.budget_tokens", 3],
    ["llm:\n  thinking:\n    enabled: perhaps\n", "llm.thinking.enabled", 3],
    ["llm:\n  cost_limit_daily: -1\n", "llm.cost_limit_daily", 2],
    ["workspace:\n  path: 3\n", "workspace.path", 2],
    ["heartbeat:\n  enabled: 1\n", "heartbeat.enabled", 2],
    ["heartbeat:\n  interval_minutes: 0\n", "heartbeat.interval_minutes", 2],
    ["heartbeat:\n  active_hours: 7-22\n", "heartbeat.active_hours", 2],
    ["heartbeat:\n  only_after_events: 1\n", "heartbeat.only_after_events", 2],
    ["monitoring:\n  escalation_confidence: 2\n", "monitoring.escalation_confidence", 2],
    ["monitoring:\n  max_results_per_consume: 0\n", "monitoring.max_results_per_consume", 2],
    ["monitoring:\n  result_image_max_dimension: 1\n", "monitoring.result_image_max_dimension", 2],
    ["monitoring:\n  result_image_max_dimension: 641\n", "monitoring.result_image_max_dimension", 2],
    ["interface:\n  type: phone\n", "interface.type", 2],
    ["interface:\n  slack: x\n", "interface.slack", 2],
    ["agent:\n  autonomy: wild\n", "agent.autonomy", 2],
    ["events:\n  max_megabytes: 500\n  keep_days: 0\n", "events.keep_days", 3],
  ])("S000-4.1.3 is refused with key, line and what is allowed: %j", (configText, key, line) => {
    const problems = problemsOf({ env: {}, configText });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ key, line });
    expect(problems[0]?.message).toContain(`config.yaml line ${line}: ${key} must be ${ALLOWED[key]}`);
  });

  it("is refused inside a list with the place, the line and what is allowed there", () => {
    const configText =
      "inference:\n  servers:\n    - label: a\n      url: http://a\n    - label: b b\n      url: 3\n    - 7\n";
    const problems = problemsOf({ env: {}, configText });
    expect(problems.map(({ key, line }) => [key, line])).toEqual([
      ["inference.servers.1.label", 5],
      ["inference.servers.1.url", 6],
      ["inference.servers.2", 7],
    ]);
    expect(problems[1]?.message).toBe(
      `config.yaml line 6: inference.servers.1.url must be ${ALLOWED["inference.servers.*.url"]}, not 3.`,
    );
    const [unknown] = problemsOf({
      env: {},
      configText: "inference:\n  servers:\n    - name: a\n      label: a\n      url: http://a\n",
    });
    expect(unknown?.message).toBe(
      "config.yaml line 3: there is no key inference.servers.0.name; allowed in inference.servers.0 are label, url, api_key.",
    );
  });

  it("is refused when two servers have one label, without quoting their keys", () => {
    const one = "    - label: a\n      url: http://a\n      api_key: rf-secret\n";
    const [problem] = problemsOf({ env: {}, configText: `inference:\n  servers:\n${one}${one}` });
    expect(problem).toMatchObject({ key: "inference.servers", line: 2 });
    expect(problem?.message).toContain("no label twice");
    expect(problem?.message).not.toContain("rf-secret");
  });

  it("is told all at once", () => {
    const problems = problemsOf({ env: {}, configText: "demo: 1\nserver:\n  port: x\n  prot: 1\n" });
    expect(problems.map(({ key }) => key).sort()).toEqual(["demo", "server.port", "server.prot"]);
  });

  it("names the keys that exist beside an unknown one", () => {
    const [problem] = problemsOf({ env: {}, configText: "demo: true\nsever:\n  port: 1\n" });
    expect(problem?.message).toBe(
      "config.yaml line 2: there is no key sever; allowed here are server, llm, inference, workspace, heartbeat, monitoring, interface, agent, sinks, location, demo, recording, events.",
    );
  });

  it("names the flag or the variable when the value came from there", () => {
    const inputs = { env: { ANTHROPIC_BASE_URL: "nonsense" }, flags: { port: "abc" } };
    expect(problemsOf(inputs).map(({ message }) => message)).toEqual([
      `--port (server.port) must be ${ALLOWED["server.port"]}, not "abc".`,
      `ANTHROPIC_BASE_URL (llm.base_url) must be ${ALLOWED["llm.base_url"]}, not "nonsense".`,
    ]);
  });

  it("names a variable that is not set", () => {
    const [problem] = problemsOf({ env: {}, configText: `llm:\n  api_key: \${NOBODY}\n` });
    expect(problem).toMatchObject({ key: "llm.api_key", line: 2 });
    expect(problem?.message).toContain(`\${NOBODY}`);
  });

  it("says the line of broken YAML without quoting it", () => {
    const [problem] = problemsOf({ env: {}, configText: 'demo: true\nllm:\n  api_key: "sk-secret\n' });
    expect(problem?.line).toBeGreaterThan(1);
    expect(problem?.message).not.toContain("sk-secret");
  });

  it("never quotes a key", () => {
    const [problem] = problemsOf({ env: {}, configText: "llm:\n  api_key: [sk-secret]\n" });
    expect(problem?.key).toBe("llm.api_key");
    expect(problem?.message).not.toContain("sk-secret");
  });

  it("never quotes a token, nor the password in an address", () => {
    const configText = "interface:\n  slack:\n    bot_token: [xoxb-secret]\nllm:\n  base_url: ftp://me:hidden@x\n";
    const text = problemsOf({ env: {}, configText })
      .map(({ message }) => message)
      .join();
    expect(text).toContain("interface.slack.bot_token");
    expect(text).not.toMatch(/xoxb-secret|hidden/);
  });

  it("is refused when the file is no mapping", () => {
    expect(problemsOf({ env: {}, configText: "- a\n- b\n" })[0]?.message).toContain("allowed keys are server");
  });
});

describe("workspaceFolder", () => {
  it("S000-4.1.1 takes the flag before VISION_AGENT_HOME before the home folder", () => {
    const env = { VISION_AGENT_HOME: "/from/env" };
    expect(workspaceFolder({ flag: "/from/flag", env, home: "/home/me" })).toBe("/from/flag");
    expect(workspaceFolder({ env, home: "/home/me" })).toBe("/from/env");
    expect(workspaceFolder({ env: {}, home: "/home/me" })).toBe("/home/me/.vision_agent");
    expect(workspaceFolder({ flag: "~/cams", env: {}, home: "/home/me" })).toBe("/home/me/cams");
  });
});

describe("findWorkspace", () => {
  const files: Record<string, string> = { "/home/me/.vision_agent/config.yaml": "workspace:\n  path: ~/cameras\n" };
  const readText = async (path: string) => files[path];

  it("follows workspace.path of the usual place, whose settings stay in force", async () => {
    expect(await findWorkspace({ env: {}, home: "/home/me", readText })).toEqual({
      folder: "/home/me/cameras",
      configFolder: "/home/me/.vision_agent",
    });
  });

  it("takes the flag and VISION_AGENT_HOME before it, and the usual place without it", async () => {
    const here = { folder: "/w", configFolder: "/w" };
    expect(await findWorkspace({ flag: "/w", env: {}, home: "/home/me", readText })).toEqual(here);
    expect(await findWorkspace({ env: { VISION_AGENT_HOME: "/w" }, home: "/home/me", readText })).toEqual(here);
    expect(await findWorkspace({ env: {}, home: "/home/you", readText })).toEqual({
      folder: "/home/you/.vision_agent",
      configFolder: "/home/you/.vision_agent",
    });
  });
});

describe("toConfigView", () => {
  it("shows every key of the file under its name, and no secret", () => {
    const env = { ANTHROPIC_API_KEY: "sk-one", ROBOFLOW_API_KEY: "rf-two", INFERENCE_URL: "http://me:three@box:9001" };
    const view = toConfigView(loadConfig({ env }));
    expect(view.llm.api_key).toBe("***");
    expect(view.inference.servers).toEqual([{ label: "main", url: "http://box:9001", api_key: "***" }]);
    expect(view.interface.slack.bot_token).toBeNull();
    expect(JSON.stringify(view)).not.toMatch(/sk-one|rf-two|three/);
    const shown = Object.keys(ALLOWED).filter((key) => !key.includes("*") && key !== "inference.server_url");
    for (const key of shown) expect(view, key).toHaveProperty(key);
  });
});

const PLAN = `
llm:
  provider: anthropic
  model: claude-sonnet-4-5
  api_key: \${ANTHROPIC_API_KEY}
  max_tokens: 2048
  thinking:
    enabled: true
    budget_tokens: 1500
  cost_limit_daily: 2.50
inference:
  backend: http
  server_url: http://localhost:9002
  api_key: \${ROBOFLOW_API_KEY}
workspace:
  path: ~/cameras
heartbeat:
  enabled: false
  interval_minutes: 30
monitoring:
  escalation_confidence: 0.7
  max_results_per_consume: 5
  result_image_max_dimension: 320
interface:
  type: slack
  slack:
    bot_token: \${SLACK_BOT_TOKEN}
    app_token: \${SLACK_APP_TOKEN}
    alert_channel: "#security-alerts"
`;

function problemsOf(inputs: ConfigInputs): ConfigError["problems"] {
  try {
    loadConfig(inputs);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

it("names the settings that nothing uses yet", () => {
  const configText = "interface:\n  type: slack\n  slack:\n    bot_token: xoxb-1\n";
  expect(settingsWithoutUse(loadConfig({ env: {}, configText, envText: undefined }))).toEqual([
    "interface.type: slack",
    "interface.slack.bot_token",
  ]);
  expect(settingsWithoutUse(loadConfig({ env: {}, configText: undefined, envText: undefined }))).toEqual([]);
});
