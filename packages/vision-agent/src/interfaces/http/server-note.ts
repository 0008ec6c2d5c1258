// where the running server is and what lets programs in ⇄ server.json in the workspace, for programs of the same user
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

const noteSchema = z.object({ url: z.url(), token: z.string().min(1), pid: z.int().positive(), stamp: z.string() });

/** How a program of this computer reaches a server: it sends the token as `Authorization: Bearer TOKEN`. */
export interface AppAddress {
  /** Such as `http://127.0.0.1:4750`. */
  readonly address: string;
  readonly token: string;
}

/** Returns the way to take the note back, which may be called twice. */
export async function leaveServerNote(
  { files, processes, path }: ServerNoteOptions,
  { address, token, pid }: AppAddress & { readonly pid: number },
): Promise<() => Promise<void>> {
  const note = { url: address, token, pid, stamp: processes.stampOf(pid) ?? "" };
  await files.writeAtomic(path, `${JSON.stringify(note)}\n`);
  return async () => {
    await files.remove(path);
  };
}

/** The server that runs on this workspace now; a note of a process that is gone counts for nothing. */
export async function readServerNote({ files, processes, path }: ServerNoteOptions): Promise<AppAddress | undefined> {
  const text = await files.readText(path);
  if (text === undefined) return undefined;
  const { data } = noteSchema.safeParse(parseJson(text));
  if (data === undefined || processes.stampOf(data.pid) !== data.stamp) return undefined;
  return { address: data.url, token: data.token };
}
