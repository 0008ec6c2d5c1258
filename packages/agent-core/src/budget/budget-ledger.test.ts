import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFakeClock, type FakeClock } from "../testing/fake-clock.ts";
import {
  type BudgetLedger,
  type BudgetLedgerOptions,
  type BudgetWarning,
  createBudgetLedger,
  type Reservation,
} from "./budget-ledger.ts";
import { createFileLedgerStore, createMemoryLedgerStore, type LedgerStore } from "./ledger-store.ts";
import type { Priority, ReservationRequest } from "./reservation-queue.ts";

const START = "2026-06-01T10:00:00Z";

describe("createBudgetLedger", () => {
  it("VA-22 stops before the call that could pass the daily limit", async () => {
    const { ledger } = openLedger({ limits: { day: 10_000_000 }, alertShare: 0, userShare: 0 });
    const first = await reserve(ledger, 6_000_000);
    await expect(reserve(ledger, 4_000_001)).rejects.toMatchObject({ kind: "budget", code: "daily_limit" });
    await first.settle(5_999_999);
    await (await reserve(ledger, 4_000_001)).settle(4_000_001);
    await expect(reserve(ledger, 1)).rejects.toMatchObject({ code: "daily_limit", retryable: false });
    expect(await ledger.state("day")).toEqual({
      scope: "day",
      spentMicroUsd: 10_000_000,
      reservedMicroUsd: 0,
      limitMicroUsd: 10_000_000,
      ceilings: { alert: 10_000_000, user: 10_000_000, background: 10_000_000 },
      resetsAt: "2026-06-02T00:00:00.000Z",
    });
  });

  it("says when there is money again", async () => {
    const { ledger } = openLedger({ limits: { day: 10 } });
    await expect(reserve(ledger, 11)).rejects.toMatchObject({ retryAfterMs: 14 * 3_600_000 });
  });

  it("stops at the limit of the month, whatever the day leaves, until the next month", async () => {
    const clock = createFakeClock(Date.parse(START));
    const options = { limits: { day: 100 }, monthLimits: { day: 150 }, alertShare: 0, userShare: 0, clock };
    const { ledger } = openLedger(options);
    await (await reserve(ledger, 100)).settle(100);
    await clock.advance(24 * 3_600_000);
    await (await reserve(ledger, 50)).settle(50);
    await expect(reserve(ledger, 1)).rejects.toMatchObject({
      code: "daily_limit",
      message: expect.stringContaining("a month"),
    });
    expect(await ledger.state("day")).toMatchObject({
      month: { spentMicroUsd: 150, limitMicroUsd: 150 },
      ceilings: { user: 50 },
    });
    await clock.advance(29 * 24 * 3_600_000);
    await expect(reserve(ledger, 100)).resolves.toBeDefined();
  });

  it("takes another limit from the next reservation on", async () => {
    const { ledger } = openLedger({ limits: { day: 100 }, alertShare: 0, userShare: 0 });
    await (await reserve(ledger, 60)).settle(60);
    ledger.setLimit("day", { dayMicroUsd: 50 });
    await expect(reserve(ledger, 1)).rejects.toMatchObject({ code: "daily_limit" });
    ledger.setLimit("day", { dayMicroUsd: 200, monthMicroUsd: 70 });
    await expect(reserve(ledger, 11)).rejects.toMatchObject({ message: expect.stringContaining("a month") });
    ledger.setLimit("day", { monthMicroUsd: null });
    await expect(reserve(ledger, 140)).resolves.toBeDefined();
    expect(() => ledger.setLimit("day", { dayMicroUsd: -1 })).toThrow("whole number");
    expect(() => ledger.setLimit("week", { dayMicroUsd: 1 })).toThrow('no limit for "week"');
  });

  it("AI-16 adds up what many runs cost without losing a millionth", async () => {
    const { ledger } = openLedger({ limits: { day: 1_000_000 } });
    for (let run = 0; run < 1_000; run++) await (await reserve(ledger, 9)).settle(run % 3);
    expect((await ledger.state("day")).spentMicroUsd).toBe(999);
  });

  it("complaint 11: counts a call that cost more than its worst case in full, and stops after it", async () => {
    const { ledger } = openLedger({ limits: { day: 100 } });
    await (await reserve(ledger, 50)).settle(120);
    expect((await ledger.state("day")).spentMicroUsd).toBe(120);
    await expect(reserve(ledger, 1, "alert")).rejects.toMatchObject({ code: "daily_limit" });
  });

  it("complaint 11: gives back what was released, and ends a reservation once", async () => {
    const { ledger } = openLedger({ limits: { day: 100 }, alertShare: 0 });
    const reservation = await reserve(ledger, 100);
    await reservation.release();
    await reservation.settle(100);
    await reservation.release();
    const other = await reserve(ledger, 100);
    await Promise.all([other.settle(40), other.settle(50)]);
    expect(await ledger.state("day")).toMatchObject({ spentMicroUsd: 40, reservedMicroUsd: 0 });
  });

  it("reserves from several scopes at once, all or nothing", async () => {
    const { ledger } = openLedger({ limits: { day: 100, heartbeat: 10 }, alertShare: 0 });
    const both = { scopes: ["day", "heartbeat", "day"], priority: "user" } as const;
    await expect(ledger.reserve({ ...both, worstMicroUsd: 11 })).rejects.toMatchObject({ code: "daily_limit" });
    expect((await ledger.state("day")).reservedMicroUsd).toBe(0);
    await ledger.reserve({ ...both, worstMicroUsd: 10 });
    expect((await ledger.state("day")).reservedMicroUsd).toBe(10);
    expect((await ledger.state("heartbeat")).reservedMicroUsd).toBe(10);
  });

  it("keeps a slice for alerts, and a further one from background work", async () => {
    const { ledger } = openLedger({ limits: { day: 1_000 } });
    await (await reserve(ledger, 800, "background")).settle(800);
    await expect(reserve(ledger, 1, "background")).rejects.toMatchObject({ code: "daily_limit" });
    await (await reserve(ledger, 100, "user")).settle(100);
    await expect(reserve(ledger, 1, "user")).rejects.toMatchObject({ code: "daily_limit" });
    await (await reserve(ledger, 100, "alert")).settle(100);
    await expect(reserve(ledger, 1, "alert")).rejects.toMatchObject({ code: "daily_limit" });
  });

  it("never refuses what costs nothing", async () => {
    const { ledger } = openLedger({ limits: { day: 0 } });
    await (await reserve(ledger, 0, "background")).settle(0);
    await expect(reserve(ledger, 1, "alert")).rejects.toMatchObject({ code: "daily_limit" });
  });

  it("begins anew at midnight of its zone, on days of 23 and 25 hours too", async () => {
    for (const [before, after] of [
      ["2026-03-29T21:59:59.999Z", "2026-03-29T22:00:00Z"],
      ["2026-10-25T22:59:59.999Z", "2026-10-25T23:00:00Z"],
    ] as const) {
      const { ledger, at } = openLedger({ limits: { day: 100 }, timeZone: "Europe/Berlin", alertShare: 0 });
      at(before);
      const late = await reserve(ledger, 100);
      await expect(reserve(ledger, 1)).rejects.toMatchObject({ code: "daily_limit" });
      await expect(reserve(ledger, 101)).rejects.toMatchObject({ retryAfterMs: 1 });
      at(after);
      await reserve(ledger, 100);
      await late.settle(100);
      expect(await ledger.state("day")).toMatchObject({ spentMicroUsd: 0, reservedMicroUsd: 100 });
    }
  });

  it("warns once at half and once at four fifths of the limit, and again on the next day", async () => {
    const { ledger, at, warnings } = openLedger({ limits: { day: 100 } });
    for (const cost of [49, 1, 29, 1, 1]) await (await reserve(ledger, cost)).settle(cost);
    at("2026-06-02T10:00:00Z");
    await (await reserve(ledger, 90)).settle(90);
    expect(warnings.map((warning) => (warning.kind === "share_used" ? [warning.day, warning.share] : []))).toEqual([
      ["2026-06-01", 0.5],
      ["2026-06-01", 0.8],
      ["2026-06-02", 0.5],
      ["2026-06-02", 0.8],
    ]);
  });

  it.each([
    ["a fraction", { limits: { day: 0.5 } }],
    ["a negative limit", { limits: { day: -1 } }],
    ["no such zone", { timeZone: "Mars/Olympus" }],
    ["shares above the whole", { alertShare: 0.6, userShare: 0.6 }],
    ["a share below nothing", { alertShare: -0.1 }],
  ] as const)("refuses %s at the door", (_, wrong) => {
    expect(() => openLedger(wrong)).toThrow(expect.objectContaining({ kind: "invalid", code: "bad_budget" }));
  });

  it("refuses a scope without a limit, no scope, and an amount that is not whole", async () => {
    const { ledger } = openLedger();
    const ask = (scopes: string[], worstMicroUsd: number): Promise<Reservation> =>
      ledger.reserve({ scopes, worstMicroUsd, priority: "user" });
    for (const wrong of [ask(["dya"], 1), ask([], 1), ask(["day"], 0.5), ask(["day"], Number.NaN), ask(["day"], -1)]) {
      await expect(wrong).rejects.toMatchObject({ kind: "invalid", code: "bad_budget" });
    }
    const reservation = await ask(["day"], 5);
    await expect(reservation.settle(Number.NaN)).rejects.toMatchObject({ code: "bad_budget" });
    expect((await ledger.state("day")).reservedMicroUsd).toBe(5);
  });

  it("gives nothing out when the reservation cannot be recorded", async () => {
    const store: LedgerStore = { ...createMemoryLedgerStore(), append: () => Promise.reject(new Error("disk full")) };
    const { ledger } = openLedger({ store });
    await expect(reserve(ledger, 5)).rejects.toThrow("disk full");
    expect((await ledger.state("day")).reservedMicroUsd).toBe(0);
  });
});

