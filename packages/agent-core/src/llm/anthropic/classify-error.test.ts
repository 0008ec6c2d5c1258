import { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../observability/redact.ts";
import { AgentError } from "../../types/errors.ts";
import { classifyError } from "./anthropic-client.ts";

const redactor = createRedactor({ secrets: ["sk-secret-key"] });
const classify = (thrown: unknown, signal = new AbortController().signal): AgentError =>
  classifyError(thrown, signal, { redactor, nowMs: Date.UTC(2026, 0, 1) });

describe("classifyError", () => {
  it.each([
    [400, "invalid_request_error", "no", { kind: "invalid", code: "bad_request", retryable: false }],
    [
      400,
      "invalid_request_error",
      "prompt is too long: 5 tokens > 4 maximum",
      { kind: "agent", code: "context_overflow", retryable: false },
    ],
    [
      400,
      "invalid_request_error",
      "invalid signature in thinking block",
      { kind: "invalid", code: "reasoning_binding", retryable: false },
    ],
    [401, "authentication_error", "no", { kind: "invalid", code: "auth", retryable: false }],
    [402, "billing_error", "pay", { kind: "budget", code: "provider_spend_limit", retryable: false }],
    [403, "permission_error", "no", { kind: "invalid", code: "provider_forbidden", retryable: false }],
    [404, "not_found_error", "Not Found", { kind: "invalid", code: "not_found", retryable: false }],
    [404, "not_found_error", "model", { kind: "invalid", code: "unknown_model", retryable: false }],
    [408, "timeout_error", "slow", { kind: "timeout", code: "server_timeout", retryable: true }],
    [409, "conflict_error", "again", { kind: "agent", code: "conflict", retryable: true }],
    [413, "request_too_large", "bytes", { kind: "invalid", code: "request_too_large", retryable: false }],
    [422, "invalid_request_error", "no", { kind: "invalid", code: "bad_request", retryable: false }],
    [429, "rate_limit_error", "slow down", { kind: "rate_limit", code: "rate_limited", retryable: true }],
    [
      429,
      "rate_limit_error",
      "enforced spend limit reached",
      { kind: "budget", code: "provider_spend_limit", retryable: false },
    ],
    [500, "api_error", "oops", { kind: "agent", code: "server", retryable: true }],
    [503, "api_error", "oops", { kind: "agent", code: "server", retryable: true }],
    [504, "timeout_error", "slow", { kind: "timeout", code: "server_timeout", retryable: true }],
    [529, "overloaded_error", "busy", { kind: "agent", code: "overloaded", retryable: true }],
  ])("AI-17 AI-18 classes %i %s (%s)", (status, type, message, expected) => {
    expect(classify(apiError(status, type, message))).toMatchObject({ ...expected, status });
  });

  it("classes an error event, which has a type and no status", () => {
    expect(classify(apiError(undefined, "overloaded_error", "busy"))).toMatchObject({
      code: "overloaded",
      retryable: true,
    });
    expect(classify(apiError(undefined, "invented_error", "?"))).toMatchObject({ code: "server", retryable: true });
  });

  it("reads how long to wait", () => {
    expect(classify(apiError(429, "rate_limit_error", "slow", { "retry-after": "7" })).retryAfterMs).toBe(7_000);
    expect(classify(apiError(429, "rate_limit_error", "slow", { "retry-after-ms": "80" })).retryAfterMs).toBe(80);
    expect(classify(apiError(429, "rate_limit_error", "slow", { "retry-after": "soon" })).retryAfterMs).toBeUndefined();
  });

  it("reads a date to wait for, from the server's own clock where it tells it", () => {
    const waitFor = (headers: { readonly [name: string]: string }): number | undefined =>
      classify(apiError(429, "rate_limit_error", "slow", headers)).retryAfterMs;
    expect(waitFor({ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" })).toBe(30_000);
    expect(waitFor({ "retry-after": "Wed, 31 Dec 2025 23:00:00 GMT" })).toBe(0);
    const date = "Thu, 01 Jan 2026 06:00:00 GMT";
    expect(waitFor({ "retry-after": "Thu, 01 Jan 2026 06:00:05 GMT", date })).toBe(5_000);
  });

  it("tells a cut connection from one that never came", () => {
    const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    expect(classify(new APIConnectionError({ cause: reset }))).toMatchObject({ kind: "network", code: "reset" });
    const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });
    expect(classify(new APIConnectionError({ cause: refused }))).toMatchObject({ kind: "network", code: "connect" });
  });

  it("AI-15 gives the abort's own error", () => {
    const timeout = new AgentError({ kind: "timeout", code: "idle", message: "quiet" });
    expect(classify(new TypeError("terminated"), AbortSignal.abort(timeout))).toBe(timeout);
    expect(classify(new Error("x"), AbortSignal.abort())).toMatchObject({ kind: "cancelled" });
  });

  it("keeps the key out of messages and causes", () => {
    const error = classify(apiError(401, "authentication_error", "bad key sk-secret-key"));
    expect(error.message).toContain("<secret>");
    expect(error.cause).toBeUndefined();
    expect(String(classify(new Error("x sk-secret-key")).cause)).not.toContain("sk-secret-key");
  });
});

function apiError(
  status: number | undefined,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): APIError {
  const body = { type: "error", error: { type, message } };
  if (status === undefined) return new APIError(undefined, body, undefined, new Headers(headers), type as never);
  return APIError.generate(status, body, undefined, new Headers(headers));
}
