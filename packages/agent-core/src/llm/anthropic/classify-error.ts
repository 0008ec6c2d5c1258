// whatever the SDK threw → AgentError
import { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import type { Redactor } from "../../observability/redact.ts";
import { AgentError, type AgentErrorOptions, toAgentError } from "../../types/errors.ts";

type Verdict = Pick<AgentErrorOptions, "kind" | "code" | "retryable">;

const BY_STATUS: Readonly<Record<number, Verdict>> = {
  400: { kind: "invalid", code: "bad_request" },
  401: { kind: "invalid", code: "auth" },
  402: { kind: "budget", code: "provider_spend_limit" },
  403: { kind: "invalid", code: "forbidden" },
  404: { kind: "invalid", code: "unknown_model" },
  408: { kind: "timeout", code: "server_timeout", retryable: true },
  409: { kind: "agent", code: "conflict", retryable: true },
  413: { kind: "invalid", code: "request_too_large" },
  429: { kind: "rate_limit", code: "rate_limited", retryable: true },
  504: { kind: "timeout", code: "server_timeout", retryable: true },
  529: { kind: "agent", code: "overloaded", retryable: true },
};

/** An `error` event in the middle of a stream has a type and no status. */
const STATUS_BY_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  timeout_error: 504,
  api_error: 500,
  overloaded_error: 529,
};

const CONTEXT_OVERFLOW = /prompt is too long|exceeds? the context window|context_window/i;
const BINDING = /signature|prefix.*thinking|thinking.*(prefix|modified|binding)/i;
const SPEND_LIMIT = /spend.?limit/i;

/** Table 1.7.3 of errors. An aborted call gives the abort's own error. */
export function classifyError(thrown: unknown, signal: AbortSignal, redactor: Redactor): AgentError {
  if (signal.aborted) return abortError(signal);
  if (thrown instanceof AgentError) return thrown;
  if (thrown instanceof APIConnectionError) return connectionError(thrown, redactor);
  if (thrown instanceof APIError) return apiError(thrown, redactor);
  if (thrown instanceof SyntaxError) {
    return new AgentError({
      kind: "agent",
      code: "protocol",
      message: "The provider sent something that is not JSON.",
      retryable: true,
    });
  }
  // The body of a response that is cut off fails with a bare TypeError.
  if (thrown instanceof TypeError) return connectionError(thrown, redactor);
  return toAgentError(new Error(redactor.text(String(thrown))), { kind: "agent", code: "unexpected" });
}

function abortError(signal: AbortSignal): AgentError {
  return toAgentError(signal.reason, { kind: "cancelled", code: "aborted" });
}

function connectionError(thrown: Error, redactor: Redactor): AgentError {
  const cause = deepestCause(thrown);
  const isReset = /terminated|reset|socket|EPIPE/i.test(`${cause.message} ${codeOf(cause)}`);
  return new AgentError({
    kind: "network",
    code: isReset ? "reset" : "connect",
    message: redactor.text(`The provider cannot be reached: ${cause.message || codeOf(cause) || "no reason given"}.`),
    retryable: true,
  });
}

function apiError(thrown: APIError, redactor: Redactor): AgentError {
  const status = thrown.status ?? STATUS_BY_TYPE[thrown.type ?? ""];
  const said = redactor.text(thrown.apiMessage ?? thrown.message);
  const retryAfterMs = toRetryAfterMs(thrown.headers);
  return new AgentError({
    ...verdictOf(thrown, status, said),
    message: `The provider answered${status ? ` ${status}` : ""}: ${said}`,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function verdictOf(thrown: APIError, status: number | undefined, said: string): Verdict {
  if (thrown.type === "billing_error") return { kind: "budget", code: "provider_spend_limit" };
  if (status === 429 && SPEND_LIMIT.test(`${thrown.errorCode ?? ""} ${said}`)) {
    return { kind: "budget", code: "provider_spend_limit" };
  }
  if ((status === 400 || status === 413) && CONTEXT_OVERFLOW.test(said)) {
    return { kind: "agent", code: "context_overflow" };
  }
  if (status === 400 && BINDING.test(said)) return { kind: "invalid", code: "reasoning_binding" };
  const known = status === undefined ? undefined : BY_STATUS[status];
  if (known) return known;
  if (status !== undefined && status >= 400 && status < 500) return { kind: "invalid", code: "bad_request" };
  return { kind: "agent", code: "server", retryable: true };
}

function toRetryAfterMs(headers: Headers | undefined): number | undefined {
  const exact = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (exact >= 0) return exact;
  const seconds = Number.parseFloat(headers?.get("retry-after") ?? "");
  return seconds >= 0 ? seconds * 1_000 : undefined;
}

function deepestCause(error: Error): Error {
  return error.cause instanceof Error ? deepestCause(error.cause) : error;
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