describe("a reservation for which only others leave no room", () => {
  it("waits until they settle, in order of arrival", async () => {
    const { ledger } = openLedger({ limits: { day: 100 }, alertShare: 0, maxWaitMs: 60_000 });
    const order: string[] = [];
    const take = async (name: string, worst: number, actual: number): Promise<void> => {
      const reservation = await reserve(ledger, worst);
      order.push(name);
      await reservation.settle(actual);
    };
    const first = await reserve(ledger, 90);
    // The last would fit at once, and still waits for those before it.
    const others = [take("a", 60, 5), take("b", 50, 5), take("c", 10, 5)];
    await first.settle(10);
    await Promise.all(others);
    expect(order).toEqual(["a", "b", "c"]);
    expect(await ledger.state("day")).toMatchObject({ spentMicroUsd: 25, reservedMicroUsd: 0 });
  });

  it("is refused at once when what is spent leaves none, before and during the wait", async () => {
    const { ledger, naps } = openLedger({ limits: { day: 100 }, alertShare: 0, maxWaitMs: 60_000 });
    await expect(reserve(ledger, 101)).rejects.toMatchObject({ code: "daily_limit" });
    const first = await reserve(ledger, 90);
    const second = expect(reserve(ledger, 50)).rejects.toMatchObject({ code: "daily_limit" });
    await first.settle(60);
    await second;
    expect(naps.sleepers).toBe(0);
  });

  it("gives up after a while, and lets those behind it through", async () => {
    const { ledger, naps } = openLedger({ limits: { day: 100 }, alertShare: 0, maxWaitMs: 60_000 });
    const first = await reserve(ledger, 90);
    const second = expect(reserve(ledger, 50)).rejects.toMatchObject({
      kind: "budget",
      code: "daily_limit",
      message: expect.stringContaining("other calls"),
    });
    await naps.advance(0);
    await naps.advance(30_000);
    const third = reserve(ledger, 10);
    await naps.advance(0);
    await naps.advance(30_000);
    await second;
    await (await third).release();
    await first.release();
    expect(naps.sleepers).toBe(0);
  });

  it("waits no longer than its signal", async () => {
    const { ledger, naps } = openLedger({ limits: { day: 100 }, alertShare: 0, maxWaitMs: 60_000 });
    const first = await reserve(ledger, 90);
    const abort = new AbortController();
    const ask: ReservationRequest = { scopes: ["day"], worstMicroUsd: 50, priority: "user", signal: abort.signal };
    const second = expect(ledger.reserve(ask)).rejects.toThrow("enough");
    abort.abort(new Error("enough"));
    await second;
    await first.release();
    expect(await ledger.state("day")).toMatchObject({ spentMicroUsd: 0, reservedMicroUsd: 0 });
    expect(naps.sleepers).toBe(0);
  });

  it("lets an alert pass those who wait, and does not hold up another scope", async () => {
    const { ledger } = openLedger({ limits: { day: 100, heartbeat: 100 }, maxWaitMs: 60_000 });
    const first = await reserve(ledger, 60);
    const background = reserve(ledger, 60, "background");
    const alert = await reserve(ledger, 40, "alert");
    const beat = await ledger.reserve({ scopes: ["heartbeat"], worstMicroUsd: 50, priority: "background" });
    await Promise.all([alert.settle(1), beat.settle(1), first.settle(1)]);
    await (await background).settle(1);
  });
});

