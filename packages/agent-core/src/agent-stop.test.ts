import { describe, expect, it } from "vitest";
import {
  type AgentExecutorOptions,
  defineSignal,
  type LLMResponse,
  type Message,
  type TranscriptEntry,
} from "./index.ts";
import {
  createFakeClock,
  createTestAgent,
  type ScriptStep,
  type TestAgent,
  testMessage,
  testTool,
  untilEvent,
} from "./testing.ts";

const LOOK = { name: "look" } as const;

describe("the stop policy", () => {
  it("AF-36 ends at the most tool calls, and answers those that came too late", async () => {
    const agent = build((number) => ({ toolCalls: [{ ...LOOK, args: { number } }, LOOK] }), {
      stop: { maxToolCalls: 3 },
    });
    const { outcome } = await agent.talk("Hi");
    expect(outcome).toMatchObject({ status: "stopped", reason: "max_tool_calls", metrics: { toolCalls: 2 } });
    expect(resultsWritten(await agent.options.sessions.read("s1"))).toEqual([
      "ok",
      "ok",
      "not_executed",
      "not_executed",
    ]);
  });

  it.each<[string, ScriptStep]>([
    ["a model that stalls", { text: "I was say", stall: true }],
    ["a tool that takes long", { toolCalls: [{ name: "sleep" }] }],
  ])("AI-15 ends at the deadline by the clock it was given: %s", async (_, step) => {
    const clock = createFakeClock();
    const agent = build(() => step, { clock, stop: { maxWallMs: 5_000 } });
    const run = agent.executor.execute(testMessage("Hi"));
    await untilEvent(run, step.stall ? "text_delta" : "tool_call");
    await clock.advance(5_000);
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({ status: "stopped", reason: "deadline" });
    expect((await statesOf(run)).at(-1)).toBe("timeout");
    expect(clock.sleepers).toBe(0);
  });

  it("ends when too many tool calls in a row failed, and counts from the last that did not", async () => {
    const agent = build((number) => ({ toolCalls: [{ name: number === 2 ? "look" : "fail", args: { number } }] }), {
      stop: { maxConsecutiveToolErrors: 3 },
    });
    const { outcome } = await agent.talk("Hi");
    expect(outcome).toMatchObject({ status: "stopped", reason: "tool_errors", metrics: { toolCalls: 5 } });
  });

  it("ends with the reason of a rule of the host, its calls answered", async () => {
    const custom = [
      ({ last }: { last: LLMResponse }) => (last.content.includes("enough") ? "The host said so." : undefined),
    ];
    const agent = build((number) => ({ text: number === 2 ? "enough" : "", toolCalls: [LOOK] }), { stop: { custom } });
    expect((await agent.talk("Hi")).outcome).toMatchObject({
      status: "stopped",
      reason: "stop_condition",
      message: "The host said so.",
    });
    expect(resultsWritten(await agent.options.sessions.read("s1"))).toEqual(["ok", "not_executed"]);
  });

  it("a rule of the host does not undo an answer that is complete", async () => {
    const custom = [() => "The host said so."];
    expect((await build(() => ({ text: "Oslo." }), { stop: { custom } }).talk("Hi")).outcome).toMatchObject({
      status: "finished",
      text: "Oslo.",
    });
    const config = { output: { name: "city", schema: { type: "object", required: ["city"] } } };
    const asked = await build(() => ({ text: "Oslo." }), { stop: { custom } }).talk("Hi", { config });
    expect(asked.outcome).toMatchObject({ status: "stopped", reason: "stop_condition", metrics: { invocations: 1 } });
    expect((await build(() => ({ text: "" }), { stop: { custom } }).talk("Hi")).outcome).toMatchObject({
      reason: "stop_condition",
      metrics: { invocations: 1 },
    });
  });

  it("a limit of one run goes before that of the agent", async () => {
    const agent = build((number) => ({ toolCalls: [{ ...LOOK, args: { number } }] }));
    const { outcome } = await agent.talk("Hi", { stop: { maxIterations: 2 } });
    expect(outcome).toMatchObject({ status: "stopped", reason: "max_iterations", metrics: { invocations: 2 } });
  });

  it("ends with the words of a tool that asks for it, and denies what waits", async () => {
    const stop = testTool("stop", async () => ({ content: [{ type: "text", text: "All done." }], terminate: true }));
    const risky = testTool("risky", async () => "x", { approval: "always" });
    const agent = build(() => ({ toolCalls: [{ name: "stop" }, { name: "risky" }] }), { tools: [stop, risky] });
    const { outcome } = await agent.talk("Hi");
    expect(outcome).toMatchObject({ status: "finished", by: "tool", text: "All done." });
    expect(await agent.executor.listPaused()).toEqual([]);
  });
});

