import { describe, expect, it } from "vitest";
import type { CallContext, LLMRequest, Price } from "../llm/llm-client.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { type ScriptStep, scriptedModel } from "../testing/scripted-model.ts";
import type { AgentError } from "../types/errors.ts";
import type { Usage } from "../types/message.ts";
import { type BudgetLedger, createBudgetLedger } from "./budget-ledger.ts";
import { createMemoryLedgerStore } from "./ledger-store.ts";
import { createPayingClient, type PaidCall, type PayingClientOptions } from "./paying-client.ts";
import { createSpendLimit } from "./spend-limit.ts";

/** A dollar a million each way: a token costs one. */
const PRICE: Price = {
  tiers: [{ aboveInputTokens: 0, input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 }],
  asOf: "2026-01-01",
};
const FAILURE = { kind: "network", code: "reset", message: "gone" } as const;
const REFUSED = { kind: "rate_limit", code: "rate_limited", message: "later", status: 429 } as const;
const UNREACHED = { kind: "network", code: "connect", message: "nobody there" } as const;

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
    const bounded = build([{ text: "never" }], {}, { limit: createSpendLimit(10) });
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
    for (const error of [REFUSED, UNREACHED]) {
      const silent = build([{ error }]);
      await expect(silent.run()).rejects.toMatchObject({ code: error.code });
      expect(silent.paid).toEqual([]);
      expect(await silent.state()).toMatchObject({ spentMicroUsd: 0, reservedMicroUsd: 0 });
    }
  });

  it("pays for the prompt of a call that was cut before anything came, since it may be billed", async () => {
    const cut = build([{ error: FAILURE }]);
    await expect(cut.run()).rejects.toMatchObject({ code: "reset" });
    expect(cut.paid).toMatchObject([{ usage: { outputTokens: 0, estimated: true } }]);
    expect(cut.paid[0]?.costMicroUsd).toBeGreaterThan(0);
    expect(await cut.state()).toMatchObject({ spentMicroUsd: cut.paid[0]?.costMicroUsd, reservedMicroUsd: 0 });
  });

  it("counts thinking and the arguments of calls in what a cut call showed", async () => {
    const costOf = async (step: ScriptStep): Promise<number> => {
      const { run, paid } = build([{ ...step, error: FAILURE }]);
      await expect(run()).rejects.toMatchObject({ code: "reset" });
      return paid[0]?.costMicroUsd ?? 0;
    };
    const nothing = await costOf({});
    expect(await costOf({ thinking: "t".repeat(60) })).toBeGreaterThanOrEqual(nothing + 20);
    const call = { name: "look", args: { at: "a".repeat(60) } };
    expect(await costOf({ toolCalls: [call] })).toBeGreaterThanOrEqual(nothing + 20);
    // Three bytes a sign: no language is cheap.
    expect(await costOf({ text: "門".repeat(60) })).toBeGreaterThanOrEqual(nothing + 60);
  });

  it("never estimates a cut call above what was reserved for it", async () => {
    const { run, paid, reserved } = build([{ text: "a".repeat(100_000), error: FAILURE }]);
    await expect(run()).rejects.toMatchObject({ code: "reset" });
    expect(paid).toMatchObject([{ costMicroUsd: reserved[0], usage: { outputTokens: 100 } }]);
  });

  it.each<[string, Partial<Usage>]>([
    ["does not report", { inputTokens: 0, outputTokens: 0, estimated: true }],
    ["reports nothing but zeros", { inputTokens: 0, outputTokens: 0 }],
  ])("charges an estimate where the server %s", async (_, usage) => {
    const { run, paid, state } = build([{ text: "a".repeat(30), usage }]);
    const response = await run();
    expect(response.usage).toMatchObject({ outputTokens: 10, estimated: true });
    expect(response.usage.inputTokens).toBeGreaterThan(0);
    expect(paid[0]?.costMicroUsd).toBeGreaterThan(10);
    expect(await state()).toMatchObject({ spentMicroUsd: paid[0]?.costMicroUsd, reservedMicroUsd: 0 });
  });

  it("VA-22 checks each call against what the calls before it may have cost", async () => {
    const { run, paid } = build(
      () => ({ text: "a".repeat(200), error: FAILURE }),
      {},
      { limit: createSpendLimit(300) },
    );
    const codes: unknown[] = [];
    for (let attempt = 0; attempt < 5; attempt++) codes.push(await run().catch(({ code }: AgentError) => code));
    expect(codes.slice(-2)).toEqual(["run_limit", "run_limit"]);
    expect(paid.length).toBeGreaterThan(0);
    expect(paid.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0)).toBeLessThanOrEqual(300);
  });

  it("takes a cap among the provider's own options for the worst case", async () => {
    const { run, reserved } = build(() => ({ text: "ok" }));
    await run();
    await run({}, { config: { maxTokens: 100, providerOptions: { max_tokens: 5_000 } } });
    expect(reserved[1]).toBe((reserved[0] ?? 0) + 4_900);
  });

  it("refuses a model whose price nobody knows only where a limit has to hold", async () => {
    const limited = createPayingClient({ client: scriptedModel([]), limit: createSpendLimit(1) });
    await expect(limited.run(REQUEST, context())).rejects.toMatchObject({ kind: "budget", code: "unknown_price" });
    const free = createPayingClient({
      client: scriptedModel([{ text: "ok" }], { price: "free" }),
      limit: createSpendLimit(0),
    });
    expect(await free.run(REQUEST, context())).toMatchObject({ content: "ok" });
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
