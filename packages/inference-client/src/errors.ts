/**
 * Why a request to an Inference server failed.
 * `auth` the key is missing, wrong or lacks a right · `quota` credits, a paused account or a limit of the server ·
 * `not_found` no such pipeline, workflow or model · `unsupported` this server has no such call ·
 * `invalid` the server rejects what was sent · `timeout` · `cancelled` by the caller · `network` not reachable ·
 * `busy` try again later · `server` its own fault · `protocol` an answer that no known version gives.
 */
export type ClientErrorKind =
  | "auth"
  | "quota"
  | "not_found"
  | "unsupported"
  | "invalid"
  | "timeout"
  | "cancelled"
  | "network"
  | "busy"
  | "server"
  | "protocol";

/** What a server says about one step of a workflow. */
export interface BlockProblem {
  /** Name of the step, or `$outputs`. */
  readonly step: string | null;
  readonly blockType: string | null;
  readonly property: string | null;
  readonly message: string | null;
}

export interface ClientErrorOptions {
  readonly kind: ClientErrorKind;
  readonly message: string;
  readonly status?: number;
  /** The server's own name for it, for example `WorkflowSyntaxError`. */
  readonly errorType?: string;
  readonly blocks?: readonly BlockProblem[];
  readonly helpUrl?: string;
  /** When the server wants to be asked again. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** The one error class of this package. Its message holds no key, no password and no picture. */
export class ClientError extends Error {
  readonly kind: ClientErrorKind;
  readonly status: number | undefined;
  readonly errorType: string | undefined;
  readonly blocks: readonly BlockProblem[];
  readonly helpUrl: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(options: ClientErrorOptions) {
    super(options.message, { cause: options.cause });
    this.name = "ClientError";
    this.kind = options.kind;
    this.status = options.status;
    this.errorType = options.errorType;
    this.blocks = options.blocks ?? [];
    this.helpUrl = options.helpUrl;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The usual error: its kind and one sentence for people. */
export function clientError(
  kind: ClientErrorKind,
  message: string,
  more: Omit<ClientErrorOptions, "kind" | "message"> = {},
): ClientError {
  return new ClientError({ kind, message, ...more });
}

export function isKind(error: unknown, ...kinds: readonly ClientErrorKind[]): boolean {
  return error instanceof ClientError && kinds.includes(error.kind);
}

export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
