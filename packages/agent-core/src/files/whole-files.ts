// bytes ↔ files that are complete or not there
import { randomUUID } from "node:crypto";
import { open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";

/** Ends the name of a file that is still being written. */
export const TEMPORARY = ".tmp";

/** Survives `kill -9`: the old content or the new one, never half of it. */
export async function writeAtomically(
  path: string,
  bytes: Uint8Array,
  temporary = `${path}.${randomUUID()}${TEMPORARY}`,
): Promise<void> {
  try {
    await writeFile(temporary, bytes, { mode: 0o600, flush: true });
    await rename(temporary, path);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}

/** Makes sure that new names survive the loss of power, where the system can sync a folder. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, "r");
  await handle.sync().catch((thrown: unknown) => {
    if (!hasErrorCode(thrown, "EPERM") && !hasErrorCode(thrown, "EINVAL")) throw thrown;
  });
}

export async function readOptional(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch(absent(undefined));
}

/** Milliseconds since 1970 of the last write; undefined when there is no such file. */
export async function writtenAt(path: string): Promise<number | undefined> {
  return stat(path).then(({ mtimeMs }) => mtimeMs, absent(undefined));
}

/** Empty when there is no such folder. */
export async function readFolder(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(absent<readonly string[]>([]));
}

/** For `catch`: the value in place of a file that is not there. */
export function absent<T>(value: T): (thrown: unknown) => T {
  return (thrown) => {
    if (hasErrorCode(thrown, "ENOENT")) return value;
    throw thrown;
  };
}

/** True for an error of the system with this code, such as `ENOENT`. */
export function hasErrorCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === code;
}
