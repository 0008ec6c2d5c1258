import { KindedError } from "./kinded-error.ts";

/** `no_space` the disk is full · `read_only` and `denied` it may not be written · `io` anything else. */
export type StoreErrorKind = "no_space" | "read_only" | "denied" | "io";

/** A file could not be read or written. */
export class StoreError extends KindedError<StoreErrorKind> {}

export interface FileEntry {
  readonly name: string;
  readonly bytes: number;
}

/** The disk, as far as the application needs it. Paths are absolute. Everything rejects with `StoreError`. */
export interface FilePort {
  /** Undefined when there is no such file. */
  readText(path: string): Promise<string | undefined>;
  /** After it resolves the new content survives a power cut; until then the old one does. */
  writeAtomic(path: string, text: string): Promise<void>;
  /** Adds at the end and waits until the disk has it. What a failed append left behind is cut off again where possible. */
  append(path: string, text: string): Promise<void>;
  /** False when the path is taken. Never overwrites, and the file is never seen half written. */
  createNew(path: string, text: string): Promise<boolean>;
  /** With the folders above it. No error when it exists. */
  makeFolder(path: string): Promise<void>;
  /** Files of a folder by name, folders left out; empty when there is no such folder. */
  list(folder: string): Promise<readonly FileEntry[]>;
  /** Names of the folders in a folder, hidden ones left out; empty when there is no such folder. */
  folders(path: string): Promise<readonly string[]>;
  /** False when `from` does not exist. Replaces `to`. */
  rename(from: string, to: string): Promise<boolean>;
  /** False when there was nothing to remove. */
  remove(path: string): Promise<boolean>;
}

const KINDS: Readonly<Record<string, StoreErrorKind>> = {
  ENOSPC: "no_space",
  EDQUOT: "no_space",
  EROFS: "read_only",
  EACCES: "denied",
  EPERM: "denied",
};

/** What the system said → a plain sentence with a kind. What already has a kind passes through. */
export function toStoreError(thrown: unknown, path: string): StoreError {
  if (thrown instanceof StoreError) return thrown;
  const code = errorCode(thrown) ?? "unknown";
  const kind = KINDS[code] ?? "io";
  const message = {
    no_space: `There is no space left on the disk to write ${path}; free some space.`,
    read_only: `${path} lies on a disk that is mounted read-only; choose another folder or mount it writable.`,
    denied: `This user may not read or write ${path}; change its permissions or choose another folder.`,
    io: `${path} cannot be read or written (${code}); check the disk.`,
  }[kind];
  return new StoreError(kind, message, thrown);
}

/** The system's word for what went wrong, such as `ENOENT`. */
export function errorCode(thrown: unknown): string | undefined {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" ? code : undefined;
}
