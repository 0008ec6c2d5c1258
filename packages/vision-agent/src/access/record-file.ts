// records ⇄ a JSON file that only its owner reads
import PQueue from "p-queue";
import { z } from "zod";
import type { FilePort } from "../workspace/file-port.ts";
import { parseJson } from "../workspace/parse-json.ts";

export interface RecordFileOptions<T> {
  readonly files: FilePort;
  /** Absolute path. */
  readonly path: string;
  readonly schema: z.ZodType<T>;
  /** Told in a sentence what could not be read. Must not throw. */
  readonly onNotice: (message: string) => void;
}

export interface RecordFile<T> {
  /** What was there when it was opened. */
  readonly loaded: readonly T[];
  /** Whole, one after the other. Rejects with `StoreError`. */
  save(records: readonly T[]): Promise<void>;
}

/** A file that cannot be understood is set aside and counts as empty: whoever was in it must be let in again. */
export async function openRecordFile<T>(options: RecordFileOptions<T>): Promise<RecordFile<T>> {
  const { files, path, schema, onNotice } = options;
  const text = await files.readText(path);
  const content = z.object({ version: z.literal(1), records: z.array(schema) });
  const { data } = content.safeParse(text === undefined ? { version: 1, records: [] } : parseJson(text));
  if (data === undefined) {
    await files.rename(path, `${path}.broken`);
    onNotice(`${path} cannot be understood; it is kept as ${path}.broken, and what it held must be set up again.`);
  }
  const queue = new PQueue({ concurrency: 1 });
  return {
    loaded: data?.records ?? [],
    save: (records) => {
      const written = `${JSON.stringify({ version: 1, records }, null, 2)}\n`;
      return queue.add(() => files.writeAtomic(path, written));
    },
  };
}
