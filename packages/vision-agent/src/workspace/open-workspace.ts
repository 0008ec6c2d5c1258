// a folder → the workspace, locked, with its first files
import { dirname, join } from "node:path";
import { DEFAULT_FILES, DEFAULT_FOLDERS, SKILLS_README } from "./default-files.ts";
import type { FilePort } from "./file-port.ts";
import type { ProcessTable } from "./process-table.ts";
import { toWorkspaceError } from "./workspace-error.ts";
import { acquireLock } from "./workspace-lock.ts";

export interface Preparation {
  /** Absolute path; made when it is not there. */
  readonly folder: string;
  readonly files: FilePort;
  /** What `config.yaml` holds on the first run; absent when the settings are kept elsewhere. */
  readonly configText?: string;
  /** Skills of the first run by path, such as `skills/parking-lot/SKILL.md`. Those a person removes stay away. */
  readonly skills?: Readonly<Record<string, string>>;
}

export interface WorkspaceOptions extends Preparation {
  readonly processes: ProcessTable;
  /** Process id of this process. */
  readonly pid: number;
}

/** The folder where everything of one app lives, held by this process alone. */
export interface Workspace {
  readonly folder: string;
  /** Files that were not there before, by name. */
  readonly created: readonly string[];
  /** Absolute path of something inside. */
  path(...parts: readonly string[]): string;
  /** Lets another process in. May be called twice. */
  close(): Promise<void>;
}

/** Throws `WorkspaceError`, whose hint says what to do. */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { folder, files } = options;
  try {
    await files.makeFolder(folder);
    const release = await acquireLock({ ...options, path: join(folder, ".lock") });
    const created = await createDefaultFiles(options).catch(async (error: unknown) => {
      await release();
      throw error;
    });
    return { folder, created, path: (...parts) => join(folder, ...parts), close: release };
  } catch (error) {
    throw toWorkspaceError(error, folder);
  }
}

/** Makes what is missing and gives the names of the files made. Needs no lock: nothing is ever written over. */
export async function createDefaultFiles({
  folder,
  files,
  configText,
  skills = {},
}: Preparation): Promise<readonly string[]> {
  for (const name of DEFAULT_FOLDERS) await files.makeFolder(join(folder, name));
  const isNew = (await files.readText(join(folder, SKILLS_README))) === undefined;
  const first = { ...(configText !== undefined && { "config.yaml": configText }), ...DEFAULT_FILES };
  const created: string[] = [];
  for (const [name, text] of Object.entries({ ...first, ...(isNew && skills) })) {
    const path = join(folder, name);
    if ((await files.readText(path)) !== undefined) continue;
    await files.makeFolder(dirname(path));
    if (await files.createNew(path, text)) created.push(name);
  }
  return created;
}
