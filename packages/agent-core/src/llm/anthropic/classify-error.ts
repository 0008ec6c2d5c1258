// whatever the SDK threw → AgentError
import { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import type { Redactor } from "../../observability/redact.ts";
import type { AgentError } from "../../types/errors.ts";
import { toAbortError, toCallError, toConnectionError, toWireError } from "../wire-error.ts";

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

/** An aborted call gives the abort's own error. */
export function classifyError(thrown: unknown, signal: AbortSignal, redactor: Redactor): AgentError {
  if (signal.aborted) return toAbortError(signal);
  if (thrown instanceof APIConnectionError) return toConnectionError(thrown, redactor);
  if (!(thrown instanceof APIError)) return toCallError(thrown, redactor);
  return toWireError(
    {
      status: thrown.status ?? STATUS_BY_TYPE[thrown.type ?? ""],
      names: [thrown.type, thrown.errorCode],
      said: thrown.apiMessage ?? thrown.message,
      headers: thrown.headers,
    },
    redactor,
  );
}
