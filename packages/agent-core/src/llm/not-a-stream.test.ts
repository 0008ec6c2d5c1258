import { describe, expect, it } from "vitest";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "../anthropic.ts";
import { createOpenAIClient, DEFAULT_OPENAI_MODEL } from "../openai.ts";
import { createTestAgent } from "../testing/test-agent.ts";
import { systemClock } from "../types/clock.ts";
import type { LLMClient } from "./llm-client.ts";

const DIALECTS = ["anthropic", "responses", "chat"] as const;
type Dialect = (typeof DIALECTS)[number];
const KEY = "key-that-nobody-may-read-1234567890";
const JSON_TYPE = "application/json";

describe.each(DIALECTS)("a 200 answer of the %s dialect that is no stream of events", (dialect) => {
  it.each([
    ["an error object", { error: { message: "model not loaded" } }, "server"],
    ["an error in one word", { error: "model not loaded" }, "server"],
    ["a detail", { detail: "model not loaded" }, "server"],
    [
      "an object that is itself the error",
      { object: "error", message: "model not loaded", code: 404 },
      "unknown_model",
    ],
    ["an error with a name", { error: { type: "authentication_error", message: "model not loaded" } }, "auth"],
  ])("is told in the server's words after one request: %s", async (_, body, code) => {
    const { talk, asked } = open(dialect, { body: JSON.stringify(body), type: JSON_TYPE });
    const error = await talk();
    expect(error).toMatchObject({ code, retryable: false, message: expect.stringContaining("model not loaded") });
    expect(asked()).toBe(1);
  });

  it("is tried again where the error's own name says that it will pass", async () => {
    const body = JSON.stringify({ error: { type: "overloaded_error", message: "busy" } });
    const { talk, asked } = open(dialect, { body, type: JSON_TYPE });
    expect(await talk()).toMatchObject({ code: "overloaded", retryable: true });
    expect(asked()).toBeGreaterThan(1);
  });

  it("is told apart when the request was too long", async () => {
    const body = JSON.stringify({ error: { message: "The maximum context length is 8." } });
    const { run } = open(dialect, { body, type: JSON_TYPE });
    await expect(run()).rejects.toMatchObject({ code: "context_overflow", retryable: false });
  });

  it("never repeats the key", async () => {
    const body = JSON.stringify({ error: { message: `bad key ${KEY}` } });
    const error = await open(dialect, { body, type: JSON_TYPE }).talk();
    expect(error.message).toContain("bad key");
    expect(error.message).not.toContain(KEY);
  });

  it.each([
    ["a whole answer as JSON", '{"choices":[{"message":{"content":"Whole"}}]}', JSON_TYPE, /one JSON document/],
    ["JSON that is cut", '{"choices":[', JSON_TYPE, /one JSON document/],
    ["a web page", "\n<!doctype html><html>secret words</html>", "text/html", /web page.*is baseURL right/],
    ["a web page that is called a stream", "<html>secret words</html>", "text/event-stream", /web page/],
  ])("is a protocol error after one request: %s", async (_, body, type, words) => {
    const { talk, asked } = open(dialect, { body, type });
    const error = await talk();
    expect(error).toMatchObject({ kind: "agent", code: "protocol", retryable: false });
    expect(error.message).toMatch(words);
    expect(error.message).not.toContain("secret words");
    expect(asked()).toBe(1);
  });
});

describe("the end of a chat stream", () => {
  const text = 'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n';
  const ending = (finish: string) => `data: {"choices":[{"index":0,"delta":{},"finish_reason":"${finish}"}]}\n\n`;
  const done = "data: [DONE]\n\n";
  const atServer = { type: "text/event-stream", baseURL: "http://127.0.0.1:9/v1" };

  it.each([
    ["without a reason", text + done],
    ["without a reason, with other line ends", (text + done).replaceAll("\n", "\r\n")],
  ])("is complete when the server said that it is done: %s", async (_, body) => {
    const { run } = open("chat", { ...atServer, body });
    expect(await run()).toMatchObject({ content: "Hi", stopReason: "complete" });
  });

  it.each([
    ["the end is missing", text],
    [
      "the text only quotes the end",
      `data: ${JSON.stringify({ choices: [{ delta: { content: "\ndata: [DONE]\n" } }] })}\n\n`,
    ],
    ["nothing was said", done],
  ])("is cut when %s", async (_, body) => {
    await expect(open("chat", { ...atServer, body }).run()).rejects.toMatchObject({ code: "truncated_stream" });
  });

  it.each(["eos", "stop_sequence", "novel"])(
    "is complete with a warning, at a compatible server: %s",
    async (finish) => {
      const response = await open("chat", { ...atServer, body: text + ending(finish) + done }).run();
      expect(response).toMatchObject({ content: "Hi", stopReason: "complete" });
      expect(response.warnings).toContainEqual({
        code: "stop_reason_unknown",
        message: expect.stringContaining(finish),
      });
    },
  );

  it.each([
    ["of the provider itself", { type: "text/event-stream", body: text + ending("novel") + done }],
    ["that sounds like a failure", { ...atServer, body: text + ending("insufficient_system_resource") + done }],
    ["without any text", { ...atServer, body: ending("novel") + done }],
  ])("fails visibly at an unknown reason %s", async (_, answer) => {
    await expect(open("chat", answer).run()).rejects.toMatchObject({ code: "unknown_stop_reason" });
  });
});

interface Answer {
  readonly body: string;
  readonly type: string;
  readonly baseURL?: string;
}

function open(dialect: Dialect, { body, type, baseURL }: Answer) {
  let asked = 0;
  const fetch = async () => {
    asked += 1;
    return new Response(body, { headers: { "content-type": type } });
  };
  const options = { apiKey: KEY, fetch, refreshProfiles: false, ...(baseURL !== undefined && { baseURL }) };
  const llm: LLMClient =
    dialect === "anthropic" ? createAnthropicClient(options) : createOpenAIClient({ ...options, api: dialect });
  const model = dialect === "anthropic" ? DEFAULT_ANTHROPIC_MODEL : DEFAULT_OPENAI_MODEL;
  const talk = async () => {
    const agent = createTestAgent([], { llm, model, clock: systemClock, random: () => 0 });
    const { outcome } = await agent.talk("Hi");
    if (outcome.status !== "failed") throw new Error(`It ended as ${outcome.status}.`);
    return outcome.error;
  };
  const parts = [{ type: "text" as const, text: "Hi" }];
  const message = { id: "u1", role: "user", parts, ts: "2026-01-01T00:00:00.000Z", origin: "human" } as const;
  const timers = { firstEventMs: 5_000, idleMs: 5_000, attemptMs: 10_000 };
  const context = { signal: new AbortController().signal, clock: systemClock, messageId: "m1", timers };
  const run = () => llm.run({ model, system: [], messages: [message], tools: [] }, context);
  return { talk, run, asked: () => asked };
}
