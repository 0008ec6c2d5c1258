import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { createFileLedgerStore, createMemoryLedgerStore } from "./budget/ledger-store.ts";
import { createFileJobStore, createMemoryJobStore } from "./jobs/journaled-job-store.ts";
import { jobStoreContract } from "./testing/job-store-contract.ts";
import { ledgerStoreContract } from "./testing/ledger-store-contract.ts";

let folder = "";
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "contracts-"));
});
afterAll(() => rm(folder, { recursive: true }));

const freshPath = (): string => join(folder, `${files++}.jsonl`);

describe("VA-26 a job store", () => {
  describe("in memory", () => {
    for (const { name, run } of jobStoreContract(async () => createMemoryJobStore())) it(name, run);
  });
  describe("on disk", () => {
    const make = async () => createFileJobStore({ path: freshPath(), owner: "test" });
    for (const { name, run } of jobStoreContract(make)) it(name, run);
  });
});

describe("VA-26 a ledger store", () => {
  describe("in memory", () => {
    const makePlace = async () => {
      const store = createMemoryLedgerStore();
      return () => store;
    };
    for (const { name, run } of ledgerStoreContract(makePlace)) it(name, run);
  });
  describe("on disk", () => {
    const makePlace = async () => {
      const path = freshPath();
      return () => createFileLedgerStore({ path, owner: "test" });
    };
    for (const { name, run } of ledgerStoreContract(makePlace)) it(name, run);
  });
});
