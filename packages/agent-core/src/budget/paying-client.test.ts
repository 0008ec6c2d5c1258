import { describe, expect, it } from "vitest";
import type { CallContext, LLMRequest, Price } from "../llm/llm-client.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { type ScriptStep, scriptedModel } from "../testing/scripted-model.ts";
import { type BudgetLedger, createBudgetLedger } from "./budget-ledger.ts";
import { createMemoryLedgerStore } from "./ledger-store.ts";
import { createPayingClient, type PaidCall, type PayingClientOptions } from "./paying-client.ts";

/** A dollar a million each way: a token costs one. */
const PRICE: Price = {
  tiers: [{ aboveInputTokens: 0, input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 }],
  asOf: "2026-01-01",
};
const FAILURE = { kind: "network", code: "reset", message: "gone" } as const;

describe("createPayingClient", () => {
  it("VA-22 X15 sets the worst case aside and settles what the provider reports", async () => {
    const { run, state, paid, reserved } = build([{ text: "ok", usage: { inputTokens: 100, outputTokens: 50 } }]);
    expect((await run()).content).toBe("ok");
    expect(reserved[0]).toBeGreaterThan(100);
    expect(await state()).toMatchObject({ spentMicroUsd: 150, reservedMicroUsd: 0 });
    expect(paid).toMatchObject([{ model: "m", costMicroUsd: 150, usage: { estimated: false } }]);
  });

  it("takes the size that was measured, and estimates it otherwise, pictures included", async () => {
    const { run, reserved } = build(() => ({ text: "ok" }));
    const tokens = { tools: 0, system: 0, state: 0, history: 1_000, images: 0, total: 1_000 };
    await run({ size: { tokens, source: "counted" } });
    await run();
    await run({}, { messages: [said([{ type: "image", artifactId: "a", mimeType: "image/png" }])] });
    expect(reserved[0]).toBe(1_100);
    expect(reserved[1]).toBeLessThan(300);
    expect(reserved[2]).toBeGreaterThan(2_000);
  });

  it("VA-22 refuses before anything is used, by the ledger and by the limit of its own", async () => {
    const small = build([{ text: "never" }], { limit: 10 });
    await expect(small.run()).rejects.toMatchObject({ kind: "budget", code: "daily_limit" });
    const bounded = build([{ text: "never" }], {}, { limitMicroUsd: 10 });
    await expect(bounded.run()).rejects.toMatchObject({ kind: "budget", code: "run_limit" });
    for (const { llm, state, paid, told } of [small, bounded]) {
      expect([llm.requests, paid, told]).toEqual([[], [], []]);
      expect(await state()).toMatchObject({ spentMicroUsd: 0, reservedMicroUsd: 0 });
    }
  });

  it("pays for what a failed call had shown, and gives all back when nothing came", async () => {
    const shown = build([{ text: "a".repeat(30), error: FAILURE }]);
    await expect(shown.run()).rejects.toMatchObject({ code: "reset" });
    expect(shown.paid).toMatchObject([{ usage: { outputTokens: 10, estimated: true } }]);
    expect(await shown.state()).toMatchObject({ spentMicroUsd: shown.paid[0]?.costMicroUsd, reservedMicroUsd: 0 });
    const silent = build([{ error: FAILURE }]);
    await expect(silent.run()).rejects.toMatchObject({ code: "reset" });
    expect(await silent.state()).toMatchObject({ spentMicroUsd: 0, reservedMicroUsd: 0 });
  });

  it("invariant 7: settles at once when it is cancelled, although the model hangs", async () => {
    const { stream, state, paid } = build([{ text: "half", stall: true }]);
    const abort = new AbortController();
    const read = async (): Promise<void> => {
      for await (const _ of stream({ signal: abort.signal })) abort.abort(new Error("enough"));
    };
    await expect(read()).rejects.toThrow("enough");
    expect(paid).toHaveLength(1);
    expect(await state()).toMatchObject({ spentMicroUsd: paid[0]?.costMicroUsd, reservedMicroUsd: 0 });
  });

  it("tells what was used where there is no ledger, and needs no price then", async () => {
    const llm = scriptedModel([{ text: "ok" }]);
    const paid: PaidCall[] = [];
    const client = createPayingClient({ client: llm, onPaid: (one) => paid.push(one) });
    await client.run(REQUEST, context());
    expect(paid).toMatchObject([{ costMicroUsd: 0, usage: { inputTokens: 10 } }]);
  });
});

function said(parts: LLMRequest["messages"][number]["parts"]): LLMRequest["messages"][number] {
  return { id: "m1", role: "user", origin: "human", ts: "2026-01-01T00:00:00.000Z", parts };
}

const REQUEST: LLMRequest = {
  model: "m",
  system: [],
  messages: [said([{ type: "text", text: "How are you?" }])],
  tools: [],
  config: { maxTokens: 100 },
};

function context(parts: Partial<CallContext> = {}): CallContext {
  const timers = { firstEventMs: 1_000, idleMs: 1_000, attemptMs: 1_000 };
  return { signal: new AbortController().signal, clock: createFakeClock(), messageId: "m2", timers, ...parts };
}

function build(
  script: readonly ScriptStep[] | (() => ScriptStep),
  { limit = 1_000_000 } = {},
  parts: Partial<PayingClientOptions> = {},
) {
  const llm = scriptedModel(script, { price: PRICE });
  const clock = createFakeClock();
  const open = createBudgetLedger({ limits: { day: limit }, timeZone: "UTC", clock, store: createMemoryLedgerStore() });
  const [paid, told, reserved]: [PaidCall[], string[], number[]] = [[], [], []];
  const ledger: BudgetLedger = {
    ...open,
    reserve: (request) => {
      reserved.push(request.worstMicroUsd);
      return open.reserve(request);
    },
  };
  const client = createPayingClient({
    client: llm,
    budget: { ledger },
    onPaid: (one) => paid.push(one),
    onReserved: () => told.push("reserved"),
    ...parts,
  });
  const run = (given: Partial<CallContext> = {}, request: Partial<LLMRequest> = {}) =>
    client.run({ ...REQUEST, ...request }, context(given));
  const stream = (given: Partial<CallContext>) => client.stream(REQUEST, context(given));
  return { llm, run, stream, state: () => open.state("day"), paid, told, reserved };
}
