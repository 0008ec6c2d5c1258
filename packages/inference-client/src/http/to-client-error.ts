// a refusing answer → ClientError
import { ClientError, type ClientErrorKind } from "../errors.ts";
import { type ErrorBody, parseErrorBody } from "../wire/error-body.ts";

export interface RefusedAnswer {
  readonly status: number;
  readonly body: string;
  readonly hasRetryAfter: boolean;
}

/** `what` names the call, for example `POST /infer/object_detection`. */
export function toClientError(answer: RefusedAnswer, what: string, secrets: readonly string[]): ClientError {
  const body = parseErrorBody(answer.body, answer.status, secrets);
  return new ClientError({
    kind: kindOf(answer, body),
    message: `${what}: ${body.message}`,
    status: answer.status,
    errorType: body.errorType,
    blocks: body.blocks,
    helpUrl: body.helpUrl,
  });
}

function kindOf({ status, hasRetryAfter }: RefusedAnswer, body: ErrorBody): ClientErrorKind {
  switch (status) {
    case 401:
    case 403:
      return "auth";
    case 400:
      return body.message.includes("API key is missing") ? "auth" : "invalid";
    case 402:
    case 423:
    case 507:
      return "quota";
    case 404:
      return body.isMissingRoute ? "unsupported" : "not_found";
    case 405:
    case 410:
    case 501:
      return "unsupported";
    case 429:
      return "busy";
    case 503:
      return hasRetryAfter ? "busy" : "server";
    default:
      return statusClass(status);
  }
}

function statusClass(status: number): ClientErrorKind {
  if (status >= 500) return "server";
  return status >= 400 ? "invalid" : "protocol";
}
