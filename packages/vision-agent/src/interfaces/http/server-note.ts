// the address of the running server ⇄ a note in the workspace, for other commands of the same person
import { z } from "zod";
import type { FilePort } from "../../workspace/file-port.ts";
import { parseJson } from "../../workspace/parse-json.ts";
import type { ProcessTable } from "../../workspace/process-table.ts";

/** Name of the note inside the workspace. */
export const SERVER_NOTE = "server.json";

export interface ServerNoteOptions {
  readonly files: FilePort;
  readonly processes: ProcessTable;
  /** Absolute path of the note. */
  readonly path: string;
}

const noteSchema = z.object({ pid: z.int().positive(), stamp: z.string(), address: z.url() });

/** Returns the way to take the note back, which may be called twice. */
export async function leaveServerNote(
  { files, processes, path }: ServerNoteOptions,
  server: { readonly pid: number; readonly address: string },
): Promise<() => Promise<void>> {
  const note = { ...server, stamp: processes.stampOf(server.pid) ?? "" };
  await files.writeAtomic(path, `${JSON.stringify(note)}\n`);
  return async () => {
    await files.remove(path);
  };
}

/** Address of the server that runs on this workspace now; a note of a process that is gone counts for nothing. */
export async function readServerNote({ files, processes, path }: ServerNoteOptions): Promise<string | undefined> {
  const text = await files.readText(path);
  if (text === undefined) return undefined;
  const { data } = noteSchema.safeParse(parseJson(text));
  return data !== undefined && processes.stampOf(data.pid) === data.stamp ? data.address : undefined;
}
