import { open } from "node:fs/promises";

/** Undefined when there is no such file. Throws a sentence when it is too large or may not be read. */
export async function readPictureFile(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR" || error.code === "ENAMETOOLONG") return undefined;
    throw new Error(`${path} cannot be read (${error.code}).`, { cause: error });
  });
  if (file === undefined) return undefined;
  try {
    const entry = await file.stat();
    if (!entry.isFile()) throw new Error(`${path} is no file.`);
    if (entry.size > maxBytes) throw new Error(`${path} is larger than ${Math.floor(maxBytes / 1e6)} MB.`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
