import {
  createBudgetLedger,
  createMemoryArtifactStore,
  createMemoryLedgerStore,
  createMemorySessionStore,
  type ExecuteInput,
  type LLMRequest,
  type Price,
  systemClock,
} from "@vision-agent/agent-core";
import { createCountingIds, createFakeClock, type ScriptStep, scriptedModel } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import { openBudgetView } from "./budget-view.ts";
import { createVisionAgent, type Speaker } from "./vision-agent.ts";

/** A dollar a million each way: a token costs one. */
const PRICE: Price = {
  tiers: [{ aboveInputTokens: 0, input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 }],
  asOf: "2026-01-01",
};
const CHEAP: Price = {
  ...PRICE,
  tiers: PRICE.tiers.map((tier) => ({ ...tier, input: 0.1, cacheWrite5m: 0.1, output: 0.1 })),
};
const CONFIG = { maxTokens: 1_000 };
const STAND_INS: Wanted["standIns"] = {
  smaller: { model: "small-1", config: CONFIG, price: CHEAP },
  offline: {
    known: () => ({ cameras: [], pipelines: [], watches: [], tasks: [] }),
    modelFor: () => "sim/truth",
    timeZone: "UTC",
  },
};

describe("64 turns at once under a daily limit that fits eleven", () => {
  it("never reserve and spend more than the limit, and the others say why they did not run", async () => {
    // Each reserves about 1,020 at worst and spends 900; a tenth is kept for alerts. The eleventh waits for the others.
    const limit = 11_500;
    const seen: number[] = [];
    const { agent, ledger } = await build({
      limit,
      standIns: {},
      script: async () => {
        const { spentMicroUsd, reservedMicroUsd } = await ledger.state("day");
        seen.push(spentMicroUsd + reservedMicroUsd);
        return { text: "Two cars.", usage: { inputTokens: 20, outputTokens: 880 } };
      },
    });
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, (_, at) => ask(agent, `session_${at}`, "What do you see?")),
    );
    const answered = outcomes.filter((outcome) => outcome.status === "finished");
    const refused = outcomes.filter((outcome) => outcome.status === "stopped" && outcome.reason === "budget");
    expect([answered.length, refused.length]).toEqual([11, 53]);
    for (const outcome of refused) {
      expect(outcome).toMatchObject({ message: expect.stringMatching(/Stopped at the cost limit.*0\.0115 USD a day/) });
    }
    expect(Math.max(...seen)).toBeLessThanOrEqual(limit);
    expect(await ledger.state("day")).toMatchObject({ spentMicroUsd: 9_900, reservedMicroUsd: 0 });
    await agent.executor.close();
  });
});

