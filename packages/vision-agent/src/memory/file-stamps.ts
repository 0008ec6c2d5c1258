import { readdirSync, statSync } from "node:fs";
import { errorCode } from "../workspace/file-port.ts";

/** How to tell without reading it that a file has not changed. */
export interface FileStamp {
  /** The same as long as the file is. */
  readonly mark: string;
  /** When it was last written, milliseconds since 1970. */
  readonly modifiedMs: number;
}

/** Stamps of files, as the disk gives them. */
export interface FileStamps {
  /** Names of the files of a folder that end with `.md`; empty when there is no such folder. */
  names(folder: string): readonly string[];
  /** Undefined when there is no such file. */
  stamp(path: string): FileStamp | undefined;
}

/** Not asynchronous: a year of files takes a millisecond this way and ten the other, before every search. */
export const nodeStamps: FileStamps = {
  names: (folder) => {
    try {
      return readdirSync(folder).filter((name) => name.endsWith(".md"));
    } catch (error) {
      if (errorCode(error) === "ENOENT") return [];
      throw error;
    }
  },
  stamp: (path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found?.isFile()) return undefined;
    return { mark: `${found.mtimeMs}:${found.size}:${found.ino}`, modifiedMs: found.mtimeMs };
  },
};
