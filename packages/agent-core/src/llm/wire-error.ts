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
  403: { kind: "invalid", code: "provider_forbidden" },
  404: { kind: "invalid", code: "not_found" },
  408: { kind: "timeout", code: "server_timeout", retryable: true },
  409: { kind: "agent", code: "conflict", retryable: true },
  413: { kind: "invalid", code: "request_too_large" },
  429: { kind: "rate_limit", code: "rate_limited", retryable: true },
  504: { kind: "timeout", code: "server_timeout", retryable: true },
  529: { kind: "agent", code: "overloaded", retryable: true },
};

/** What to do, where the provider's words do not say it. */
const ADVICE: { readonly [code: string]: string } = { not_found: " Nothing is at this address: check `baseURL`." };

const SPEND_LIMIT = /spend.?limit|billing|insufficient_quota|credit balance/i;
const CONTEXT_OVERFLOW = /prompt is too long|context.?window|context_length|maximum context length/i;
const BINDING =
  /signature|prefix.*thinking|thinking.*(prefix|modified|binding)|encrypted.content|'reasoning' was provided|not persisted/i;
const TOO_MANY_IMAGES = /too many images|image.{0,40}(exceed|too large|maximum)/i;
/** Nobody needs more of a provider's words, and a quoted body may be long. */
const SAID_LENGTH = 500;

/** What a call's errors are made with. */
export interface ErrorContext {
  readonly redactor: Redactor;
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: number;
}

/** Table 1.7.3 of errors. */
export function toWireError(error: ProviderError, { redactor, nowMs }: ErrorContext): AgentError {
  const { status } = error;
  const said = redactor.text(error.said).slice(0, SAID_LENGTH);
  const verdict = verdictOf(error);
  const retryAfterMs = toRetryAfterMs(error.headers, nowMs);
  return new AgentError({
    ...verdict,
    // The provider's own word on it wins, where it says no.
    retryable: verdict.retryable === true && error.headers?.get("x-should-retry") !== "false",
    message: `The provider answered${status ? ` ${status}` : ""}: ${said}${ADVICE[verdict.code] ?? ""}`,
    status,
    retryAfterMs,
  });
}

/** Gateways send a bare status as the code of an error. */
export function toStatus(code: unknown): number | undefined {
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined;
}

/** A connection that never came, or was cut. The SDKs wrap whatever their `fetch` threw: an error with a kind comes out again. */
export function toConnectionError(thrown: Error, { redactor }: Pick<ErrorContext, "redactor">): AgentError {
  const known = causesOf(thrown).find((cause) => cause instanceof AgentError);
  if (known) return known;
  const cause = causesOf(thrown).at(-1) ?? thrown;
  const isReset = /terminated|reset|socket|EPIPE/i.test(`${cause.message} ${codeOf(cause)}`);
  return agentError(
    "network",
    isReset ? "reset" : "connect",
    redactor.text(`The provider cannot be reached: ${cause.message || codeOf(cause) || "no reason given"}.`),
    { retryable: true },
  );
}

/** What remains when it was no answer of the provider: a fault of the program around it, which another attempt does not mend. */
export function toCallError(thrown: unknown, { redactor }: Pick<ErrorContext, "redactor">): AgentError {
  if (thrown instanceof AgentError) return thrown;
  return toAgentError(new Error(redactor.text(String(thrown))), { kind: "agent", code: "unexpected" });
}

/** The server does not keep to its own protocol. Says how, and quotes nothing. */
export function protocolError(what: string): AgentError {
  return agentError("agent", "protocol", `The provider's answer is malformed: ${what}.`);
}

/** What reading an event threw, where it is neither the connection's nor told by the provider: only a wrong answer is left. */
export function toReadError(thrown: unknown): unknown {
  const isTold = thrown instanceof AgentError || (thrown instanceof Error && "status" in thrown);
  if (isTold) return thrown;
  return protocolError(thrown instanceof SyntaxError ? "an event is not JSON" : "an event lacks what it should have");
}

/** The words of `fetch` for a connection that failed, in the runtimes that have it. */
const FETCH_WORDS = /fetch failed|failed to fetch|load failed|terminated|network|socket|connection/i;

/** What `fetch` threw. One that was handed in may itself be wrong: that is no failed connection. */
export function toFetchError(thrown: unknown, context: Pick<ErrorContext, "redactor">): AgentError {
  const isWrong =
    !(thrown instanceof Error) ||
    thrown instanceof ReferenceError ||
    thrown instanceof RangeError ||
    thrown instanceof SyntaxError ||
    (thrown instanceof TypeError && thrown.cause === undefined && !FETCH_WORDS.test(thrown.message));
  return isWrong ? toCallError(thrown, context) : toConnectionError(thrown, context);
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
  if (status === 404 && /model/i.test(words)) return { kind: "invalid", code: "unknown_model" };
  const known = status === undefined ? undefined : BY_STATUS[status];
  if (known) return known;
  if (status !== undefined && status >= 400 && status < 500) return { kind: "invalid", code: "bad_request" };
  return { kind: "agent", code: "server", retryable: true };
}

const NUMBER = /^\s*\d+(\.\d+)?\s*$/;

/** Milliseconds, seconds, or a date, which counts from the server's own clock where it tells it. */
function toRetryAfterMs(headers: Headers | undefined, nowMs: number): number | undefined {
  const exact = headers?.get("retry-after-ms") ?? "";
  if (NUMBER.test(exact)) return Number(exact);
  const after = headers?.get("retry-after") ?? "";
  if (NUMBER.test(after)) return Number(after) * 1_000;
  const dueMs = Date.parse(after);
  if (Number.isNaN(dueMs)) return undefined;
  const serverMs = Date.parse(headers?.get("date") ?? "");
  return Math.max(0, dueMs - (Number.isNaN(serverMs) ? nowMs : serverMs));
}

/** The error itself first, the deepest last. */
function causesOf(error: Error): readonly Error[] {
  return error.cause instanceof Error ? [error, ...causesOf(error.cause)] : [error];
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
