// what a ledger writes down, and where
import { type JsonLines, openJsonLines } from "../files/line-file.ts";
import { isJsonObject, type Json } from "../types/json.ts";

/** One line of the ledger. Amounts are whole millionths of a dollar; `day` is that of the ledger's time zone. */
export type LedgerRecord =
  | {
      readonly type: "reserve";
      readonly id: string;
      readonly day: string;
      readonly scopes: readonly string[];
      readonly micro_usd: number;
    }
  | { readonly type: "settle"; readonly id: string; readonly micro_usd: number }
  | { readonly type: "release"; readonly id: string }
  /** What a scope had spent on a day when the ledger was last tidied. */
  | { readonly type: "spent"; readonly day: string; readonly scope: string; readonly micro_usd: number };

/** Where the records of a ledger live. One ledger at a time. */
export interface LedgerStore {
  /** What was there when it was opened, oldest first, and how many records could not be read. */
  load(): Promise<{ readonly records: readonly LedgerRecord[]; readonly lost: number }>;
  /** Resolves when it survives a crash. */
  append(record: LedgerRecord): Promise<void>;
  /** These instead of everything before, wholly or not at all. */
  replace(records: readonly LedgerRecord[]): Promise<void>;
  /** May be called twice. */
  close(): Promise<void>;
}

/** Undefined for what is not one of our records. */
export function parseLedgerRecord(value: Json): LedgerRecord | undefined {
  if (!isJsonObject(value) || typeof value.type !== "string" || !Object.hasOwn(SOUND, value.type)) return undefined;
  return SOUND[value.type as LedgerRecord["type"]](value) ? (value as unknown as LedgerRecord) : undefined;
}

const SOUND: { readonly [Type in LedgerRecord["type"]]: (value: { readonly [key: string]: Json }) => boolean } = {
  reserve: ({ id, day, scopes, micro_usd }) =>
    isText(id) && isText(day) && Array.isArray(scopes) && scopes.every(isText) && isAmount(micro_usd),
  settle: ({ id, micro_usd }) => isText(id) && isAmount(micro_usd),
  release: ({ id }) => isText(id),
  spent: ({ day, scope, micro_usd }) => isText(day) && isText(scope) && isAmount(micro_usd),
};

function isText(value: Json | undefined): boolean {
  return typeof value === "string";
}

function isAmount(value: Json | undefined): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Forgets with the process; a second ledger on the same store sees what the first one left. */
export function createMemoryLedgerStore(): LedgerStore {
  let records: LedgerRecord[] = [];
  return {
    load: async () => ({ records: [...records], lost: 0 }),
    append: async (record) => {
      records.push(record);
    },
    replace: async (next) => {
      records = [...next];
    },
    close: async () => undefined,
  };
}

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
