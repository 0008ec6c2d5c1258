import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createBudgetLedger } from "./budget-ledger.ts";
import { createFileLedgerStore } from "./ledger-store.ts";

const LIMIT = 1_000_000;
const here = (name: string): string => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

/** Says on its output what it was allowed to spend, before it settles. */
const SPENDER = `
  import { createBudgetLedger } from ${here("./budget-ledger.ts")};
  import { createFileLedgerStore } from ${here("./ledger-store.ts")};
  const store = createFileLedgerStore({ path: process.argv[1], owner: "spender" });
  const ledger = createBudgetLedger({ limits: { day: ${LIMIT} }, timeZone: "UTC", clock: { now: () => 0 }, store });
  const spend = async () => {
    for (;;) {
      const reservation = await ledger.reserve({ scopes: ["day"], worstMicroUsd: 100, priority: "user" });
      process.stdout.write("100\\n");
      await reservation.settle(100);
    }
  };
  await Promise.all([spend(), spend(), spend(), spend()]);
`;

it("invariant 5: a ledger whose process is killed four times forgets nothing that was spent", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ledger-crash-"));
  const path = join(folder, "ledger.jsonl");
  try {
    let spent = 0;
    for (const lines of [3, 40, 7, 80]) spent += await spendUntilKilled(path, lines);
    const store = createFileLedgerStore({ path, owner: "test" });
    const ledger = createBudgetLedger({ limits: { day: LIMIT }, timeZone: "UTC", clock: createFakeClock(0), store });
    const { spentMicroUsd, reservedMicroUsd } = await ledger.state("day");
    await ledger.close();
    expect(spent).toBeGreaterThan(0);
    expect(spentMicroUsd).toBeGreaterThanOrEqual(spent);
    // At most what four spenders held at each of the four kills.
    expect(spentMicroUsd).toBeLessThanOrEqual(spent + 4 * 4 * 100);
    expect(reservedMicroUsd).toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});

async function spendUntilKilled(path: string, lines: number): Promise<number> {
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", SPENDER, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  let said = 0;
  let spent = 0;
  for await (const line of createInterface(child.stdout)) {
    spent += Number(line);
    if (++said === lines) child.kill("SIGKILL");
  }
  await exit;
  return spent;
}
