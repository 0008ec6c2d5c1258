import { describe, expect, it } from "vitest";
import { type AgentEvent, createMemorySessionStore, randomIds, type SessionStore } from "./index.ts";
import { collectEvents, createTestAgent, type ScriptStep, testMessage, testTool, untilEvent } from "./testing.ts";

const LOOK: ScriptStep = { text: "I look.", toolCalls: [{ name: "look" }], usage: { inputTokens: 100 } };
const RUN: readonly ScriptStep[] = [LOOK, { text: "All is quiet." }];

describe("attach after a restart", () => {
  it("tells a run that ended again, from its transcript", async () => {
    const sessions = createMemorySessionStore();
    const { run, outcome, events } = await open(sessions, RUN).talk("Look");
    await open(sessions, [{ text: "ok" }]).talk("Another", { sessionId: "s2" });
    const again = await open(sessions).executor.attach(run.runId);
    const told = await collectEvents(again ?? run);
    expect(shape(told)).toEqual(shape(events).filter((line) => !/^(?:state|request|response|tool_input)/.test(line)));
    expect(told.map(({ seq }) => seq)).toEqual(told.map((_, index) => index + 1));
    expect(await again?.outcome).toMatchObject({
      status: "finished",
      by: "model",
      text: "All is quiet.",
      metrics: { invocations: 2, toolCalls: 1, totalInputTokens: outcome.metrics.totalInputTokens },
    });
    expect(again?.steer("Hello?")).toBe("run_over");
    await again?.cancel();
  });

  it("takes nothing back where the state was told between", async () => {
    const sessions = createMemorySessionStore();
    const env = [{ op: "set", path: "/extensions/door", value: "open" }] as const;
    const look = testTool("look", async () => ({ data: 1, text: "seen", env }));
    const { run } = await createTestAgent(RUN, { sessions, ids: randomIds, tools: [look] }).talk("Look");
    const lines = await sessions.read("s1");
    expect(lines.some((line) => line.type === "message" && line.message.origin === "core")).toBe(true);
    const told = await collectEvents((await open(sessions).executor.attach(run.runId)) ?? run);
    expect(told.map(({ type }) => type)).not.toContain("discarded");
  });

  it("says how a run ended to who comes back with the number of an event that was told before", async () => {
    const sessions = createMemorySessionStore();
    const { run } = await open(sessions, RUN).talk("Look");
    const again = await open(sessions).executor.attach(run.runId);
    const rest = await collectEvents(again?.events({ afterSeq: 9_999 }) ?? run);
    expect(rest.map(({ type }) => type)).toEqual(["run_ended"]);
  });

  it.each<[string, readonly ScriptStep[], object]>([
    [
      "stopped",
      [LOOK, LOOK],
      { status: "stopped", reason: "max_iterations", text: "I look.", message: expect.any(String) },
    ],
    ["paused", [{ toolCalls: [{ name: "ask" }] }], { status: "paused", pause: { kind: "approval" } }],
    [
      "failed",
      [{ error: { kind: "invalid", code: "auth", message: "no" } }],
      { status: "failed", error: { code: "auth" } },
    ],
  ])("gives the outcome of one that was %s", async (_, script, end) => {
    const sessions = createMemorySessionStore();
    const { run } = await open(sessions, script).talk("Look", { stop: { maxIterations: 2 } });
    expect(await (await open(sessions).executor.attach(run.runId))?.outcome).toMatchObject(end);
  });

  it("tells of a run that was interrupted, and of none that another program is still at", async () => {
    const sessions = createMemorySessionStore();
    const agent = open(sessions, [{ text: "I was say", stall: true }]);
    const run = agent.executor.execute(testMessage("Hi"));
    await untilEvent(run, "text_delta");
    expect(await open(sessions).executor.attach(run.runId)).toBeUndefined();
    const dead = await copyOf(sessions);
    expect(await (await open(dead).executor.attach(run.runId))?.outcome).toMatchObject({
      status: "failed",
      error: { code: "interrupted" },
    });
    await run.cancel();
  });

  it("knows no run that never was", async () => {
    expect(await open(createMemorySessionStore()).executor.attach("run_none")).toBeUndefined();
  });
});

/** A program over these sessions. */
function open(sessions: SessionStore, script: readonly ScriptStep[] = []) {
  const tools = [testTool("look", async () => "quiet"), testTool("ask", async () => "", { approval: "always" })];
  return createTestAgent(script, { sessions, tools, ids: randomIds });
}

function shape(events: readonly AgentEvent[]): readonly string[] {
  return events.map((event) => {
    if (event.type === "text_delta") return `text_delta ${event.text}`;
    return event.type === "tool_result" ? `tool_result ${event.result.callId}` : event.type;
  });
}

/** What a disk holds after the program died. */
async function copyOf(sessions: SessionStore): Promise<SessionStore> {
  const copy = createMemorySessionStore();
  const session = await copy.open("s1");
  for (const entry of await sessions.read("s1")) await session.append(entry);
  await session.close();
  return copy;
}
