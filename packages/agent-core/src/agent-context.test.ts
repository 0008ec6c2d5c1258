import { describe, expect, it } from "vitest";
import { toMessages } from "./context.ts";
import {
  type AgentExecutorOptions,
  createMemorySessionStore,
  type EnvPatch,
  type LLMClient,
  type Message,
  NO_USAGE,
} from "./index.ts";
import {
  createFakeClock,
  createTestAgent,
  type ScriptStep,
  scriptedModel,
  type TestAgent,
  testMessage,
  testTool,
  untilEvent,
} from "./testing.ts";

const OVERFLOW: ScriptStep = { error: { kind: "agent", code: "context_overflow", message: "prompt is too long" } };
const TOO_LARGE: ScriptStep = { error: { kind: "invalid", code: "request_too_large", message: "413" } };
const UNBOUND: ScriptStep = { error: { kind: "invalid", code: "reasoning_binding", message: "signature" } };

describe("a request that the provider refuses", () => {
  it("AI-18 is made smaller once when it is too long", async () => {
    const agent = long([OVERFLOW, { text: "Short enough." }]);
    const { outcome, events } = await agent.talk("And now?");
    expect(outcome).toMatchObject({ status: "finished", text: "Short enough." });
    const [before, after] = agent.llm.requests.slice(-2).map((request) => JSON.stringify(request.messages).length);
    expect(after).toBeLessThan(before ?? 0);
    expect(events.some(({ type }) => type === "context")).toBe(true);
    expect(states(events)).toContain("compacting");
  });

  it("AI-18 ends with context_exhausted when that does not help", async () => {
    const { outcome } = await long([OVERFLOW, OVERFLOW]).talk("And now?");
    expect(outcome).toMatchObject({ status: "stopped", reason: "context_exhausted" });
  });

  it("AI-18 fails when its body is too large and there is nothing to leave out", async () => {
    const { outcome } = await createTestAgent([TOO_LARGE]).talk("Hi");
    expect(outcome).toMatchObject({ status: "failed", error: { code: "request_too_large" } });
  });

  it("AI-18 is sent once more without the thinking that no longer fits, for good", async () => {
    const agent = createTestAgent([{ thinking: "Hm", text: "one" }, UNBOUND, { text: "two" }, { text: "three" }]);
    await agent.talk("1");
    const { outcome } = await agent.talk("2");
    expect(outcome).toMatchObject({
      text: "two",
      warnings: [expect.objectContaining({ code: "reasoning_dropped" })],
    });
    await agent.talk("3");
    expect(agent.llm.requests.map(({ messages }) => JSON.stringify(messages).includes('"reasoning"'))).toEqual([
      false,
      true,
      false,
      false,
    ]);
    expect((await createTestAgent([UNBOUND, UNBOUND]).talk("Hi")).outcome).toMatchObject({ status: "failed" });
  });

  it("goes on after the model's window was full, once", async () => {
    const full: ScriptStep = { text: "It is a lo", stop: "context_exceeded" };
    const { outcome } = await long([full, { text: "ng story." }]).talk("And now?");
    expect(outcome).toMatchObject({ by: "model", text: "It is a long story." });
    expect((await long([full, full]).talk("And now?")).outcome).toMatchObject({
      status: "stopped",
      reason: "context_exhausted",
    });
  });
});

describe("a long conversation", () => {
  it("VA-16 is summarised, after the host had its say, and goes on", async () => {
    const flushed: number[] = [];
    const llm = scriptedModel(
      ({ messages }, number) => ({
        text: `${number}: ${"word ".repeat(200)}`,
        usage: { inputTokens: Math.ceil(JSON.stringify(messages).length / 4) },
      }),
      { contextWindow: 3_000, maxOutput: 500 },
    );
    const agent = createTestAgent([], {
      llm,
      flush: async (messages) => void flushed.push(messages.length),
    });
    let compactions = 0;
    for (let turn = 0; turn < 12; turn++) {
      const { outcome, events } = await agent.talk(`Message ${turn} ${"word ".repeat(50)}`);
      expect(outcome).toMatchObject({ status: "finished", by: "model" });
      compactions += outcome.metrics.compactions;
      if (outcome.metrics.compactions > 0) expect(states(events)).toContain("compacting");
    }
    expect(compactions).toBeGreaterThan(0);
    expect(flushed).toHaveLength(compactions);
    expect(toMessages(await agent.options.sessions.read("s1")).length).toBeLessThan(24);
  });
});

describe("a large context", () => {
  it("SC-18.4 is answered although it takes minutes, and its text is shown as it comes", async () => {
    const clock = createFakeClock();
    const llm = slowed(scriptedModel([{ text: "a long answer", chunks: 13 }]), () => clock.sleep(10_000));
    const agent = createTestAgent([], { llm, clock });
    const run = agent.executor.execute(testMessage("word ".repeat(20_000)));
    let shown = "";
    const listening = (async () => {
      for await (const event of run) if (event.type === "text_delta") shown += event.text;
    })();
    await untilEvent(run, "request");
    await clock.advance(65_000);
    expect(shown).toBe("a long");
    await clock.advance(120_000);
    expect(await run.outcome).toMatchObject({ status: "finished", text: "a long answer" });
    await listening;
  });
});

