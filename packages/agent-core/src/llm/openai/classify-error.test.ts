import { APIConnectionError, APIError } from "openai";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../observability/redact.ts";
import { AgentError } from "../../types/errors.ts";
import { classifyOpenAIError } from "./openai-client.ts";

const redactor = createRedactor({ secrets: ["sk-secret-key"] });
const classify = (thrown: unknown, signal = new AbortController().signal): AgentError =>
  classifyOpenAIError(thrown, signal, { redactor, nowMs: Date.UTC(2026, 0, 1) });

describe("classifyOpenAIError", () => {
  it.each<[number, string | null, string, object]>([
    [400, null, "no", { kind: "invalid", code: "bad_request", retryable: false }],
    [400, "context_length_exceeded", "too long", { kind: "agent", code: "context_overflow", retryable: false }],
    [400, null, "This model's maximum context length is 8192 tokens", { kind: "agent", code: "context_overflow" }],
    [400, "invalid_encrypted_content", "The encrypted content could not be verified", { code: "reasoning_binding" }],
    [
      400,
      null,
      "Item 'rs_1' of type 'reasoning' was provided without its following item",
      { code: "reasoning_binding" },
    ],
    [401, "invalid_api_key", "no", { kind: "invalid", code: "auth", retryable: false }],
    [403, null, "no", { kind: "invalid", code: "provider_forbidden" }],
    [404, null, "404 page not found", { kind: "invalid", code: "not_found" }],
    [404, "model_not_found", "no", { kind: "invalid", code: "unknown_model" }],
    [429, "rate_limit_exceeded", "slow down", { kind: "rate_limit", code: "rate_limited", retryable: true }],
    [429, "insufficient_quota", "pay", { kind: "budget", code: "provider_spend_limit", retryable: false }],
    [500, "server_error", "oops", { kind: "agent", code: "server", retryable: true }],
    [503, null, "busy", { kind: "agent", code: "server", retryable: true }],
  ])("AI-17 AI-18 classes %i %s (%s)", (status, code, message, expected) => {
    const error = APIError.generate(status, { error: { message, type: "x", code } }, undefined, new Headers());
    expect(classify(error)).toMatchObject({ ...expected, status });
  });

  it.each<[object, object]>([
    [
      { message: "busy", code: "server_error" },
      { code: "server", retryable: true },
    ],
    [
      { message: "busy", code: 502 },
      { code: "server", retryable: true },
    ],
    [
      { message: "slow", code: 429 },
      { code: "rate_limited", retryable: true },
    ],
    [
      { message: "pay", type: "insufficient_quota" },
      { code: "provider_spend_limit", retryable: false },
    ],
    [
      { message: "long", code: "context_length_exceeded" },
      { code: "context_overflow", retryable: false },
    ],
    [
      { message: "bad", code: "invalid_image_format" },
      { code: "bad_request", retryable: false },
    ],
    [{ message: "?" }, { code: "server", retryable: true }],
  ])("AI-17 classes the data-only error %j", (body, expected) => {
    expect(classify(new APIError(undefined, body, undefined, new Headers()))).toMatchObject(expected);
  });

  it("obeys a server that says not to try again", () => {
    const headers = new Headers({ "x-should-retry": "false" });
    const error = APIError.generate(500, { error: { message: "no" } }, undefined, headers);
    expect(classify(error)).toMatchObject({ code: "server", retryable: false });
  });

  it("keeps keys and quoted bytes out of messages", () => {
    const message = `bad key sk-secret-key in ${"QUJD".repeat(40)}`;
    const error = classify(APIError.generate(400, { error: { message } }, undefined, new Headers()));
    expect(error.message).toContain("<secret>");
    expect(error.message).not.toContain("QUJDQUJD");
  });

  it("tells a cut connection from one that never came, and an abort from both", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });
    expect(classify(new APIConnectionError({ cause: refused }))).toMatchObject({ kind: "network", code: "connect" });
    expect(classify(new TypeError("x is not a function"))).toMatchObject({ kind: "agent", code: "unexpected" });
    const reason = new AgentError({ kind: "cancelled", code: "user", message: "enough" });
    expect(classify(new TypeError("terminated"), AbortSignal.abort(reason))).toBe(reason);
  });
});
