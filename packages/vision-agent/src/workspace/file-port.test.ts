import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createMemoryFiles } from "../testing/memory-files.ts";
import { type FilePort, StoreError, toStoreError } from "./file-port.ts";
import { nodeFiles } from "./node-files.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

describe.each([
  ["on disk", async () => ({ files: nodeFiles, folder: await temporaryFolder() })],
  ["in memory", async () => ({ files: createMemoryFiles() as FilePort, folder: "/w" })],
])("a file port %s", (_, open) => {
  it("reads back what was written, and nothing where nothing is", async () => {
    const { files, folder } = await open();
    await files.writeAtomic(join(folder, "a.txt"), "one");
    await files.writeAtomic(join(folder, "a.txt"), "two");
    expect(await files.readText(join(folder, "a.txt"))).toBe("two");
    expect(await files.readText(join(folder, "b.txt"))).toBeUndefined();
  });

  it("adds at the end", async () => {
    const { files, folder } = await open();
    await files.append(join(folder, "log"), "one\n");
    await files.append(join(folder, "log"), "two\n");
    expect(await files.readText(join(folder, "log"))).toBe("one\ntwo\n");
  });

  it("creates a file for one caller only", async () => {
    const { files, folder } = await open();
    const path = join(folder, "lock");
    const won = await Promise.all(["a", "b", "c"].map((text) => files.createNew(path, text)));
    expect(won.filter(Boolean)).toHaveLength(1);
  });

  it("lists files with their size, and nothing for a folder that is not there", async () => {
    const { files, folder } = await open();
    await files.writeAtomic(join(folder, "b"), "12");
    await files.writeAtomic(join(folder, "a"), "1");
    expect(await files.list(folder)).toEqual([
      { name: "a", bytes: 1 },
      { name: "b", bytes: 2 },
    ]);
    expect(await files.list(join(folder, "none"))).toEqual([]);
  });

  it("renames and removes, and says when there was nothing", async () => {
    const { files, folder } = await open();
    await files.writeAtomic(join(folder, "a"), "1");
    expect(await files.rename(join(folder, "a"), join(folder, "b"))).toBe(true);
    expect(await files.rename(join(folder, "a"), join(folder, "b"))).toBe(false);
    expect(await files.remove(join(folder, "b"))).toBe(true);
    expect(await files.remove(join(folder, "b"))).toBe(false);
  });
});

describe("nodeFiles", () => {
  it("leaves no temporary file behind, whether it wins or fails", async () => {
    const folder = await temporaryFolder();
    await nodeFiles.writeAtomic(join(folder, "a"), "1");
    await nodeFiles.createNew(join(folder, "a"), "2");
    await nodeFiles.makeFolder(join(folder, "taken"));
    await expect(nodeFiles.writeAtomic(join(folder, "taken"), "1")).rejects.toThrow(StoreError);
    expect(await readdir(folder)).toEqual(["a", "taken"]);
  });

  it("keeps what it writes to its owner", async () => {
    const folder = join(await temporaryFolder(), "inner");
    await nodeFiles.makeFolder(folder);
    await nodeFiles.writeAtomic(join(folder, "a"), "1");
    expect((await stat(folder)).mode & 0o077).toBe(0);
    expect((await stat(join(folder, "a"))).mode & 0o077).toBe(0);
  });

  it("says so when a folder is asked of a file", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "file"), "");
    const failure = nodeFiles.writeAtomic(join(folder, "file", "x"), "1");
    await expect(failure).rejects.toMatchObject({ name: "StoreError", kind: "io" });
  });
});

describe("toStoreError", () => {
  it.each([
    ["ENOSPC", "no_space"],
    ["EDQUOT", "no_space"],
    ["EROFS", "read_only"],
    ["EACCES", "denied"],
    ["EPERM", "denied"],
    ["EIO", "io"],
  ])("calls %s %s, names the path and keeps the cause", (code, kind) => {
    const cause = Object.assign(new Error("raw"), { code });
    const error = toStoreError(cause, "/w/a");
    expect(error).toMatchObject({ kind, cause });
    expect(error.message).toContain("/w/a");
    expect(toStoreError(error, "/elsewhere")).toBe(error);
  });
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "file-port-"));
  folders.push(folder);
  return folder;
}