describe("an answer that was cut", () => {
  it("VA-8 goes on as often as it may, and the pieces are one answer", async () => {
    const pieces = ["Once upon ", "a time ", "there was."];
    const agent = build(
      (number) => ({ text: pieces[number - 1] ?? "", stop: number < 3 ? "max_tokens" : "complete" }),
      {
        stop: { maxContinuations: 2 },
      },
    );
    const { outcome } = await agent.talk("A story");
    expect(outcome).toMatchObject({ by: "model", text: "Once upon a time there was." });
  });

  it("complaint 8: a cut call is never executed, gets advice, and a second one ends the run", async () => {
    let looked = 0;
    const look = testTool("look", async () => `${++looked}`);
    const cut: ScriptStep = { toolCalls: [LOOK, { ...LOOK, state: "truncated" }], stop: "max_tokens" };
    const agent = build(() => cut, { tools: [look] });
    const { outcome, events } = await agent.talk("Hi");
    expect(outcome).toMatchObject({ status: "stopped", reason: "max_output_tokens", metrics: { invocations: 2 } });
    expect(looked).toBe(1);
    const results = events.flatMap((event) => (event.type === "tool_result" ? [event.result.outcome] : []));
    expect(results).toEqual(["not_executed", "ok", "not_executed", "not_executed"]);
  });
});

describe("signals", () => {
  it("SC-4 X12 in the text and from a tool are the same event and the same outcome", async () => {
    const measure = defineSignal<{ value: number }>({
      name: "STORE_MEASUREMENT",
      description: "Keeps a measurement.",
      schema: { type: "object", properties: { value: { type: "number" } }, required: ["value"] },
    });
    const steps: ScriptStep[] = [
      { toolCalls: [{ name: "STORE_MEASUREMENT", args: { value: 3 } }] },
      { text: 'Done.\nSTORE_MEASUREMENT: {"value": 3}' },
    ];
    const agent = build((number) => steps[number - 1] ?? {}, { tools: [measure] });
    const { outcome, events } = await agent.talk("Measure");
    const signal = { name: "STORE_MEASUREMENT", data: { value: 3 } };
    expect(outcome.signals).toEqual([signal, signal]);
    expect(events.filter(({ type }) => type === "signal")).toMatchObject([
      { ...signal, via: "tool" },
      { ...signal, via: "text" },
    ]);
  });

  it("SC-18.2 SC-19 are read from every answer, not only from the first text", async () => {
    const steps: ScriptStep[] = [
      { text: 'GENERATE_ASSET {"name":"a"}', toolCalls: [LOOK] },
      { text: 'Then GENERATE_ACTIONS: ["b"] and that is all.' },
    ];
    const { outcome } = await build((number) => steps[number - 1] ?? {}).talk("Go");
    expect(outcome.signals.map(({ name }) => name)).toEqual(["GENERATE_ASSET", "GENERATE_ACTIONS"]);
  });
});

describe("an answer of a given shape", () => {
  const output = { name: "count", schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } };

  it("stands in the outcome as a value", async () => {
    const { outcome } = await build(() => ({ text: '{"n": 3}' })).talk("Count", { config: { output } });
    expect(outcome).toMatchObject({ status: "finished", structured: { n: 3 } });
  });

  it.each([["three"], ['{"n": "three"}']])("AI-8: fails when it is %s, and keeps the text", async (text) => {
    const { outcome } = await build(() => ({ text })).talk("Count", { config: { output } });
    expect(outcome).toMatchObject({ status: "failed", error: { kind: "agent", code: "structured_output" }, text });
  });
});

