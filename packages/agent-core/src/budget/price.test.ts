import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CachePlan, Price } from "../llm/llm-client.ts";
import { NO_USAGE, type Usage } from "../types/message.ts";
import { costMicroUsd, requirePrice, worstCaseMicroUsd } from "./price.ts";

const PRICE: Price = {
  tiers: [
    { aboveInputTokens: 100_000, input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite5m: 0.625, cacheWrite1h: 1 },
    { aboveInputTokens: 0, input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite5m: 0.125, cacheWrite1h: 0.2 },
  ],
  serverToolPer1k: 10,
  asOf: "2026-11-15",
};

describe("costMicroUsd", () => {
  it("VA-22 counts every kind of token at its own rate", () => {
    const usage = used({ inputTokens: 1_000, outputTokens: 1_000, cacheReadTokens: 1_000 });
    expect(costMicroUsd(usage, PRICE)).toBe(100 + 500 + 10);
    expect(costMicroUsd(used({ cacheWriteTokens: 1_000, cacheWrite1hTokens: 400 }), PRICE)).toBe(75 + 80);
  });

  it("chooses the tier by the whole prompt, cached tokens included", () => {
    expect(costMicroUsd(used({ cacheReadTokens: 100_000 }), PRICE)).toBe(1_000);
    expect(costMicroUsd(used({ cacheReadTokens: 100_001 }), PRICE)).toBe(5_001);
  });

  it("complaint 11: counts extra passes and the provider's own tools", () => {
    const pass = used({ outputTokens: 10 });
    expect(costMicroUsd({ ...pass, extraIterations: [pass, pass] }, PRICE)).toBe(15);
    expect(costMicroUsd(used({ serverToolRequests: 2 }), PRICE)).toBe(20_000);
  });

  it("is exact, whole and rounded up", () => {
    expect(costMicroUsd(used({ inputTokens: 30 }), PRICE)).toBe(3);
    expect(costMicroUsd(used({ inputTokens: 31 }), PRICE)).toBe(4);
    expect(costMicroUsd(NO_USAGE, PRICE)).toBe(0);
  });
});

describe("worstCaseMicroUsd", () => {
  it("takes the dearest rate that the plan allows", () => {
    expect(worst(10_000, plan(), 100)).toBe(1_000 + 50);
    expect(worst(10_000, plan("5m"), 100)).toBe(1_250 + 50);
    expect(worst(10_000, plan("5m", "1h"), 100)).toBe(2_000 + 50);
    expect(worst(10_000, undefined, 100)).toBe(1_250 + 50);
  });

  it("allows for an estimate that is short", () => {
    expect(worstCaseMicroUsd(report(10_000, "estimated"), 0, plan(), PRICE)).toBe(1_250);
  });

  it("is never less than what the call costs", () => {
    const tokens = fc.nat({ max: 200_000 });
    fc.assert(
      fc.property(tokens, tokens, tokens, tokens, (inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens) => {
        const usage = used({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens });
        const total = inputTokens + cacheReadTokens + cacheWriteTokens;
        expect(costMicroUsd(usage, PRICE)).toBeLessThanOrEqual(worst(total, plan("5m"), outputTokens));
      }),
      { numRuns: 50 },
    );
  });
});

function used(parts: Partial<Usage>): Usage {
  return { ...NO_USAGE, ...parts };
}

function plan(...ttls: readonly ("5m" | "1h")[]): CachePlan {
  return { breakpoints: ttls.map((ttl) => ({ after: "tools", ttl })), reason: "test" };
}

function report(total: number, source: "counted" | "estimated" = "counted") {
  return { tokens: { tools: 0, system: 0, state: 0, history: total, images: 0, total }, source };
}

function worst(total: number, cachePlan: CachePlan | undefined, maxTokens: number): number {
  return worstCaseMicroUsd(report(total), maxTokens, cachePlan, PRICE);
}

const stated: Price = { tiers: [], asOf: "2026-06-01" };
const assumed: Price = { tiers: [], asOf: "2026-01-01" };

describe("requirePrice", () => {
  it("takes what is stated before what is assumed", () => {
    expect(requirePrice({ id: "m", price: stated }, assumed)).toBe(stated);
    expect(requirePrice({ id: "m" }, assumed)).toBe(assumed);
  });

  it("complaint 11: refuses a model whose price nobody knows, since no limit would hold", () => {
    expect(() => requirePrice({ id: "m" }, undefined)).toThrow(
      expect.objectContaining({ kind: "budget", code: "unknown_price" }),
    );
  });
});
