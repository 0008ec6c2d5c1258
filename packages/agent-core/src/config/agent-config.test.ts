import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { AgentError } from "../types/errors.ts";
import { type ParseAgentConfigOptions, parseAgentConfig } from "./agent-config.ts";
import { readCredential } from "./credentials.ts";

const KEY = "sk-very-secret-key";

describe("parseAgentConfig", () => {
  it("AI-19 reads every field, as files and as programs write it", () => {
    const expected = {
      provider: "openai",
      model: "gpt-x",
      maxTokens: 2_048,
      temperature: 0.5,
      requestTimeoutMs: 20_000,
      apiKeyFrom: "config",
      baseURL: "http://127.0.0.1:8080/v1",
    };
    const file = {
      provider: "openai",
      model: "gpt-x",
      max_tokens: 2_048,
      temperature: 0.5,
      request_timeout_ms: 20_000,
      api_key: KEY,
      base_url: "http://127.0.0.1:8080/v1/",
    };
    const { apiKeyFrom: _, ...program } = expected;
    for (const value of [file, { ...program, apiKey: KEY }]) {
      const config = parse(value);
      expect(config).toMatchObject(expected);
      expect(config.apiKey?.reveal()).toBe(KEY);
    }
  });

  it("AI-19 calls the provider claude too, which is the default", () => {
    expect(parse({ provider: "claude", model: "m" }).provider).toBe("anthropic");
    expect(parse({ model: "m" }).provider).toBe("anthropic");
  });

  it("AI-3 AI-19 takes 0 and -1, and what is left empty, for the defaults", () => {
    expect(parse({ model: "m", max_tokens: 0, temperature: -1, base_url: null, provider: undefined })).toEqual({
      provider: "anthropic",
      model: "m",
    });
    expect(parse(undefined, { defaultModel: "m" })).toEqual({ provider: "anthropic", model: "m" });
    expect(parse({ model: "m", temperature: 0 }).temperature).toBe(0);
  });

  it("AI-20 takes the key of the configuration, then the product's variable, then the provider's", () => {
    const env = { PRODUCT_KEY: "from-product", ANTHROPIC_API_KEY: "from-provider", OPENAI_API_KEY: "from-other" };
    const from = (value: object, changes: ParseAgentConfigOptions = {}): unknown[] => {
      const config = parse({ model: "m", ...value }, { env, productVariables: ["PRODUCT_KEY"], ...changes });
      return [config.apiKey?.reveal(), config.apiKeyFrom];
    };
    expect(from({ api_key: KEY })).toEqual([KEY, "config"]);
    expect(from({})).toEqual(["from-product", "PRODUCT_KEY"]);
    expect(from({}, { env: { ...env, PRODUCT_KEY: " " } })).toEqual(["from-provider", "ANTHROPIC_API_KEY"]);
    expect(from({}, { productVariables: [] })).toEqual(["from-provider", "ANTHROPIC_API_KEY"]);
    expect(from({ provider: "openai" }, { productVariables: [] })).toEqual(["from-other", "OPENAI_API_KEY"]);
    expect(from({}, { env: {} })).toEqual([undefined, undefined]);
  });

  it("AI-20 reads a key that names a variable from there", () => {
    const value = { model: "m", api_key: ["$", "{MY_KEY}"].join("") };
    expect(parse(value, { env: { MY_KEY: ` ${KEY}\n` } }).apiKey?.reveal()).toBe(KEY);
    expect(parse(value, { env: { ANTHROPIC_API_KEY: "other" } }).apiKeyFrom).toBe("ANTHROPIC_API_KEY");
  });

  it("AI-20 reads the environment of the process where none is given", () => {
    const name = "AGENT_CORE_TEST_KEY";
    process.env[name] = KEY;
    try {
      expect(readCredential([name])?.secret.reveal()).toBe(KEY);
      expect(parseAgentConfig({ model: "m" }, { productVariables: [name] }).apiKeyFrom).toBe(name);
    } finally {
      delete process.env[name];
    }
  });

  it("AF-37 names every key that is wrong, what was expected and what came", () => {
    const message = problem({
      provider: "gemini",
      model: "",
      max_tokens: 1.5,
      temperature: 3,
      requestTimeoutMs: "20s",
      base_url: "ftp://host",
      max_token: 1,
      maxTokens: 5,
    });
    expect(message.split("; ")).toEqual([
      'provider: expected one of anthropic, claude, openai, got "gemini"',
      'model: expected the id of a model, got ""',
      "max_tokens: expected a whole number above 0, or 0 for the default, got 1.5",
      "temperature: expected a number from 0 to 2, or -1 for the default, got 3",
      'requestTimeoutMs: expected a whole number of milliseconds above 0, got "20s"',
      "base_url: expected an http or https address without a user, got another text",
      "max_token: expected one of the keys provider, model, max_tokens, temperature, request_timeout_ms, api_key, base_url, got an unknown one",
      "maxTokens: expected once, got twice, as maxTokens and as max_tokens.",
    ]);
  });

  it.each<[unknown, string]>([
    [undefined, "model: expected the id of a model, got nothing."],
    ["model: m", 'the configuration: expected an object, got "model: m".'],
    [[1], "the configuration: expected an object, got a list."],
    [{ model: 7 }, "model: expected the id of a model, got 7."],
    [{ model: {} }, "model: expected the id of a model, got a value of type object."],
    [{ model: "m", provider: "toString" }, 'provider: expected one of anthropic, claude, openai, got "toString".'],
  ])("AF-37 refuses %j", (value, message) => {
    expect(problem(value)).toBe(message);
  });

  it("says which variables to set when there must be a key", () => {
    const options = { requireApiKey: true, productVariables: ["PRODUCT_KEY"] };
    expect(problem({ model: "m" }, options)).toBe(
      "There is no API key. Set PRODUCT_KEY or ANTHROPIC_API_KEY, or api_key in the configuration.",
    );
  });

  it("never tells a key, however it is printed, nor an address with a password", () => {
    const config = parse({ model: "m", api_key: KEY });
    const printed = [JSON.stringify(config), inspect(config, { depth: 9, showHidden: true }), `${config.apiKey}`];
    for (const text of printed) expect(text).not.toContain(KEY);
    for (const text of printed) expect(text).toContain("***");
    expect(problem({ model: "m", api_key: [KEY], base_url: `http://me:${KEY}@host` })).not.toContain(KEY);
  });

  it("gives a frozen value", () => {
    expect(Object.isFrozen(parse({ model: "m" }))).toBe(true);
  });
});

function parse(value: unknown, options: ParseAgentConfigOptions = {}) {
  return parseAgentConfig(value, { env: {}, ...options });
}

function problem(value: unknown, options: ParseAgentConfigOptions = {}): string {
  try {
    parse(value, options);
  } catch (thrown) {
    expect(thrown).toMatchObject({ kind: "invalid" });
    if (thrown instanceof AgentError) return thrown.message;
  }
  return "no problem";
}
