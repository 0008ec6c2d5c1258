// ledger records → one JSONL file
import { type JsonLines, openJsonLines } from "../files/json-lines.ts";
import { type LedgerRecord, type LedgerStore, parseLedgerRecord } from "./ledger-store.ts";

/** Where the ledger is written. */
export interface FileLedgerStoreOptions {
  /** e.g. `…/ledger.jsonl`. Its folder is made when it is missing. */
  readonly path: string;
  /** Who writes, for the message that another process reads. */
  readonly owner: string;
}

/**
 * VA-22: append only, on disk before a call is made, tolerant of a torn end. Opened at its first use, which throws
 * `AgentError` kind `invalid`, code `log_busy` while another process has it: two would each spend the whole limit.
 */
export function createFileLedgerStore({ path, owner }: FileLedgerStoreOptions): LedgerStore {
  let opened: Promise<JsonLines<LedgerRecord>> | undefined;
  const log = (): Promise<JsonLines<LedgerRecord>> => {
    opened ??= openJsonLines({ path, owner, parse: parseLedgerRecord }).catch((thrown: unknown) => {
      opened = undefined;
      throw thrown;
    });
    return opened;
  };
  return {
    load: async () => {
      const { loaded, skippedLines } = await log();
      return { records: loaded, lost: skippedLines };
    },
    append: async (record) => (await log()).append(record),
    replace: async (records) => (await log()).replace(records),
    close: async () => {
      await (await opened)?.close();
    },
  };
}
