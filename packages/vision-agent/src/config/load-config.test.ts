import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ConfigError } from "./config-error.ts";
import { ALLOWED, DEFAULT_CONFIG_TEXT } from "./config-schema.ts";
import { workspaceFolder } from "./environment.ts";
import { type ConfigInputs, loadConfig } from "./load-config.ts";

describe("loadConfig", () => {
  it("gives the defaults when there is nothing to read", () => {
    expect(loadConfig({ env: {} })).toEqual({
      server: { host: "127.0.0.1", port: 4750 },
      llm: { provider: "anthropic", model: "claude-sonnet-5-5", apiKey: undefined, baseUrl: undefined },
      inference: { mode: "direct" },
      demo: true,
      events: { keepDays: 14, maxMegabytes: 2000 },
    });
  });

  it("reads the file of the first run as the defaults, also with every line switched on", () => {
    expect(loadConfig({ env: {}, configText: DEFAULT_CONFIG_TEXT })).toEqual(loadConfig({ env: {} }));
    const switchedOn = DEFAULT_CONFIG_TEXT.replace(/^# (?=( {2})?\w+:)/gm, "");
    const config = loadConfig({ env: { ANTHROPIC_API_KEY: "k" }, configText: switchedOn });
    expect(config).toMatchObject({ server: { port: 4750 }, llm: { baseUrl: "https://api.anthropic.com" }, demo: true });
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
    expect(config.server).toEqual({ host: "localhost", port: 9 });
    expect(config.llm.baseUrl).toBe("http://env");
    expect(config.llm.apiKey?.reveal()).toBe("from-dotenv");
  });

  it("is frozen to the bottom", () => {
    const config = loadConfig({ env: {} });
    expect(Object.isFrozen(config) && Object.isFrozen(config.server)).toBe(true);
  });

  it("AI-20 reads YAML and fills a variable named in braces from the environment and from .env", () => {
    const configText = `llm:\n  model: \${MODEL}-\${SIZE}\n`;
    expect(loadConfig({ env: { MODEL: "m" }, envText: "SIZE=big", configText }).llm.model).toBe("m-big");
  });

  it("never prints a key", () => {
    const { llm } = loadConfig({ env: { ANTHROPIC_API_KEY: "sk-very-secret" } });
    const printed = [JSON.stringify(llm), inspect(llm, { depth: 9, showHidden: true }), `${llm.apiKey}`].join();
    expect(printed).not.toContain("secret");
    expect(printed).toContain("***");
  });
});

describe("a wrong configuration", () => {
  it.each([
    ["server:\n  port: 99999\n", "server.port", 2],
    ["server:\n  host: 0.0.0.0\n", "server.host", 2],
    ["\nserver: 4750\n", "server", 2],
    ["llm:\n  model: 3\n", "llm.model", 2],
    ["llm:\n  base_url: ftp://x\n", "llm.base_url", 2],
    ["inference:\n  mode: gpu\n", "inference.mode", 2],
    ["demo: maybe\n", "demo", 1],
    ["events:\n  max_megabytes: 500\n  keep_days: 0\n", "events.keep_days", 3],
  ])("is refused with key, line and what is allowed: %j", (configText, key, line) => {
    const problems = problemsOf({ env: {}, configText });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ key, line });
    expect(problems[0]?.message).toContain(`config.yaml line ${line}: ${key} must be ${ALLOWED[key]}`);
  });

  it("is told all at once", () => {
    const problems = problemsOf({ env: {}, configText: "demo: 1\nserver:\n  port: x\n  prot: 1\n" });
    expect(problems.map(({ key }) => key).sort()).toEqual(["demo", "server.port", "server.prot"]);
  });

  it("names the keys that exist beside an unknown one", () => {
    const [problem] = problemsOf({ env: {}, configText: "demo: true\nsever:\n  port: 1\n" });
    expect(problem?.message).toBe(
      "config.yaml line 2: there is no key sever; allowed here are server, llm, inference, demo, events.",
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

  it("is refused when the file is no mapping", () => {
    expect(problemsOf({ env: {}, configText: "- a\n- b\n" })[0]?.message).toContain("allowed keys are server");
  });
});

describe("workspaceFolder", () => {
  it("takes the flag before VISION_AGENT_HOME before the home folder", () => {
    const env = { VISION_AGENT_HOME: "/from/env" };
    expect(workspaceFolder({ flag: "/from/flag", env, home: "/home/me" })).toBe("/from/flag");
    expect(workspaceFolder({ env, home: "/home/me" })).toBe("/from/env");
    expect(workspaceFolder({ env: {}, home: "/home/me" })).toBe("/home/me/.vision_agent");
    expect(workspaceFolder({ flag: "~/cams", env: {}, home: "/home/me" })).toBe("/home/me/cams");
  });
});

function problemsOf(inputs: ConfigInputs): ConfigError["problems"] {
  try {
    loadConfig(inputs);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
