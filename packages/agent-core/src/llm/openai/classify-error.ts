// whatever the SDK threw → AgentError
import { APIConnectionError, APIError } from "openai";
import type { Redactor } from "../../observability/redact.ts";
import type { AgentError } from "../../types/errors.ts";
import { toAbortError, toCallError, toConnectionError, toWireError } from "../wire-error.ts";

/** An error in the middle of a stream has names and no status. */
const STATUS_BY_NAME: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  invalid_prompt: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  permission_error: 403,
  model_not_found: 404,
  not_found_error: 404,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  requests: 429,
  tokens: 429,
  server_error: 500,
  overloaded_error: 529,
};
/** Codes of pictures that the provider could not take. */
const IMAGE_CODE = /image/;

/** An aborted call gives the abort's own error. */
export function classifyOpenAIError(thrown: unknown, signal: AbortSignal, redactor: Redactor): AgentError {
  if (signal.aborted) return toAbortError(signal);
  if (thrown instanceof APIConnectionError) return toConnectionError(thrown, redactor);
  if (!(thrown instanceof APIError)) return toCallError(thrown, redactor);
  const { code, type } = thrown;
  return toWireError(
    {
      status: thrown.status ?? statusOf(code) ?? statusOf(type),
      names: [type, code === null || code === undefined ? undefined : String(code)],
      said: saidBy(thrown),
      headers: thrown.headers,
    },
    redactor,
  );
}

/** Gateways in front of other servers send a bare status as the code. */
function statusOf(name: unknown): number | undefined {
  const status = Number(name);
  if (Number.isInteger(status) && status >= 400 && status < 600) return status;
  if (typeof name !== "string") return undefined;
  return STATUS_BY_NAME[name] ?? (IMAGE_CODE.test(name) ? 400 : undefined);
}

/** The SDK puts the status before the words, and JSON where it finds no words. */
function saidBy(thrown: APIError): string {
  const body: unknown = thrown.error;
  if (typeof body === "object" && body !== null && "message" in body && typeof body.message === "string") {
    return body.message;
  }
  return thrown.message;
}
