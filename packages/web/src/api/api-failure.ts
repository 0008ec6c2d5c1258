import type { ApiError } from "@vision-agent/protocol";

/** `unreachable` nobody answered · `refused` the server answered with an error · `malformed` it answered with something else. */
export type ApiFailureKind = "unreachable" | "refused" | "malformed";

export interface ApiFailureOptions {
  readonly kind: ApiFailureKind;
  readonly status?: number;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  readonly kind: ApiFailureKind;
  /** HTTP status; 0 when nobody answered. */
  readonly status: number;
  /** What a person can do about it, where the server knows. */
  readonly hint: string | undefined;

  constructor(message: string, options: ApiFailureOptions) {
    super(message, { cause: options.cause });
    this.kind = options.kind;
    this.status = options.status ?? 0;
    this.hint = options.hint;
  }
}

/** The error body of a response that is not ok, as a failure with words for people. */
export async function toApiFailure(response: Response): Promise<ApiFailure> {
  const text = await response.text();
  const error = parseErrorBody(text);
  if (error === undefined) {
    return new ApiFailure(`The server answered ${response.status} without saying why.`, {
      kind: "malformed",
      status: response.status,
    });
  }
  return new ApiFailure(error.message, { kind: "refused", status: response.status, hint: error.hint });
}

function parseErrorBody(text: string): ApiError["error"] | undefined {
  try {
    const body = JSON.parse(text) as Partial<ApiError> | null;
    return typeof body?.error?.message === "string" ? body.error : undefined;
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}
