import type { LedgerRecord, LedgerStore } from "./ledger-store.ts";

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
