// anything thrown → a status and the one error body of the API
import type { ApiError } from "@vision-agent/protocol";
import { AccountError } from "../../access/accounts.ts";
import { AdmissionError } from "../../access/admission.ts";
import { LimitError } from "../../agent/spending-limits.ts";
import { BackendError, type BackendErrorKind } from "../../backends/backend.ts";
import { ConversationError, type ConversationErrorKind } from "../../sessions/conversations.ts";
import { PauseError } from "../../sessions/pauses.ts";
import { SkillError } from "../../skills/parse-skill.ts";
import { DestinationError } from "../../store/destination-store.ts";
import { EventIndexError } from "../../store/event-index-file.ts";
import { ForgetError } from "../../store/forget.ts";
import { PartialFailure } from "../../tools/graded-tool.ts";
import { UndoError } from "../../tools/undo/undo-journal.ts";
import { formatProblems } from "../../tools/workflow-argument.ts";
import { WatchError } from "../../watches/watch-error.ts";
import { CameraStoreError } from "../../workspace/camera-store.ts";
import { CredentialError } from "../../workspace/credential-store.ts";
import { toStoreError } from "../../workspace/file-port.ts";
import { PlaceError } from "../../workspace/place-store.ts";

/** What a route throws to answer with an error. */
export class HttpProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  /** For `Retry-After`, of a 429. */
  readonly retryAfterSeconds: number;

  constructor(status: number, code: string, message: string, hint?: string, retryAfterSeconds = 10) {
    super(message);
    this.name = "HttpProblem";
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function notFound(message: string, hint?: string): HttpProblem {
  return new HttpProblem(404, "not_found", message, hint);
}

export function tooMany(waitMs: number, message: string): HttpProblem {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new HttpProblem(429, "too_many_requests", message, `Try again in ${seconds} seconds.`, seconds);
}

const BACKEND_STATUS: Readonly<Record<BackendErrorKind, number>> = {
  invalid_workflow: 422,
  source: 424,
  model: 424,
  not_found: 404,
  unavailable: 424,
  cancelled: 503,
  internal: 500,
};
const CONVERSATION: Readonly<Record<ConversationErrorKind, { readonly status: number; readonly hint: string }>> = {
  not_found: { status: 404, hint: "POST /api/sessions makes one." },
  busy: { status: 409, hint: "Steer or cancel the run, or wait for its end." },
  unknown_image: { status: 400, hint: "POST /api/artifacts takes the bytes and answers with an id." },
};
const UNDO_STATUS = { nothing: 404, changed: 409, blocked: 409 } as const;
const KIND_STATUS = { not_found: 404, invalid: 422, taken: 409, unfit: 422 } as const;

/** What the framework itself refuses, by its code. */
const REFUSALS: Readonly<Record<string, { readonly code: string; readonly message: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: "too_large", message: "The body is too large." },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: "unsupported_media_type", message: "This content type is not taken here." },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: "invalid_body", message: "The body is empty; JSON was expected." },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: "invalid_body", message: "The body is not valid JSON." },
  FST_ERR_BAD_URL: { code: "invalid_request", message: "The address holds a % that is no valid escape." },
  FST_ERR_MAX_PARAM_LENGTH: { code: "invalid_request", message: "A name in the address is too long." },
  FST_REQ_FILE_TOO_LARGE: { code: "too_large", message: "The file is too large: 20 MB is the limit." },
};

export function toHttpProblem(thrown: unknown): HttpProblem {
  if (thrown instanceof HttpProblem) return thrown;
  if (thrown instanceof PartialFailure) return toHttpProblem(thrown.cause);
  if (thrown instanceof UndoError) return new HttpProblem(UNDO_STATUS[thrown.kind], thrown.kind, thrown.message);
  if (thrown instanceof ConversationError) {
    const { status, hint } = CONVERSATION[thrown.kind];
    return new HttpProblem(status, thrown.kind, thrown.message, hint);
  }
  if (
    thrown instanceof AccountError ||
    thrown instanceof PauseError ||
    thrown instanceof ForgetError ||
    thrown instanceof WatchError ||
    thrown instanceof LimitError ||
    thrown instanceof CameraStoreError ||
    thrown instanceof PlaceError
  ) {
    return new HttpProblem(KIND_STATUS[thrown.kind], thrown.kind, thrown.message);
  }
  if (thrown instanceof DestinationError) return new HttpProblem(404, thrown.kind, thrown.message);
  if (thrown instanceof EventIndexError) return new HttpProblem(503, thrown.kind, thrown.message);
  if (thrown instanceof AdmissionError) return new HttpProblem(429, thrown.kind, thrown.message);
  if (thrown instanceof SkillError || thrown instanceof CredentialError) {
    return new HttpProblem(422, "invalid", thrown.message);
  }
  if (thrown instanceof BackendError && thrown.kind !== "internal") {
    const hint = thrown.problems.length > 0 ? formatProblems(thrown.problems) : undefined;
    return new HttpProblem(BACKEND_STATUS[thrown.kind], thrown.kind, thrown.message, hint);
  }
  const { kind, message } = toStoreError(thrown, "the workspace");
  if (kind === "no_space") return new HttpProblem(507, kind, message);
  return fromFramework(thrown) ?? new HttpProblem(500, "internal", INTERNAL);
}

const INTERNAL = "Something went wrong inside; the log says what.";
/** What is sent when nothing else can be sent safely. */
export const LAST_RESORT = JSON.stringify(toErrorBody(new HttpProblem(500, "internal", INTERNAL)));

export function toErrorBody({ code, message, hint }: HttpProblem): ApiError {
  return { error: { code, message, hint } };
}

function fromFramework(thrown: unknown): HttpProblem | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { statusCode, code } = thrown as { statusCode?: unknown; code?: unknown };
  if ("validation" in thrown) return new HttpProblem(400, "invalid_request", thrown.message);
  if (typeof statusCode !== "number" || statusCode < 400 || statusCode > 499) return undefined;
  const refusal = typeof code === "string" ? REFUSALS[code] : undefined;
  return new HttpProblem(
    statusCode,
    refusal?.code ?? "invalid_request",
    refusal?.message ?? "The request was refused.",
  );
}