describe("the environment", () => {
  const fact = (value: string): EnvPatch => ({ op: "append", path: "/knowledge/discoveredFacts", value });
  const learn = testTool("learn", async ({ fact: value }) => ({
    content: [{ type: "text", text: "noted" }],
    env: [fact(String(value))],
  }));

  it("X4 is told at the end of the conversation: what tools changed, after the results", async () => {
    const agent = build([{ toolCalls: [{ name: "learn", args: { fact: "quiet" } }] }, { text: "ok" }], {
      tools: [learn],
    });
    await agent.talk("Look");
    expect(agent.llm.requests[0]?.messages.flatMap(notes)).toEqual([]);
    expect(agent.llm.requests[1]?.messages.flatMap(notes)).toMatchObject([
      { envVersion: 1, text: expect.stringContaining("quiet") },
    ]);
    const kinds = (await agent.options.sessions.read("s1")).map(({ type }) => type);
    expect(kinds.indexOf("env")).toBeLessThan(kinds.lastIndexOf("message"));
  });

  it("X4 is not told again while nothing changed, and survives a restart", async () => {
    const sessions = createMemorySessionStore();
    const first = build([{ toolCalls: [{ name: "learn", args: { fact: "quiet" } }] }, { text: "ok" }], {
      tools: [learn],
      sessions,
    });
    await first.talk("Look");
    const seen: string[] = [];
    const look = testTool("look", async (_, { env }) => `${seen.push(...env.knowledge.discoveredFacts)}`);
    const second = build([{ toolCalls: [{ name: "look" }] }, { text: "ok" }], { tools: [look], sessions });
    await second.talk("Again");
    expect(seen).toEqual(["quiet"]);
    expect(second.llm.requests[1]?.messages.flatMap(notes)).toHaveLength(1);
  });

  it("begins with what the host says, as a snapshot", async () => {
    const agent = build([{ text: "ok" }], { environment: { initial: { task: { objective: "Guard the gate" } } } });
    await agent.talk("Hi");
    expect(agent.llm.requests[0]?.messages.flatMap(notes)).toMatchObject([
      { kind: "snapshot", text: expect.stringContaining("Guard the gate") },
    ]);
  });

  it("AF-3 refuses a change that does not fit its schema, and the run goes on", async () => {
    const agent = build([{ toolCalls: [{ name: "learn", args: { fact: "quiet" } }] }, { text: "ok" }], {
      tools: [learn],
      environment: { schema: { properties: { knowledge: { properties: { discoveredFacts: { maxItems: 0 } } } } } },
    });
    const { outcome, events } = await agent.talk("Look");
    expect(outcome).toMatchObject({ status: "finished" });
    expect(events.find(({ type }) => type === "error")).toMatchObject({ stopsRun: false });
    expect((await agent.options.sessions.read("s1")).some(({ type }) => type === "env")).toBe(false);
  });
});

function build(script: readonly ScriptStep[], parts: Partial<AgentExecutorOptions> = {}): TestAgent {
  return createTestAgent(script, parts);
}

/** An agent that has looked often before; `steps` follow. */
function long(steps: readonly ScriptStep[]): TestAgent {
  const look = testTool("look", async ({ n }) => `${String(n)}: ${"quiet ".repeat(400)}`);
  const before = Array.from({ length: 12 }, (_, n): ScriptStep => ({ toolCalls: [{ name: "look", args: { n } }] }));
  const script = [...before, { text: "All quiet." }, ...steps];
  const agent = createTestAgent(script, { tools: [look] });
  return {
    ...agent,
    async talk(text) {
      await agent.talk("Look everywhere");
      return agent.talk(text);
    },
  };
}

/** The same model, which waits before each piece. */
function slowed(llm: LLMClient, wait: () => Promise<void>): LLMClient {
  return {
    ...llm,
    stream(request, context) {
      const stream = llm.stream(request, context);
      return {
        result: () => stream.result(),
        async *[Symbol.asyncIterator]() {
          for await (const delta of stream) {
            await wait();
            yield delta;
          }
        },
      };
    },
  };
}

function notes({ parts }: Message) {
  return parts.flatMap((part) => (part.type === "state_note" ? [part] : []));
}

function states(events: Awaited<ReturnType<TestAgent["talk"]>>["events"]): readonly string[] {
  return events.flatMap((event) => (event.type === "state" ? [event.to] : []));
}

describe("what is said during a compaction", () => {
  it("is heard in order, and the summary does not swallow it", async () => {
    const words = "word ".repeat(120);
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let isHeld = false;
    const llm = scriptedModel(
      ({ messages }, number) => ({
        text: `${number}: ${words}`,
        usage: { inputTokens: Math.ceil(JSON.stringify(messages).length / 4) },
      }),
      { contextWindow: 3_000, maxOutput: 500 },
    );
    const summarizer = {
      async summarize() {
        begun.resolve();
        if (!isHeld) await held.promise;
        isHeld = true;
        return { text: "Before.", usage: NO_USAGE };
      },
    };
    const agent = createTestAgent([], { llm, context: { summarizer } });
    let run = agent.executor.execute(testMessage(`first ${words}`));
    for (let turn = 0; turn < 12; turn++) {
      const isCompacting = await Promise.race([begun.promise.then(() => true), run.outcome.then(() => false)]);
      if (isCompacting) break;
      run = agent.executor.execute(testMessage(`message ${turn} ${words}`));
    }
    for (const said of ["STEER-A", "STEER-B", "STEER-C"])
      expect(run.steer(`${said} ${"word ".repeat(340)}`)).toBe("queued");
    expect(run.followUp("FOLLOW-UP")).toBe("queued");
    held.resolve();
    expect(await run.outcome).toMatchObject({ status: "finished" });
    const requests = llm.requests.map((request) => JSON.stringify(request.messages));
    const heard = requests.find((text) => text.includes("STEER-A")) ?? "";
    expect(heard).toMatch(/STEER-A.*STEER-B.*STEER-C/);
    expect(requests.at(-1)).toContain("FOLLOW-UP");
  });
});