describe("the ladder", () => {
  it("has the configured model answer while there is money, in silence", async () => {
    const { agent } = await build({ limit: 1_000_000 });
    expect(await ask(agent, "s1", "Hi")).toMatchObject({ text: "scripted-1 speaks." });
    await agent.executor.close();
  });

  it("has a smaller model stand in when money is short, and says so in the answer", async () => {
    const { agent } = await build({ limit: 20_000 });
    expect(await ask(agent, "s1", "Hi")).toMatchObject({
      text:
        "small-1 speaks.\n\n(The money for today is nearly used up, 0.00 USD of 0.02 USD: " +
        "small-1 answers in place of scripted-1 until midnight.)",
    });
    await agent.executor.close();
  });

  it("S000-10.5 has nobody stand in for a heartbeat: without money it does not run", async () => {
    const { agent } = await build({ limit: 1_000 });
    const beat = { sessionId: "s1", text: "Heartbeat check.", principal: { userId: "owner" }, origin: "heartbeat" };
    expect(await agent.executor.execute(beat as ExecuteInput).outcome).toMatchObject({
      status: "stopped",
      reason: "budget",
    });
    await agent.executor.close();
  });

  it("has the offline interpreter stand in when it is used up, and says so in the answer", async () => {
    const { agent } = await build({ limit: 100 });
    expect(await ask(agent, "s1", "help")).toMatchObject({
      status: "finished",
      by: "model",
      text: expect.stringMatching(/the offline interpreter answers in place of scripted-1 until midnight\.\)$/),
    });
    await agent.executor.close();
  });

  it("goes down as the day is spent and up again when the next one begins", async () => {
    const clock = createFakeClock();
    const { agent, budgetView } = await build({
      limit: 100_000,
      clock,
      script: (request) => ({ text: `${request.model} speaks.`, usage: { inputTokens: 30_000, outputTokens: 0 } }),
    });
    const speak = async (): Promise<string> => {
      const outcome = await ask(agent, "s1", "Hi");
      await budgetView.refresh();
      return outcome.status === "finished" ? (outcome.text.split(" ")[0] ?? "") : outcome.status;
    };
    expect([await speak(), await speak(), await speak()]).toEqual(["scripted-1", "scripted-1", "scripted-1"]);
    expect(await speak()).not.toBe("scripted-1");
    await clock.advance(24 * 3_600_000);
    expect(await speak()).toBe("scripted-1");
    await agent.executor.close();
  });

  it("asks with the defaults of the configuration, unless a message wants otherwise", async () => {
    const requests: LLMRequest[] = [];
    const { agent } = await build({
      limit: 1_000_000,
      script: (request) => {
        requests.push(request);
        return { text: "ok" };
      },
    });
    await ask(agent, "s1", "Hi");
    const more = { sessionId: "s1", text: "Hi", principal: { userId: "owner" }, config: { maxTokens: 7 } };
    await agent.executor.execute(more).outcome;
    expect(requests.map(({ config }) => config?.maxTokens)).toEqual([1_000, 7]);
    await agent.executor.close();
  });
});

interface Wanted {
  readonly limit: number;
  readonly standIns?: Pick<Extract<Speaker, { mode: "model" }>, "smaller" | "offline">;
  readonly script?: (request: LLMRequest) => ScriptStep | Promise<ScriptStep>;
  readonly clock?: ReturnType<typeof createFakeClock>;
}

async function build({ limit, script = speaksItsName, clock = createFakeClock(), standIns = STAND_INS }: Wanted) {
  const ledger = createBudgetLedger({
    limits: { day: limit },
    timeZone: "UTC",
    clock,
    store: createMemoryLedgerStore(),
  });
  const budgetView = await openBudgetView({ ledger, clock });
  const speaker: Speaker = {
    mode: "model",
    client: twoModels(script),
    model: "scripted-1",
    config: CONFIG,
    price: PRICE,
    ...standIns,
  };
  const agent = createVisionAgent({
    speaker,
    tools: [],
    prompt: { system: async () => [], state: async () => "" },
    sessions: createMemorySessionStore(),
    artifacts: createMemoryArtifactStore(),
    clock: systemClock,
    ids: createCountingIds(),
    budget: { ledger, budgetView },
  });
  return { agent, ledger, budgetView };
}

function speaksItsName({ model }: LLMRequest): ScriptStep {
  return { text: `${model} speaks.` };
}

/** Both models of a provider behind one client. */
function twoModels(script: (request: LLMRequest) => ScriptStep | Promise<ScriptStep>) {
  const dear = scriptedModel([], { price: PRICE });
  return {
    ...dear,
    profile: async (model: string) => ({
      ...(await dear.profile(model)),
      price: model === "small-1" ? CHEAP : PRICE,
    }),
    stream(request: LLMRequest, context: Parameters<typeof dear.stream>[1]) {
      const opened = (async () => {
        const step = await script(request);
        return scriptedModel([step]).stream(request, context);
      })();
      return {
        result: async () => (await opened).result(),
        async *[Symbol.asyncIterator]() {
          yield* await opened;
        },
      };
    },
  };
}

function ask({ executor }: Awaited<ReturnType<typeof build>>["agent"], sessionId: string, text: string) {
  return executor.execute({ sessionId, text, principal: { userId: "owner" } }).outcome;
}
