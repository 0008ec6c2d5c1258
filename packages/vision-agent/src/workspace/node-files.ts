import { randomBytes } from "node:crypto";
import { type FileHandle, link, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, type FileEntry, type FilePort, toStoreError } from "./file-port.ts";

// The workspace holds camera passwords: only its owner reads it.
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
// What file systems without hard links (memory sticks, some network shares) answer to link().
const WITHOUT_LINKS: readonly string[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/** The real disk. */
export const nodeFiles: FilePort = {
  readText: (path) => guard(path, () => absentAs(undefined, () => readFile(path, "utf8"))),
  writeAtomic: (path, text) => guard(path, () => writeAtomic(path, text)),
  append: (path, text) => guard(path, () => append(path, text)),
  createNew: (path, text) => guard(path, () => createNew(path, text)),
  makeFolder: (path) => guard(path, () => makeFolder(path)),
  list: (folder) => guard(folder, () => absentAs([], () => listFiles(folder))),
  folders: (path) => guard(path, () => absentAs([], () => listFolders(path))),
  rename: (from, to) =>
    guard(from, () =>
      absentAs(false, async () => {
        await rename(from, to);
        await syncFolder(dirname(to));
        return true;
      }),
    ),
  remove: (path) =>
    guard(path, () =>
      absentAs(false, async () => {
        await rm(path);
        return true;
      }),
    ),
};

/** Not `recursive`: where no folder can ever be made, as in /proc, that never comes back. */
async function makeFolder(path: string): Promise<void> {
  const attempt = await mkdir(path, FOLDER_MODE).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (attempt === undefined) return;
  const [code, parent] = [errorCode(attempt), dirname(path)];
  if (code === "EEXIST" && (await isFolder(path))) return;
  if (code !== "ENOENT" || parent === path || (await isFolder(parent))) throw attempt;
  await makeFolder(parent);
  await makeFolder(path);
}

async function isFolder(path: string): Promise<boolean> {
  return (await absentAs(undefined, () => stat(path)))?.isDirectory() === true;
}

async function writeAtomic(path: string, text: string): Promise<void> {
  const temporary = await writeTemporary(path, text);
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

async function createNew(path: string, text: string): Promise<boolean> {
  const temporary = await writeTemporary(path, text);
  try {
    await link(temporary, path);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!WITHOUT_LINKS.includes(errorCode(error) ?? "")) throw error;
    return createInPlace(path, text);
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(dirname(path));
  return true;
}

async function createInPlace(path: string, text: string): Promise<boolean> {
  try {
    await using file = await open(path, "wx", FILE_MODE);
    await file.writeFile(text);
    await file.sync();
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

async function writeTemporary(path: string, text: string): Promise<string> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await using file = await open(temporary, "wx", FILE_MODE);
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return temporary;
}

async function append(path: string, text: string): Promise<void> {
  await using file = await open(path, "a", FILE_MODE);
  const { size } = await file.stat();
  try {
    await file.writeFile(text);
    await file.datasync();
  } catch (error) {
    await cutBack(file, size);
    throw error;
  }
  // A new file is safe only once its folder knows of it.
  if (size === 0) await syncFolder(dirname(path));
}

async function cutBack(file: FileHandle, size: number): Promise<void> {
  // Readers skip a torn line, so that a second failure here loses nothing.
  await file.truncate(size).catch(() => undefined);
}

async function listFiles(folder: string): Promise<readonly FileEntry[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  return Promise.all(files.sort().map(async (name) => ({ name, bytes: (await stat(join(folder, name))).size })));
}

async function listFolders(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder; its rename is durable by itself.
  if (process.platform === "win32") return;
  await using handle = await open(folder, "r");
  await handle.sync();
}

async function absentAs<T, A>(absent: A, work: () => Promise<T>): Promise<T | A> {
  try {
    return await work();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return absent;
    throw error;
  }
}

async function guard<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toStoreError(error, path);
  }
}
