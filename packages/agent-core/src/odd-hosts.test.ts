import { describe, expect, it } from "vitest";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "./anthropic.ts";
import { createBudgetLedger, createMemoryLedgerStore, type ExecuteInput, type Price, systemClock } from "./index.ts";
import { createTestAgent, type ScriptStep, scriptedModel, startAnthropicLoopback, testTool } from "./testing.ts";

const PRICE: Price = {
  tiers: [{ aboveInputTokens: 0, input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 }],
  asOf: "2026-01-01",
};

describe("a program without types", () => {
  it.each([
    ["no principal", { principal: undefined }],
    ["a principal without an id", { principal: {} }],
    ["a signal that is none", { signal: {} }],
  ])("AF-29 gets a failed run for %s, and no exception", async (_, given) => {
    const { executor } = createTestAgent([{ text: "ok" }]);
    const input = { sessionId: "s", text: "Hi", principal: { userId: "ada" }, ...given } as unknown as ExecuteInput;
    expect(await executor.execute(input).outcome).toMatchObject({ status: "failed", error: { code: "bad_options" } });
    expect(executor.activeRun("s")).toBeUndefined();
  });

  it("AF-31 may change the events it is told: others hear them as they were", async () => {
    const agent = createTestAgent([{ text: "ok" }], {
      onEvent: (event) => void Reflect.deleteProperty(event, "seq"),
    });
    const run = agent.executor.execute({ sessionId: "s", text: "Hi", principal: { userId: "ada" } });
    await run.outcome;
    const seqs: number[] = [];
    for await (const event of run) {
      seqs.push(event.seq);
      Reflect.deleteProperty(event, "seq");
    }
    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
    let count = 0;
    for await (const _ of run) count += 1;
    expect(count).toBe(seqs.length);
  });

  it.each([undefined, { text: 5 }, { text: "short", usage: { inputTokens: Number.NaN } }])(
    "VA-16 may give %j for a summary: the outline stands in, and the run tells of it",
    async (summary) => {
      const summarizer = { summarize: async () => summary as never };
      const steps: ScriptStep[] = Array.from({ length: 12 }, () => ({ text: "words ".repeat(100) }));
      const agent = createTestAgent(steps, { context: { budget: { window: 1_000, reserveOutput: 100 }, summarizer } });
      const outcomes = [];
      for (const _ of steps) outcomes.push((await agent.talk("Go on.")).outcome);
      expect(outcomes.map(({ status }) => status)).toEqual(steps.map(() => "finished"));
      const told = outcomes.flatMap(({ warnings }) => warnings).filter(({ code }) => code === "host_callback");
      expect(told[0]?.message).toMatch(/context\.summarizer.*must give \{ text, usage \}/);
    },
  );

  it.each([
    ["takePassed", "rejects", { takePassed: () => Promise.reject(new Error("gone")) }],
    ["reserve", "gives nothing", { reserve: async () => undefined }],
  ])("VA-22 hears that %s of its ledger %s", async (_, __, broken) => {
    const limits = { limits: { day: 1_000_000 }, timeZone: "UTC", clock: systemClock };
    const real = createBudgetLedger({ ...limits, store: createMemoryLedgerStore() });
    const ledger = new Proxy(real, {
      get: (target, key) => {
        const value: unknown = key in broken ? Reflect.get(broken, key) : Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const llm = scriptedModel([{ text: "ok" }], { price: PRICE });
    const { outcome } = await createTestAgent([], { llm, budget: { ledger } }).talk("Hi");
    expect(outcome).toMatchObject({ status: "failed", error: { code: "host_callback" } });
  });
});

describe("what would change the price of a call", () => {
  it.each([
    ["model", "dearest"],
    ["n", 8],
  ])("VA-22 is refused among the provider's options: %s", async (name, value) => {
    const agent = createTestAgent([{ text: "ok" }]);
    const { outcome } = await agent.talk("Hi", { config: { providerOptions: { [name]: value } } });
    expect(outcome).toMatchObject({ status: "failed", error: { code: "bad_options" } });
  });
});

describe("options for the provider with a secret in them", () => {
  it("VI-13 are the same after a pause, and a token on disk", async () => {
    const secret = "hunter2hunter2";
    const approved = testTool("look", async () => "seen", { approval: "always" });
    const agent = createTestAgent([{ toolCalls: [{ name: "look" }] }, { text: "ok" }], {
      tools: [approved],
      secrets: [secret],
    });
    const config = { providerOptions: { token: secret } };
    const { outcome } = await agent.talk("Hi", { config });
    if (outcome.status !== "paused") throw new Error(outcome.status);
    const { id, token } = outcome.pause;
    await agent.executor.resume(id, { kind: "approve", token }, { principal: { userId: "ada" } }).outcome;
    expect(agent.llm.requests.map((request) => request.config?.providerOptions)).toEqual([
      config.providerOptions,
      config.providerOptions,
    ]);
    expect(JSON.stringify(await agent.options.sessions.read("s1"))).not.toContain(secret);
  });
});

describe("odd calls of a model", () => {
  it("Complaint 8: arguments nested too deep are told to the model and do not run", async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    let ran = 0;
    const server = await startAnthropicLoopback({
      script: [
        { blocks: [{ type: "tool_use", name: "look", input: deep, id: "t1" }] },
        { blocks: [{ type: "text", text: "Sorry." }] },
      ],
    });
    const llm = createAnthropicClient({ baseURL: server.url, apiKey: server.apiKey, refreshProfiles: false });
    const tools = [testTool("look", async () => String(++ran))];
    const agent = createTestAgent([], { llm, model: DEFAULT_ANTHROPIC_MODEL, tools });
    const { outcome } = await agent.talk("Hi");
    expect([outcome.status, ran]).toEqual(["finished", 0]);
    expect(JSON.stringify(server.requests[1])).toContain("nested too deep");
    await server.close();
  });

  it("VA-19 calls that another provider named go to Anthropic under names that it takes", async () => {
    const server = await startAnthropicLoopback({ script: [{ blocks: [{ type: "text", text: "Good." }] }] });
    const tools = [testTool("look", async () => "seen")];
    const id = "functions.look:0";
    const first = createTestAgent([{ toolCalls: [{ name: "look", id }] }, { text: "ok" }], { tools });
    await first.talk("Hi");
    const llm = createAnthropicClient({ baseURL: server.url, apiKey: server.apiKey, refreshProfiles: false });
    const second = createTestAgent([], {
      llm,
      model: DEFAULT_ANTHROPIC_MODEL,
      tools,
      sessions: first.options.sessions,
    });
    const { outcome } = await second.talk("Again");
    expect(outcome.status).toBe("finished");
    const ids = [...JSON.stringify(server.requests[0]).matchAll(/"(?:id|tool_use_id)":"([^"]+)"/g)].map(
      ([, one]) => one,
    );
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^functions_look_0_[0-9a-f]{12}$/);
    await server.close();
  });
});
