import fc from "fast-check";
import { expect, it } from "vitest";
import { createFakeClock } from "../testing/fake-clock.ts";
import { AgentError } from "../types/errors.ts";
import { type BudgetLedger, createBudgetLedger } from "./budget-ledger.ts";
import { createMemoryLedgerStore, type LedgerStore } from "./ledger-store.ts";
import type { Priority } from "./reservation-queue.ts";

const LIMITS = { day: 1_000, heartbeat: 300 };

interface Run {
  readonly calls: readonly { readonly worst: number; readonly actual: number; readonly end: "settle" | "release" }[];
  readonly scopes: readonly ("day" | "heartbeat")[];
  readonly priority: Priority;
}

const run: fc.Arbitrary<Run> = fc.record({
  calls: fc.array(
    fc
      .tuple(fc.integer({ min: 1, max: 60 }), fc.nat(100), fc.constantFrom("settle" as const, "release" as const))
      .map(([worst, percent, end]) => ({ worst, actual: Math.floor((worst * percent) / 100), end })),
    { minLength: 1, maxLength: 4 },
  ),
  scopes: fc.constantFrom(["day"], ["heartbeat"], ["day", "heartbeat"]),
  priority: fc.constantFrom("user", "alert", "background"),
});

it("invariant 5: what 50 concurrent runs spend and hold stays within every limit, with a crash in the middle", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(run, { minLength: 50, maxLength: 50 }),
      fc.integer({ min: 5, max: 90 }),
      async (scheduler, runs, appendsBeforeCrash) => {
        const disk = createMemoryLedgerStore();
        const bill = { day: 0, heartbeat: 0 };
        const live = async (appends: number): Promise<void> => {
          const { store, crashed } = openMachine(disk, scheduler, appends);
          const ledger = openLedger(store);
          const ends = Promise.all(runs.map((one) => spend(one, ledger, bill)));
          await scheduler.waitFor(Promise.race([ends, crashed]));
        };
        await live(appendsBeforeCrash);
        await live(Number.POSITIVE_INFINITY);
        const after = await openLedger(disk).state("day");
        // Nothing that was paid for is missing from the ledger.
        expect(after.spentMicroUsd).toBeGreaterThanOrEqual(bill.day);
        expect(bill.day).toBeLessThanOrEqual(LIMITS.day);
        expect(bill.heartbeat).toBeLessThanOrEqual(LIMITS.heartbeat);
      },
    ),
    { numRuns: 30, seed: 5 },
  );
});

it("invariant 5: a provider that bills more than was reserved is recorded in full, and nothing more is granted", async () => {
  const bills = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 400 }));
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(bills, { minLength: 20, maxLength: 50 }), async (scheduler, calls) => {
      const disk = createMemoryLedgerStore();
      const { store } = openMachine(disk, scheduler, Number.POSITIVE_INFINITY);
      let billed = 0;
      const append: LedgerStore["append"] = (record) => {
        // What is billed leaves room for the worst case of everything that is granted from now on.
        if (record.type === "reserve") expect(billed + record.micro_usd).toBeLessThanOrEqual(LIMITS.day);
        if (record.type === "settle") billed += record.micro_usd;
        return store.append(record);
      };
      const ledger = openLedger({ ...store, append });
      const pay = async ([worst, percent]: [number, number]): Promise<void> => {
        const actual = Math.floor((worst * percent) / 100);
        const reservation = await tryReserve(ledger, { scopes: ["day"], worstMicroUsd: worst, priority: "alert" });
        if (!reservation) return;
        await reservation.settle(actual);
        expect((await ledger.state("day")).reservedMicroUsd).toBeGreaterThanOrEqual(0);
      };
      await scheduler.waitFor(Promise.all(calls.map(pay)));
      for (const state of [await ledger.state("day"), await openLedger(disk).state("day")]) {
        expect(state).toMatchObject({ spentMicroUsd: billed, reservedMicroUsd: 0 });
      }
      if (billed >= LIMITS.day)
        expect(await tryReserve(ledger, { scopes: ["day"], worstMicroUsd: 1, priority: "alert" })).toBeUndefined();
    }),
    { numRuns: 50, seed: 5 },
  );
});

/** Pays for each call as the provider does: at once, whatever becomes of the settlement. */
async function spend({ calls, scopes, priority }: Run, ledger: BudgetLedger, bill: Record<string, number>) {
  for (const { worst, actual, end } of calls) {
    const reservation = await tryReserve(ledger, { scopes, worstMicroUsd: worst, priority });
    await assertWithin(ledger);
    if (!reservation) continue;
    if (end === "settle") for (const scope of scopes) bill[scope] = (bill[scope] ?? 0) + actual;
    await (end === "settle" ? reservation.settle(actual) : reservation.release());
    await assertWithin(ledger);
  }
}

function tryReserve(ledger: BudgetLedger, request: Parameters<BudgetLedger["reserve"]>[0]) {
  return ledger.reserve(request).catch((thrown: unknown) => {
    if (thrown instanceof AgentError && thrown.code === "daily_limit") return undefined;
    throw thrown;
  });
}

async function assertWithin(ledger: BudgetLedger): Promise<void> {
  for (const scope of ["day", "heartbeat"]) {
    const { spentMicroUsd, reservedMicroUsd, limitMicroUsd } = await ledger.state(scope);
    expect(spentMicroUsd + reservedMicroUsd).toBeLessThanOrEqual(limitMicroUsd);
  }
}

function openLedger(store: LedgerStore): BudgetLedger {
  return createBudgetLedger({ limits: LIMITS, timeZone: "UTC", clock: createFakeClock(0), store });
}

/** Writes take as long as the scheduler likes; after so many the machine is dead and nothing in it goes on. */
function openMachine(disk: LedgerStore, scheduler: fc.Scheduler, appends: number) {
  const crash = Promise.withResolvers<void>();
  let left = appends;
  const store: LedgerStore = {
    ...disk,
    async append(record) {
      if (left-- > 0) {
        await disk.append(record);
        await scheduler.schedule(Promise.resolve());
      } else crash.resolve();
      if (left < 0) await new Promise<never>(() => undefined);
    },
  };
  return { store, crashed: crash.promise };
}
