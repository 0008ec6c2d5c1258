import { readdir, readFile } from "node:fs/promises";
import { errorCode, toStoreError } from "../workspace/file-port.ts";
import type { SkillFiles } from "./skill-store.ts";

const ABSENT: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"]);

/** The disk. Rejects with `StoreError`. */
export const nodeSkillFiles: SkillFiles = {
  async folders(path) {
    try {
      const entries = await readdir(path, { withFileTypes: true });
      return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
    } catch (thrown) {
      if (ABSENT.has(errorCode(thrown))) return [];
      throw toStoreError(thrown, path);
    }
  },
  async readText(path) {
    try {
      return await readFile(path, "utf8");
    } catch (thrown) {
      if (ABSENT.has(errorCode(thrown))) return undefined;
      throw toStoreError(thrown, path);
    }
  },
};
