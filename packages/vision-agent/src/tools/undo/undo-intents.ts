// what a change is about to find → undo-open.json until its step is kept
import PQueue from "p-queue";
import { z } from "zod";
import type { FilePort } from "../../workspace/file-port.ts";
import { parseJson } from "../../workspace/parse-json.ts";

/** Its name in the workspace. */
export const UNDO_INTENTS_FILE = "undo-open.json";

const intentSchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  by: z.string(),
  order: z.string().optional(),
  /** Everything by kind and id; null for what holds a secret. */
  found: z.record(z.string(), z.record(z.string(), z.unknown())),
});
export type UndoIntent = z.infer<typeof intentSchema>;

/** Changes under way. One that a crash cut off is there again at the next start. */
export interface UndoIntents {
  /** Those of an earlier run of the program. */
  left(): readonly UndoIntent[];
  /** On the disk when it resolves. */
  begin(intent: UndoIntent): Promise<void>;
  /** `isKept`: its step is in the journal, which says as much as taking it out of the file. */
  end(id: string, isKept: boolean): Promise<void>;
}

/** A file that nobody can read holds nothing that could be undone. */
export async function openUndoIntents(
  files: Pick<FilePort, "readText" | "writeAtomic">,
  path: string,
): Promise<UndoIntents> {
  const left = intentSchema.array().safeParse(parseJson((await files.readText(path)) ?? "")).data ?? [];
  const open = new Map(left.map((intent) => [intent.id, intent]));
  const queue = new PQueue({ concurrency: 1 });
  const write = (): Promise<void> => queue.add(() => files.writeAtomic(path, JSON.stringify([...open.values()])));
  return {
    left: () => left.filter(({ id }) => open.has(id)),
    begin(intent) {
      open.set(intent.id, intent);
      return write();
    },
    async end(id, isKept) {
      if (open.delete(id) && !isKept) await write();
    },
  };
}

/** For an app that keeps nothing. */
export const NO_INTENTS: UndoIntents = {
  left: () => [],
  begin: async () => undefined,
  end: async () => undefined,
};
