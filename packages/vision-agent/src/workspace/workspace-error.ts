import { errorCode, StoreError } from "./file-port.ts";
import { KindedError, reasonOf } from "./kinded-error.ts";

/** `in_use` by another process · `read_only` may not be written · `no_space` the disk is full · `not_a_folder` a file is in the way. */
export type WorkspaceErrorKind = "in_use" | "read_only" | "no_space" | "not_a_folder" | "io";

/** The workspace cannot be opened. */
export class WorkspaceError extends KindedError<WorkspaceErrorKind> {
  /** What to do, in one sentence. */
  readonly hint: string;

  constructor(kind: WorkspaceErrorKind, words: { readonly message: string; readonly hint: string }, cause?: unknown) {
    super(kind, words.message, cause);
    this.hint = words.hint;
  }
}

/** What the disk said while the workspace was opened → what a person can do about it. */
export function toWorkspaceError(thrown: unknown, folder: string): WorkspaceError {
  if (thrown instanceof WorkspaceError) return thrown;
  const kind = kindOf(thrown);
  const [message, first] = {
    no_space: [`There is no space left on the disk for the workspace ${folder}.`, "Free some space"],
    read_only: [`The workspace ${folder} cannot be written.`, "Make the folder writable for this user"],
    not_a_folder: [`The workspace ${folder} cannot be a folder because a file is in the way.`, "Move that file"],
    io: [`The workspace ${folder} cannot be opened: ${reasonOf(thrown)}`, "Check the disk"],
  }[kind] as [string, string];
  return new WorkspaceError(kind, { message, hint: `${first}, or name another one with --workspace DIR.` }, thrown);
}

function kindOf(thrown: unknown): Exclude<WorkspaceErrorKind, "in_use"> {
  if (!(thrown instanceof StoreError)) return "io";
  if (thrown.kind === "no_space") return "no_space";
  if (thrown.kind === "read_only" || thrown.kind === "denied") return "read_only";
  const code = errorCode(thrown.cause);
  // The folder above is there and takes no folders, as in /proc.
  if (code === "ENOENT") return "read_only";
  return code === "ENOTDIR" || code === "EEXIST" ? "not_a_folder" : "io";
}
