import assert from "node:assert/strict";
import type { LedgerRecord, LedgerStore } from "../budget/ledger-store.ts";
import type { ContractCase } from "./contract.ts";

const RECORDS: readonly LedgerRecord[] = [
  { type: "reserve", id: "r1", day: "2026-01-01", scopes: ["day"], micro_usd: 500 },
  { type: "settle", id: "r1", micro_usd: 120 },
  { type: "reserve", id: "r2", day: "2026-01-01", scopes: ["day", "watch"], micro_usd: 40 },
  { type: "release", id: "r2" },
];

/** VA-26: what every ledger store keeps. `makePlace` gives a fresh, empty place that can be opened one time after another. */
export function ledgerStoreContract(makePlace: () => Promise<() => LedgerStore>): readonly ContractCase[] {
  const writing = (
    name: string,
    write: (store: LedgerStore) => Promise<void>,
    kept: readonly LedgerRecord[],
  ): ContractCase => ({
    name,
    async run() {
      const open = await makePlace();
      const first = open();
      assert.deepEqual(await first.load(), { records: [], lost: 0 });
      await write(first);
      await Promise.all([first.close(), first.close()]);
      const second = open();
      assert.deepEqual(await second.load(), { records: kept, lost: 0 });
      await second.close();
    },
  });
  const spent: LedgerRecord = { type: "spent", day: "2026-01-01", scope: "day", micro_usd: 120 };
  const later: LedgerRecord = { type: "release", id: "r3" };
  return [
    writing(
      "gives back what was appended, in order",
      async (store) => {
        for (const record of RECORDS) await store.append(record);
      },
      RECORDS,
    ),
    writing(
      "keeps the order of appends that are made at once",
      async (store) => {
        await Promise.all(RECORDS.map((record) => store.append(record)));
      },
      RECORDS,
    ),
    writing(
      "replaces everything before, and goes on from there",
      async (store) => {
        for (const record of RECORDS) await store.append(record);
        await store.replace([spent]);
        await store.append(later);
      },
      [spent, later],
    ),
  ];
}
