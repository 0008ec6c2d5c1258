import { modelError } from "../model-error.ts";

const DISK: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full. Make room and try again",
  EDQUOT: "the disk quota is used up. Make room and try again",
  EACCES: "it may not be written to. Change its permissions or choose another folder",
  EPERM: "it may not be written to. Change its permissions or choose another folder",
  EROFS: "it is read-only. Choose another folder",
};

/** A failure of the disk in words; everything else as it is. */
export function toStoreError(cause: unknown, folder: string): unknown {
  const why = DISK[codeOf(cause) ?? ""];
  return why === undefined ? cause : modelError(`The model folder ${folder} cannot be used: ${why}.`, cause);
}

const NETWORK: ReadonlySet<string> = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "ETIMEDOUT",
  "EPIPE",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_SOCKET",
]);

/** Whether the other side could not be reached, or the line broke. */
export function isNetworkFailure(error: unknown): boolean {
  return NETWORK.has(codeOf(error) ?? "");
}

/** The system's code of an error or of what caused it. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  return codeOf(error.cause);
}
