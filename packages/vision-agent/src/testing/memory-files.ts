import { dirname, join } from "node:path";
import { type FilePort, toStoreError } from "../workspace/file-port.ts";

export interface MemoryFiles extends FilePort {
  /** Path → text, to look at and to prepare. */
  readonly contents: Map<string, string>;
  /** While set, writing operations on matching paths fail with this code, such as `ENOSPC`. */
  fault: { readonly code: string; readonly on?: RegExp } | undefined;
}

/** A disk that forgets, for tests; it can be made to fail. */
export function createMemoryFiles(initial: Readonly<Record<string, string>> = {}): MemoryFiles {
  const contents = new Map(Object.entries(initial));
  const files: MemoryFiles = {
    contents,
    fault: undefined,
    readText: async (path) => contents.get(path),
    writeAtomic: async (path, text) => {
      failIfAsked(files, path);
      contents.set(path, text);
    },
    append: async (path, text) => {
      failIfAsked(files, path);
      contents.set(path, (contents.get(path) ?? "") + text);
    },
    createNew: async (path, text) => {
      failIfAsked(files, path);
      if (contents.has(path)) return false;
      contents.set(path, text);
      return true;
    },
    makeFolder: async (path) => failIfAsked(files, path),
    list: async (folder) =>
      [...contents.keys()]
        .filter((path) => dirname(path) === join(folder))
        .sort()
        .map((path) => ({ name: path.slice(join(folder).length + 1), bytes: contents.get(path)?.length ?? 0 })),
    folders: async (path) => {
      const inside = [...contents.keys()].filter((one) => one.startsWith(`${join(path)}/`));
      const names = inside.map((one) => /^([^/]+)\//.exec(one.slice(join(path).length + 1))?.[1]);
      return [...new Set(names.filter((name) => name !== undefined))];
    },
    rename: async (from, to) => {
      failIfAsked(files, from);
      const text = contents.get(from);
      if (text === undefined) return false;
      contents.delete(from);
      contents.set(to, text);
      return true;
    },
    remove: async (path) => {
      failIfAsked(files, path);
      return contents.delete(path);
    },
  };
  return files;
}

function failIfAsked({ fault }: MemoryFiles, path: string): void {
  if (fault === undefined || fault.on?.test(path) === false) return;
  throw toStoreError(Object.assign(new Error(fault.code), { code: fault.code }), path);
}
