import { z } from "zod";
import type { FilePort } from "./file-port.ts";
import { parseJson } from "./parse-json.ts";
import type { ProcessTable } from "./process-table.ts";
import { WorkspaceError } from "./workspace-error.ts";

export interface LockOptions {
  readonly path: string;
  readonly files: FilePort;
  readonly processes: ProcessTable;
  /** Process id of this process. */
  readonly pid: number;
}

const ownerSchema = z.object({ pid: z.int().positive(), stamp: z.string() });
type Owner = z.infer<typeof ownerSchema>;

const ATTEMPTS = 5;

/**
 * One process at a time. A lock whose owner is dead is taken over.
 * Returns the way to release it, which may be called twice. Throws `WorkspaceError` kind `in_use`.
 */
export async function acquireLock(options: LockOptions): Promise<() => Promise<void>> {
  const { path, files, processes, pid } = options;
  const mine = `${JSON.stringify({ pid, stamp: processes.stampOf(pid) ?? "" })}\n`;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (await files.createNew(path, mine)) return releaseOnce(options, mine);
    const held = await files.readText(path);
    if (held === undefined) continue;
    const owner = parseOwner(held);
    if (owner && processes.stampOf(owner.pid) === owner.stamp) throw inUse(path, owner.pid);
    await moveAside(options, held);
  }
  throw inUse(path, undefined);
}

function releaseOnce({ path, files }: LockOptions, mine: string): () => Promise<void> {
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => {
    if ((await files.readText(path)) === mine) await files.remove(path);
  };
  return () => {
    released ??= release();
    return released;
  };
}

async function moveAside({ path, files, pid }: LockOptions, dead: string): Promise<void> {
  const aside = `${path}.stale-${pid}`;
  if (!(await files.rename(path, aside))) return;
  const moved = await files.readText(aside);
  // Another process was faster: what moved is its fresh lock, so it goes back.
  if (moved !== undefined && moved !== dead) await files.createNew(path, moved);
  await files.remove(aside);
}

function parseOwner(text: string): Owner | undefined {
  return ownerSchema.safeParse(parseJson(text)).data;
}

function inUse(path: string, pid: number | undefined): WorkspaceError {
  const owner = pid === undefined ? "another process" : `the process with id ${pid}`;
  return new WorkspaceError("in_use", {
    message: `The workspace is in use by ${owner} (${path}).`,
    hint: `Stop ${pid === undefined ? "it" : `process ${pid}`} first, or name another workspace with --workspace DIR.`,
  });
}
