// a workspace that others can read → one that only its owner can
import { chmod, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "./file-port.ts";

export interface PrivacyOptions {
  /** The workspace. */
  readonly folder: string;
  /** Where `config.yaml` and `.env` lie; often the workspace. */
  readonly settings: string;
  /** Told in a sentence what was changed, or could not be. Must not throw. */
  readonly onNotice: (message: string) => void;
}

const OTHERS = 0o077;
/** Deeper folders cannot be reached once these are closed. */
const DEPTH = 2;

/** What this program writes is private from the start; this is for what older versions, editors and copies left. */
export async function makePrivate({ folder, settings, onNotice }: PrivacyOptions): Promise<void> {
  if (process.platform === "win32") return;
  const paths = [folder, ...(await pathsIn(folder, DEPTH)), join(settings, "config.yaml"), join(settings, ".env")];
  const changed: string[] = [];
  const refused: string[] = [];
  for (const path of new Set(paths)) {
    try {
      if (await close(path)) changed.push(path);
    } catch {
      // A file of another user, or a disk without modes: it is named below.
      refused.push(path);
    }
  }
  const [first] = refused;
  if (changed.length > 0) {
    onNotice(`Other users of this computer could read ${count(changed)} in ${folder}. Now only you can.`);
  }
  if (first !== undefined) {
    onNotice(`Other users of this computer can read ${count(refused)}, such as ${first}. Change that with chmod go=.`);
  }
}

function count({ length }: readonly string[]): string {
  return length === 1 ? "one file or folder" : `${length} files and folders`;
}

/** True when it was open to others. Links are left alone: what they lead to may be anybody's. */
async function close(path: string): Promise<boolean> {
  const found = await lstat(path).catch(absent);
  if (!found || !(found.isFile() || found.isDirectory()) || (found.mode & OTHERS) === 0) return false;
  await chmod(path, found.mode & 0o700);
  return true;
}

async function pathsIn(folder: string, depth: number): Promise<readonly string[]> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(absent)) ?? [];
  const inner = entries.map(async (entry) => {
    const path = join(folder, entry.name);
    return [path, ...(entry.isDirectory() && depth > 1 ? await pathsIn(path, depth - 1) : [])];
  });
  return (await Promise.all(inner)).flat();
}

/** Gone meanwhile, or not to be looked into. */
function absent(error: unknown): undefined {
  if (["ENOENT", "EACCES"].includes(errorCode(error) ?? "")) return undefined;
  throw error;
}