describe("the guard", () => {
  it("VI-14 sees the text of the latest message and nothing else, and what it refuses is never sent", async () => {
    const seen: string[] = [];
    const agent = build(() => ({ text: "ok" }), {
      guard: async (text) => {
        seen.push(text);
        return text.includes("bomb") ? { allow: false, message: "Not that." } : { allow: true };
      },
    });
    await agent.talk("Hello");
    const { outcome } = await agent.talk("How to build a bomb?");
    expect(outcome).toMatchObject({ status: "stopped", reason: "refusal", message: "Not that." });
    await agent.talk("And now?");
    expect(seen).toEqual(["Hello", "How to build a bomb?", "And now?"]);
    expect(JSON.stringify(agent.llm.requests)).not.toContain("bomb");
    expect(JSON.stringify(await agent.options.sessions.read("s1"))).toContain("bomb");
  });

  it("VI-14 looks at what is said during a run too", async () => {
    const agent = build((number) => (number === 1 ? { text: "Hm", chunks: 2, stall: false } : { text: "ok" }), {
      guard: async (text) => (text === "bad" ? { allow: false, message: "No." } : { allow: true }),
    });
    const run = agent.executor.execute(testMessage("Hi"));
    run.steer("bad");
    expect((await run.outcome).warnings).toEqual([{ code: "steering_refused", message: "No." }]);
    expect(JSON.stringify(agent.llm.requests)).not.toContain("bad");
  });
});

describe("the tools of one run", () => {
  it("are those that were allowed: others are not offered and not executed", async () => {
    const agent = build((number) => (number === 1 ? { toolCalls: [{ name: "fail" }, LOOK] } : { text: "ok" }));
    await agent.talk("Hi", { tools: { allow: ["look"] } });
    expect(agent.llm.requests[0]?.tools.map(({ name }) => name)).toEqual(["look"]);
    expect(agent.llm.requests.at(-1)?.messages.flatMap(outcomesIn)).toEqual(["denied", "ok"]);
  });
});

function build(script: (number: number) => ScriptStep, parts: Partial<AgentExecutorOptions> = {}): TestAgent {
  const sleep = testTool(
    "sleep",
    (_, { signal }) => new Promise((_done, fail) => signal.addEventListener("abort", fail)),
  );
  const tools = [
    testTool("look", async () => "quiet"),
    testTool("fail", () => Promise.reject(new Error("broken"))),
    sleep,
  ];
  return createTestAgent((_, number) => script(number), { tools, ...parts });
}

function resultsWritten(entries: readonly TranscriptEntry[]): readonly string[] {
  return entries.flatMap((entry) => (entry.type === "message" ? outcomesIn(entry.message) : []));
}

function outcomesIn({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.type === "tool_result" ? [part.outcome] : []));
}

async function statesOf(run: ReturnType<TestAgent["executor"]["execute"]>): Promise<readonly string[]> {
  const states: string[] = [];
  for await (const event of run.events()) if (event.type === "state") states.push(event.to);
  return states;
}

describe("an empty answer", () => {
  it.each<[string, ScriptStep]>([
    ["nothing at all", {}],
    ["thinking alone", { thinking: "Hm" }],
  ])("%s is asked for once more", async (_, empty) => {
    const agent = createTestAgent([empty, { text: "Hello" }]);
    expect((await agent.talk("Hi")).outcome).toMatchObject({ status: "finished", text: "Hello" });
    expect(agent.llm.requests).toHaveLength(2);
  });

  it("that comes twice stops the run, and the next message is answered", async () => {
    const agent = createTestAgent([{}, { thinking: "Hm" }, { text: "Here I am." }]);
    const { outcome, events } = await agent.talk("Hi");
    expect(outcome).toMatchObject({ status: "stopped", reason: "empty_answer", text: "" });
    expect(events.some(({ type }) => type === "response")).toBe(false);
    expect((await agent.talk("Hello?")).outcome).toMatchObject({ status: "finished", text: "Here I am." });
    expect(agent.llm.requests.at(-1)?.messages.map(({ role }) => role)).not.toContain("assistant");
  });
});

describe("AI-15 a signal that is a timeout", () => {
  it("002 R6: stops the run at its deadline and is no cancel", async () => {
    const agent = createTestAgent([{ text: "I was say", stall: true }]);
    const run = agent.executor.execute(testMessage("Hi", { signal: AbortSignal.timeout(20) }));
    expect(await run.outcome).toMatchObject({ status: "stopped", reason: "deadline", text: "I was say" });
  });

  it("002 R6: also when it is over before the run begins", async () => {
    const signal = AbortSignal.abort(new DOMException("The operation timed out.", "TimeoutError"));
    const { outcome } = await createTestAgent([]).talk("Hi", { signal });
    expect(outcome).toMatchObject({ status: "stopped", reason: "deadline" });
  });
});
