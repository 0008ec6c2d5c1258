import { describe, expect, it } from "vitest";
import { type Clock, sleepCancelled } from "../types/clock.ts";
import { AgentError } from "../types/errors.ts";
import { createRetryBudget, type RetryOptions, withRetries } from "./retry.ts";

describe("withRetries", () => {
  it("AI-12 VA-9 tries again with doubled bounds and full jitter", async () => {
    const { slept, outcome } = retry({ failures: Array(4).fill(overloaded()), random: () => 0.5 });
    expect(await outcome).toBe("answer 5");
    expect(slept).toEqual([250, 500, 1_000, 2_000]);
  });

  it("caps the wait at eight seconds", async () => {
    const { slept } = await settled(
      retry({ failures: Array(7).fill(overloaded()), random: () => 0.999_999, policy: { maxAttempts: 8 } }),
    );
    expect(slept.slice(-2)).toEqual([8_000, 8_000]);
  });

  it("gives up after the last attempt with the last error", async () => {
    const { outcome, slept } = retry({ failures: Array(9).fill(overloaded()) });
    await expect(outcome).rejects.toMatchObject({ code: "overloaded" });
    expect(slept).toHaveLength(4);
  });

  it("AI-18 does not repeat what cannot get better", async () => {
    const bad = new AgentError({ kind: "invalid", code: "bad_request", message: "no" });
    const { outcome, slept } = retry({ failures: [bad] });
    await expect(outcome).rejects.toBe(bad);
    expect(slept).toEqual([]);
  });

  it("waits as long as the provider asks, up to a minute", async () => {
    const { slept } = await settled(retry({ failures: [limited(59_000)] }));
    expect(slept).toEqual([59_000]);
    await expect(retry({ failures: [limited(61_000)] }).outcome).rejects.toMatchObject({ retryAfterMs: 61_000 });
  });

  it("AI-14 stops waiting when the signal fires", async () => {
    const controller = new AbortController();
    const sleep: Clock["sleep"] = (_, signal) =>
      new Promise((_done, fail) => {
        signal?.addEventListener("abort", () => fail(sleepCancelled(signal)));
        setImmediate(() => controller.abort());
      });
    const { outcome } = retry({ failures: [overloaded()], signal: controller.signal, sleep });
    await expect(outcome).rejects.toMatchObject({ kind: "cancelled" });
  });

  it("tells of each retry before the wait", async () => {
    const told: number[] = [];
    await retry({ failures: [overloaded(), overloaded()], onRetry: ({ attempt }) => told.push(attempt) }).outcome;
    expect(told).toEqual([2, 3]);
  });
});

describe("createRetryBudget", () => {
  it("complaint 3: caps the retries of all layers together", async () => {
    const budget = createRetryBudget({ max: 3 });
    const inner = (): Promise<string> => retry({ failures: Array(9).fill(overloaded()), budget }).outcome;
    let calls = 0;
    const outer = retry({
      failures: [],
      budget,
      attempt: async () => {
        calls += 1;
        return inner();
      },
    });
    await expect(outer.outcome).rejects.toMatchObject({ code: "overloaded" });
    expect([calls, budget.tryTake()]).toEqual([1, false]);
  });
});

type Setup = Partial<RetryOptions<string>> & {
  readonly failures: readonly AgentError[];
  readonly sleep?: Clock["sleep"];
};

function retry({ failures, sleep, ...options }: Setup): {
  readonly outcome: Promise<string>;
  readonly slept: number[];
} {
  const slept: number[] = [];
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep:
      sleep ??
      (async (ms) => {
        slept.push(ms);
      }),
  };
  const attempt = async (number: number): Promise<string> => {
    const failure = failures[number - 1];
    if (failure) throw failure;
    return `answer ${number}`;
  };
  const outcome = withRetries({ attempt, clock, random: () => 0, signal: new AbortController().signal, ...options });
  outcome.catch(() => undefined);
  return { outcome, slept };
}

async function settled<T extends { readonly outcome: Promise<string> }>(run: T): Promise<T> {
  await run.outcome;
  return run;
}

function overloaded(): AgentError {
  return new AgentError({ kind: "agent", code: "overloaded", message: "busy", retryable: true });
}

function limited(retryAfterMs: number): AgentError {
  return new AgentError({ kind: "rate_limit", code: "rate_limited", message: "slow", retryable: true, retryAfterMs });
}
