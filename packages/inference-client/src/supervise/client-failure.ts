import { ClientError, type ClientErrorKind } from "../errors.ts";

export function isKind(error: unknown, ...kinds: readonly ClientErrorKind[]): boolean {
  return error instanceof ClientError && kinds.includes(error.kind);
}

export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What is no `ClientError` came from a callback of the caller. */
export function toClientError(error: unknown): ClientError {
  if (error instanceof ClientError) return error;
  return new ClientError({ kind: "invalid", message: sentenceOf(error), cause: error });
}