describe("a ledger after a restart", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "ledger-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("complaint 11: counts the unsettled reservation of a dead process as spent, and says so", async () => {
    const store = createMemoryLedgerStore();
    const before = openLedger({ store, limits: { day: 100 } });
    await (await reserve(before.ledger, 10)).settle(3);
    await (await reserve(before.ledger, 10)).release();
    await reserve(before.ledger, 60);
    const after = openLedger({ store, limits: { day: 100 } });
    expect(await after.ledger.state("day")).toMatchObject({ spentMicroUsd: 63, reservedMicroUsd: 0 });
    expect(after.warnings).toEqual([
      expect.objectContaining({ kind: "share_used", share: 0.5 }),
      { kind: "left_behind", reservations: 1, microUsd: 60 },
    ]);
  });

  it("keeps its sums on disk, past a torn end", async () => {
    const path = join(folder, "ledger.jsonl");
    const before = openLedger({ store: createFileLedgerStore({ path, owner: "test" }) });
    await (await reserve(before.ledger, 10)).settle(7);
    await Promise.all([before.ledger.close(), before.ledger.close()]);
    await appendFile(path, '{"type":"reserve","id":"r9","day":"2026-06-01","sco');
    const after = openLedger({ store: createFileLedgerStore({ path, owner: "test" }) });
    expect(await after.ledger.state("day")).toMatchObject({ spentMicroUsd: 7, reservedMicroUsd: 0 });
    expect(after.warnings).toEqual([]);
    await after.ledger.close();
  });

  it("says that records were lost", async () => {
    const path = join(folder, "ledger.jsonl");
    await appendFile(path, '{"type":"settle","id":"r1","micro_usd":0.5}\n{"type":"toString"}\n[]\n');
    const { ledger, warnings } = openLedger({ store: createFileLedgerStore({ path, owner: "test" }) });
    await ledger.state("day");
    expect(warnings).toEqual([{ kind: "records_lost", records: 3 }]);
    await ledger.close();
  });

  it("writes its log anew before it grows long, with what is still open", async () => {
    const store = createMemoryLedgerStore();
    const before = openLedger({ store });
    await reserve(before.ledger, 5);
    for (let call = 0; call < 520; call++) await (await reserve(before.ledger, 3)).settle(1);
    expect((await store.load()).records.length).toBeLessThan(100);
    const after = openLedger({ store });
    expect(await after.ledger.state("day")).toMatchObject({ spentMicroUsd: 525, reservedMicroUsd: 0 });
  });

  it("refuses a second process on the same file, and tries again later", async () => {
    const path = join(folder, "ledger.jsonl");
    const first = openLedger({ store: createFileLedgerStore({ path, owner: "test" }) });
    await first.ledger.state("day");
    const second = openLedger({ store: createFileLedgerStore({ path, owner: "test" }) });
    await expect(reserve(second.ledger, 1)).rejects.toMatchObject({ kind: "invalid", code: "log_busy" });
    await first.ledger.close();
    await (await reserve(second.ledger, 1)).release();
    await second.ledger.close();
  });
});

function openLedger(options: Partial<BudgetLedgerOptions> = {}): {
  readonly ledger: BudgetLedger;
  readonly warnings: readonly BudgetWarning[];
  readonly naps: FakeClock;
  at(time: string): void;
} {
  let nowMs = Date.parse(START);
  const naps = createFakeClock();
  const warnings: BudgetWarning[] = [];
  const ledger = createBudgetLedger({
    limits: { day: 1_000_000 },
    timeZone: "UTC",
    clock: { now: () => nowMs, sleep: (ms, signal) => naps.sleep(ms, signal) },
    store: createMemoryLedgerStore(),
    maxWaitMs: 0,
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  const at = (time: string): void => {
    nowMs = Date.parse(time);
  };
  return { ledger, warnings, naps, at };
}

function reserve(ledger: BudgetLedger, worstMicroUsd: number, priority: Priority = "user"): Promise<Reservation> {
  return ledger.reserve({ scopes: ["day"], worstMicroUsd, priority });
}
