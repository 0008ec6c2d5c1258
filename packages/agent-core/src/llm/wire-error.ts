// what a provider answered → AgentError: the one table for all of them
import type { Redactor } from "../observability/redact.ts";
import { AgentError, type AgentErrorOptions, agentError, toAgentError } from "../types/errors.ts";

type Verdict = Pick<AgentErrorOptions, "kind" | "code" | "retryable">;

/** An error that a provider sent, in an HTTP answer or in the middle of a stream. */
export interface ProviderError {
  /** Absent in a stream, unless its type or code stands for one. */
  readonly status: number | undefined;
  /** All names the provider gave it, e.g. `insufficient_quota`. */
  readonly names: readonly (string | null | undefined)[];
  readonly said: string;
  readonly headers: Headers | undefined;
}

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

const SPEND_LIMIT = /spend.?limit|billing|insufficient_quota|credit balance/i;
const CONTEXT_OVERFLOW = /prompt is too long|context.?window|context_length|maximum context length/i;
const BINDING =
  /signature|prefix.*thinking|thinking.*(prefix|modified|binding)|encrypted.content|'reasoning' was provided|not persisted/i;
const TOO_MANY_IMAGES = /too many images|image.{0,40}(exceed|too large|maximum)/i;
/** Nobody needs more of a provider's words, and a quoted body may be long. */
const SAID_LENGTH = 500;

/** Table 1.7.3 of errors. */
export function toWireError(error: ProviderError, redactor: Redactor): AgentError {
  const { status } = error;
  const said = redactor.text(error.said).slice(0, SAID_LENGTH);
  const verdict = verdictOf(error);
  const retryAfterMs = toRetryAfterMs(error.headers);
  return new AgentError({
    ...verdict,
    // The provider's own word on it wins, where it says no.
    retryable: verdict.retryable === true && error.headers?.get("x-should-retry") !== "false",
    message: `The provider answered${status ? ` ${status}` : ""}: ${said}`,
    status,
    retryAfterMs,
  });
}

/** A connection that never came, or was cut. */
export function toConnectionError(thrown: Error, redactor: Redactor): AgentError {
  const cause = deepestCause(thrown);
  const isReset = /terminated|reset|socket|EPIPE/i.test(`${cause.message} ${codeOf(cause)}`);
  return agentError(
    "network",
    isReset ? "reset" : "connect",
    redactor.text(`The provider cannot be reached: ${cause.message || codeOf(cause) || "no reason given"}.`),
    { retryable: true },
  );
}

/** What remains when it was no answer of the provider. An aborted call gives the abort's own error. */
export function toCallError(thrown: unknown, redactor: Redactor): AgentError {
  if (thrown instanceof AgentError) return thrown;
  if (thrown instanceof SyntaxError) {
    return agentError("agent", "protocol", "The provider sent something that is not JSON.", { retryable: true });
  }
  // The body of a response that is cut off fails with a bare TypeError.
  if (thrown instanceof TypeError) return toConnectionError(thrown, redactor);
  return toAgentError(new Error(redactor.text(String(thrown))), { kind: "agent", code: "unexpected" });
}

/** The reason of an abort as an error with a kind. */
export function toAbortError(signal: AbortSignal): AgentError {
  return toAgentError(signal.reason, { kind: "cancelled", code: "aborted" });
}

/** The connection was closed in good order, before the answer was complete. */
export function truncatedStream(): AgentError {
  return agentError(
    "network",
    "truncated_stream",
    "The provider closed the connection before the answer was complete.",
    { retryable: true },
  );
}

/** AI-8: a value that no table knows is an error, never silence. */
export function unknownStopReason(value: string): AgentError {
  return agentError(
    "agent",
    "unknown_stop_reason",
    `The model stopped for a reason that is not known here: "${value}".`,
  );
}

function verdictOf({ status, names, said }: ProviderError): Verdict {
  const words = `${names.filter((name) => name).join(" ")} ${said}`;
  const isClientError = status === undefined || status === 400 || status === 413;
  if (status !== 401 && status !== 403 && SPEND_LIMIT.test(words) && (status ?? 429) < 500) {
    return { kind: "budget", code: "provider_spend_limit" };
  }
  if (isClientError && CONTEXT_OVERFLOW.test(words)) return { kind: "agent", code: "context_overflow" };
  if (status === 400 && TOO_MANY_IMAGES.test(words)) return { kind: "invalid", code: "request_too_large" };
  if (status === 400 && BINDING.test(words)) return { kind: "invalid", code: "reasoning_binding" };
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
