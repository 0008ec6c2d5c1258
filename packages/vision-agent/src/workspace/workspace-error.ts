import { errorCode, StoreError } from "./file-port.ts";
import { reasonOf } from "./kinded-error.ts";

/** `in_use` by another process · `read_only` may not be written · `no_space` the disk is full · `not_a_folder` a file is in the way. */
export type WorkspaceErrorKind = "in_use" | "read_only" | "no_space" | "not_a_folder" | "io";

/** The workspace cannot be opened. */
export class WorkspaceError extends Error {
  readonly kind: WorkspaceErrorKind;
  /** What to do, in one sentence. */
  readonly hint: string;

  constructor(options: {
    readonly kind: WorkspaceErrorKind;
    readonly message: string;
    readonly hint: string;
    readonly cause?: unknown;
  }) {
    super(options.message, { cause: options.cause });
    this.name = "WorkspaceError";
    this.kind = options.kind;
    this.hint = options.hint;
  }
}

const ELSEWHERE = "name another one with --workspace DIR";

/** What the disk said while the workspace was opened → what a person can do about it. */
export function toWorkspaceError(thrown: unknown, folder: string): WorkspaceError {
  if (thrown instanceof WorkspaceError) return thrown;
  const kind = kindOf(thrown);
  return new WorkspaceError({ kind, ...WORDS[kind](folder, thrown), cause: thrown });
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

const WORDS: Readonly<
  Record<
    Exclude<WorkspaceErrorKind, "in_use">,
    (folder: string, thrown: unknown) => { readonly message: string; readonly hint: string }
  >
> = {
  no_space: (folder) => ({
    message: `There is no space left on the disk for the workspace ${folder}.`,
    hint: `Free some space, or ${ELSEWHERE}.`,
  }),
  read_only: (folder) => ({
    message: `The workspace ${folder} cannot be written.`,
    hint: `Make the folder writable for this user, or ${ELSEWHERE}.`,
  }),
  not_a_folder: (folder) => ({
    message: `The workspace ${folder} cannot be a folder because a file is in the way.`,
    hint: `Move that file, or ${ELSEWHERE}.`,
  }),
  io: (folder, thrown) => ({
    message: `The workspace ${folder} cannot be opened: ${reasonOf(thrown)}`,
    hint: `Check the disk, or ${ELSEWHERE}.`,
  }),
};
