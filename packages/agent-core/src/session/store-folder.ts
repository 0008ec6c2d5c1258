// a folder of transcripts → its names on disk, its secret
import { randomBytes, randomUUID } from "node:crypto";
import { link, open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "./error-code.ts";

const SECRET_BYTES = 32;

/** Makes sure that new names survive the loss of power, where the system can sync a folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } catch (thrown) {
    if (!hasErrorCode(thrown, "EPERM") && !hasErrorCode(thrown, "EINVAL")) throw thrown;
  } finally {
    await handle.close();
  }
}

/** The same for all who ask, also when many ask at once for the first time. */
export async function loadSecret(folder: string): Promise<Uint8Array> {
  const path = join(folder, "pauses.secret");
  const own = `${path}.${randomUUID()}`;
  try {
    return await readFile(path);
  } catch (thrown) {
    if (!hasErrorCode(thrown, "ENOENT")) throw thrown;
  }
  await writeFile(own, randomBytes(SECRET_BYTES), { flag: "wx", mode: 0o600, flush: true });
  try {
    // A link appears whole or not at all, and never over another one.
    await link(own, path);
    await syncFolder(folder);
  } catch (thrown) {
    if (!hasErrorCode(thrown, "EEXIST")) throw thrown;
  } finally {
    await rm(own, { force: true });
  }
  return readFile(path);
}
