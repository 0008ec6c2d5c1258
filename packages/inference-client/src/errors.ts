/**
 * Why a request to an Inference server failed.
 * `auth` the key was refused · `not_found` · `invalid` the server rejects what was sent · `timeout` · `network` not reachable ·
 * `busy` try again later · `server` its own fault · `protocol` an answer that no known version gives.
 */
export type ClientErrorKind = "auth" | "not_found" | "invalid" | "timeout" | "network" | "busy" | "server" | "protocol";

/** The one error class of this package. */
export class ClientError extends Error {
  readonly kind: ClientErrorKind;
  readonly status: number | undefined;

  constructor(options: { kind: ClientErrorKind; message: string; status?: number; cause?: unknown }) {
    super(options.message, { cause: options.cause });
    this.name = "ClientError";
    this.kind = options.kind;
    this.status = options.status;
  }
}
