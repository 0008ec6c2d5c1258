// bytes ↔ files that are complete or not there
import { randomUUID } from "node:crypto";
import { open, readdir, readFile, rename, rm, stat } from "node:fs/promises";

/** Ends the name of a file that is still being written. */
export const TEMPORARY = ".tmp";

/** Survives `kill -9`: the old content or the new one, never half of it. */
export async function writeAtomically(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}${TEMPORARY}`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}

export async function readOptional(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch(absent(undefined));
}

/** Milliseconds since 1970 of the last write; undefined when there is no such file. */
export async function writtenAt(path: string): Promise<number | undefined> {
  return stat(path).then(({ mtimeMs }) => mtimeMs, absent(undefined));
}

export async function readFolder(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(absent<readonly string[]>([]));
}

function absent<T>(value: T): (thrown: NodeJS.ErrnoException) => T {
  return (thrown) => {
    if (thrown.code === "ENOENT") return value;
    throw thrown;
  };
}
