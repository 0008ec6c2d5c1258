import { describe, expect, it } from "vitest";
import { createMemorySessionStore, createToolRegistry, type Tool } from "./index.ts";
import { createTestAgent, type ScriptStep, scriptedModel, type TestAgent, testTool } from "./testing.ts";

describe("tools that are loaded on demand", () => {
  it("are told by name and first sentence, after the tools that are always there", async () => {
    const agent = build([{ text: "Hi." }]);
    await agent.talk("Hi");
    const [request] = agent.llm.requests;
    expect(request?.tools.map(({ name }) => name)).toEqual(["look", "zoom", "load_tools"]);
    expect(request?.tools.at(-1)?.description).toContain("\n- paint: Paints a door\n- sing: Sings");
    expect(JSON.stringify(request?.tools)).not.toContain("Colour of the door");
  });

  it("stand behind the others once loaded, in the order of loading, and stay for the next message", async () => {
    const agent = build([load("sing"), load("paint", "look"), { text: "Ready." }, { text: "Still ready." }]);
    await agent.talk("Get ready");
    await agent.talk("And now?");
    const head = ["look", "zoom", "load_tools"];
    expect(sentTools(agent)).toEqual([head, [...head, "sing"], [...head, "sing", "paint"], [...head, "sing", "paint"]]);
    const texts = agent.llm.requests.map(({ tools }) => JSON.stringify(tools));
    // What a request says of its tools begins with all that the one before said.
    for (const [at, text] of texts.slice(1).entries())
      expect(text.startsWith(texts[at]?.slice(0, -1) ?? "?")).toBe(true);
  });

  it("are still loaded after a restart and after a compaction", async () => {
    const sessions = createMemorySessionStore();
    await build([load("sing"), { text: "Ready." }], { sessions }).talk("Get ready");
    const inputOf = (messages: object): number => Math.ceil(JSON.stringify(messages).length / 4);
    const llm = scriptedModel(
      ({ messages }) => ({ text: "word ".repeat(200), usage: { inputTokens: inputOf(messages) } }),
      { contextWindow: 3_000, maxOutput: 500 },
    );
    const next = build([], { sessions, llm });
    for (let turn = 0; turn < 12; turn++) await next.talk(`Message ${turn} ${"word ".repeat(50)}`);
    expect((await sessions.read("s1")).map(({ type }) => type)).toContain("compaction");
    expect(llm.requests.at(-1)?.messages.length).toBeLessThan(20);
    expect(llm.requests.filter(({ tools }) => tools.at(-1)?.name !== "sing")).toEqual([]);
    const other = build([{ text: "Hi." }], { sessions });
    await other.talk("Hi", { sessionId: "s2" });
    expect(sentTools(other)).toEqual([["look", "zoom", "load_tools"]]);
  });

  it("answer an unknown name with the nearest ones", async () => {
    const agent = build([load("sin", "paint"), load("sin"), load(), { text: "Sorry." }]);
    const { events } = await agent.talk("Sing");
    expect(resultsOf(events)).toEqual([
      ["ok", expect.stringMatching(/^You can call now: paint\.\nThere is no tool "sin"\. The nearest are: sing, /)],
      ["unknown_tool", expect.stringContaining("The nearest are: sing, ")],
      ["invalid_args", expect.stringContaining("expected a list of names")],
    ]);
  });

  it("run without being loaded, with their arguments checked and a person asked as ever", async () => {
    const ran: string[] = [];
    const paint = {
      ...PAINT,
      approval: "always" as const,
      execute: () => {
        ran.push("paint");
        return "Painted.";
      },
    };
    const agent = build(
      [
        { toolCalls: [{ name: "sing" }] },
        { toolCalls: [{ name: "paint", args: { colour: 3 } }] },
        { toolCalls: [{ name: "paint", args: { colour: "red" } }] },
      ],
      { tools: [...ALWAYS, SING, paint] },
    );
    const { events, outcome } = await agent.talk("Sing and paint");
    expect(resultsOf(events)).toEqual([
      ["ok", "La."],
      ["invalid_args", expect.stringContaining("colour")],
    ]);
    expect(outcome).toMatchObject({ status: "paused", pause: { calls: [{ toolName: "paint" }] } });
    expect(ran).toEqual([]);
    expect(sentTools(agent).at(-1)).toEqual(["look", "zoom", "load_tools", "sing", "paint"]);
  });

  it("are neither named nor loaded where the run may not use them", async () => {
    const agent = build([load("sing", "paint"), { text: "Ready." }]);
    const { events } = await agent.talk("Get ready", { tools: { deny: ["paint"] } });
    expect(agent.llm.requests[0]?.tools.at(-1)?.description).not.toContain("paint");
    expect(resultsOf(events)).toEqual([["ok", expect.stringContaining('There is no tool "paint".')]]);
    expect(sentTools(agent).at(-1)).toEqual(["look", "zoom", "load_tools", "sing"]);
  });

  it("are sent in full where the run may not load them", async () => {
    const agent = build([load("paint"), { text: "Hi." }]);
    const { events } = await agent.talk("Hi", { tools: { allow: ["look", "sing"] } });
    expect(sentTools(agent)[0]).toEqual(["look", "sing"]);
    expect(resultsOf(events)).toEqual([["denied", expect.stringContaining("may not be used in this run")]]);
  });

  it("add nothing to an agent that has none", async () => {
    const agent = build([load("look"), { text: "Hi." }], { tools: ALWAYS });
    const { events } = await agent.talk("Hi");
    expect(sentTools(agent)[0]).toEqual(["look", "zoom"]);
    expect(resultsOf(events)).toEqual([["unknown_tool", expect.stringContaining('There is no tool "load_tools".')]]);
  });

  it("keep the name of their loader free", () => {
    expect(() => createToolRegistry([testTool("load_tools", () => "")])).toThrow("built in");
  });
});

const ALWAYS: readonly Tool[] = [testTool("zoom", () => "Closer."), testTool("look", () => "A door.")];
const SING = testTool("sing", () => "La.", { description: "Sings.", deferLoading: true });
const PAINT = testTool("paint", () => "Painted.", {
  description: "Paints a door. Wait an hour before you open it.",
  deferLoading: true,
  parameters: { type: "object", properties: { colour: { type: "string", description: "Colour of the door." } } },
});

function build(script: readonly ScriptStep[], parts: Parameters<typeof createTestAgent>[1] = {}): TestAgent {
  return createTestAgent(script, { tools: [SING, ...ALWAYS, PAINT], ...parts });
}

function load(...names: readonly string[]): ScriptStep {
  return { toolCalls: [{ name: "load_tools", args: { names: [...names] } }] };
}

function sentTools(agent: TestAgent): readonly (readonly string[])[] {
  return agent.llm.requests.map(({ tools }) => tools.map(({ name }) => name));
}

function resultsOf(events: Awaited<ReturnType<TestAgent["talk"]>>["events"]): readonly unknown[] {
  return events.flatMap((event) => {
    if (event.type !== "tool_result") return [];
    const [part] = event.result.content;
    return [[event.result.outcome, part?.type === "text" ? part.text : ""]];
  });
}
