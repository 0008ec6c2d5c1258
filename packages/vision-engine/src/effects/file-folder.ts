// text of a sink → file below an allowed folder
import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { appendFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { FilePlace } from "../blocks/effects.ts";
import { inputError } from "../errors.ts";

/** Writes below `folder` only, whichever way a path or a link takes. Relative paths begin there. */
export function createFileFolder(folder: string): FilePlace {
  const root = resolve(folder);
  const locate = (path: string): string => {
    const whole = resolve(root, path);
    if (isWithin(whole, root) && isWithin(realPathOf(whole), realPathOf(root))) return whole;
    throw inputError(`"${path}" lies outside of the folder that sinks may write to. Take one below ${root}.`);
  };
  return {
    locate,
    async write(path, content, mode) {
      const whole = locate(path);
      await mkdir(dirname(whole), { recursive: true });
      if (mode === "append") await appendFile(whole, content);
      else await writeWhole(whole, content);
    },
  };
}

/** Whether a path is a folder or lies below it; both may be relative to the same place. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The path with the links of its existing part followed. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    return resolve(realPathOf(dirname(path)), path.slice(dirname(path).length + 1));
  }
}

/** Beside its place first, then moved there: nobody ever reads half a file. */
async function writeWhole(path: string, content: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(draft, content, { flag: "wx" });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
