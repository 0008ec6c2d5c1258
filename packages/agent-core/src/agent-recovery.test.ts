import { describe, expect, it } from "vitest";
import {
  type AgentExecutorOptions,
  createMemorySessionStore,
  type ExecutionOutcome,
  type SessionStore,
  type Tool,
  type ToolIntentRecord,
} from "./index.ts";
import { createTestAgent, type ScriptStep, type TestAgent, testMessage, testTool } from "./testing.ts";

const CALL: ScriptStep = { toolCalls: [{ name: "act", args: { n: 1 }, id: "c1" }] };

describe("recover", () => {
  it.each<[string, Partial<Tool>, { action: string; runs: number; outcome: string }]>([
    ["runs a safe call again", { replay: "safe" }, { action: "replayed", runs: 2, outcome: "ok" }],
    [
      "runs an idempotent call again under the same key",
      { annotations: { idempotent: true } },
      { action: "replayed", runs: 2, outcome: "ok" },
    ],
    [
      "asks the tool what became of it",
      { reconcile: async () => "it did happen" },
      { action: "reconciled", runs: 1, outcome: "ok" },
    ],
    ["says that nobody knows", {}, { action: "marked_unknown", runs: 1, outcome: "interrupted" }],
  ])("1.7.7 %s", async (_, parts, { action, runs, outcome }) => {
    const sessions = createMemorySessionStore();
    const keys: string[] = [];
    const act = testTool("act", async (_args, { idempotencyKey }) => `done ${keys.push(idempotencyKey)}`, parts);
    await crash(sessions, { tools: [act], before: "tool_result" });
    const agent = createTestAgent([{ text: "ok" }], { sessions, tools: [act] });
    const report = await agent.executor.recover();
    expect(report).toEqual({
      sessions: 1,
      repaired: [],
      interrupted: [{ sessionId: "s1", callId: "c1", action }],
      unfinished: [{ sessionId: "s1", runId: "run_1", task: "Go" }],
      paused: 0,
    });
    expect(keys).toHaveLength(runs);
    expect(new Set(keys).size).toBe(1);
    expect(await agent.executor.recover()).toMatchObject({ interrupted: [] });
    await agent.talk("Well?");
    expect(resultsOf(agent)).toEqual([outcome]);
  });

  it("names a run that was cut while the model answered, once, and does not go on with it", async () => {
    const sessions = createMemorySessionStore();
    await crash(sessions, { tools: [], before: "assistant" });
    const agent = createTestAgent([], { sessions });
    expect(await agent.executor.recover()).toMatchObject({
      interrupted: [],
      unfinished: [{ sessionId: "s1", runId: "run_1", task: "Go" }],
    });
    expect(await agent.executor.recover()).toMatchObject({ unfinished: [] });
    expect(agent.llm.requests).toEqual([]);
  });

  it("tells the model that a call never began", async () => {
    const sessions = createMemorySessionStore();
    let ran = 0;
    const act = testTool("act", async () => `${++ran}`);
    await crash(sessions, { tools: [act], before: "tool_intent" });
    const agent = createTestAgent([{ text: "ok" }], { sessions, tools: [act] });
    await agent.talk("Well?");
    expect(resultsOf(agent)).toEqual(["not_executed"]);
    expect(ran).toBe(0);
  });

  it("settles what is open also when nobody called it before the next message", async () => {
    const sessions = createMemorySessionStore();
    const act = testTool("act", async () => "done", { replay: "safe" });
    await crash(sessions, { tools: [act], before: "tool_result" });
    const agent = createTestAgent([{ text: "ok" }], { sessions, tools: [act] });
    const { outcome, events } = await agent.talk("Well?");
    expect(outcome.warnings).toEqual([expect.objectContaining({ code: "call_interrupted" })]);
    expect(events.find(({ type }) => type === "tool_result")).toMatchObject({ replayed: true });
    expect(resultsOf(agent)).toEqual(["ok"]);
  });

  it("leaves pauses and running sessions alone, and counts what waits", async () => {
    const sessions = createMemorySessionStore();
    const act = testTool("act", async () => "done", { approval: "always" });
    const agent = createTestAgent([CALL, { text: "x", stall: true }], { sessions, tools: [act] });
    await agent.talk("Go");
    const running = agent.executor.execute({ sessionId: "s2", text: "Hi", principal: { userId: "ada" } });
    for await (const event of running) if (event.type === "text_delta") break;
    expect(await agent.executor.recover()).toMatchObject({ sessions: 1, interrupted: [], paused: 1 });
    expect(await agent.executor.listPaused()).toHaveLength(1);
    await running.cancel();
  });

  it("hands the intent to reconcile, and does not change the environment twice", async () => {
    const sessions = createMemorySessionStore();
    const seen: ToolIntentRecord[] = [];
    const act = testTool(
      "act",
      async () => ({
        content: [{ type: "text", text: "done" }],
        env: [{ op: "append", path: "/knowledge/discoveredFacts", value: "once" }],
      }),
      {
        reconcile: async (intent) => {
          seen.push(intent);
          return {
            content: [{ type: "text", text: "it happened" }],
            env: [{ op: "append", path: "/knowledge/discoveredFacts", value: "once" }],
          };
        },
      },
    );
    await crash(sessions, { tools: [act], before: "tool_result" });
    const agent = createTestAgent([{ text: "ok" }], { sessions, tools: [act] });
    await agent.executor.recover();
    expect(seen).toMatchObject([{ callId: "c1", toolName: "act", arguments: { n: 1 }, attempt: 1 }]);
    expect((await sessions.read("s1")).filter(({ type }) => type === "env")).toHaveLength(1);
  });
});

describe("the same message twice", () => {
  it("gives the same run while it is known", async () => {
    const agent = createTestAgent([{ text: "ok" }]);
    const [first, second] = [await agent.talk("Hi", { dedupeKey: "k" }), await agent.talk("Hi", { dedupeKey: "k" })];
    expect(second.run).toBe(first.run);
    expect(agent.llm.requests).toHaveLength(1);
  });

  it("SC-16: is not given to somebody else, neither while it is known nor from the transcript", async () => {
    const agent = createTestAgent([{ text: "for Ada alone" }]);
    await agent.talk("Hi", { dedupeKey: "k" });
    const other = createTestAgent([], { sessions: agent.options.sessions });
    for (const { talk } of [agent, other]) {
      const { outcome, events } = await talk("Hi", { dedupeKey: "k", principal: { userId: "bob" } });
      expect(outcome).toMatchObject({ status: "failed", error: { code: "forbidden" } });
      expect(JSON.stringify(events)).not.toContain("for Ada alone");
    }
    expect((await agent.talk("Hi", { dedupeKey: "k" })).outcome).toMatchObject({ text: "for Ada alone" });
  });

  it("SC-16: asks the rule of the host again before the kept run is given", async () => {
    let allowed = ["ada", "bob"];
    const authorize = ({ userId }: { userId: string }): boolean => allowed.includes(userId);
    const agent = createTestAgent([{ text: "ok" }], { authorize });
    const first = await agent.talk("Hi", { dedupeKey: "k" });
    const again = await agent.talk("Hi", { dedupeKey: "k" });
    expect([again.run.runId, again.events]).toEqual([first.run.runId, first.events]);
    expect((await agent.talk("Hi", { dedupeKey: "k", principal: { userId: "bob" } })).outcome).toMatchObject({
      text: "ok",
    });
    allowed = ["bob"];
    const refused = await agent.talk("Hi", { dedupeKey: "k" });
    expect(refused.outcome).toMatchObject({ status: "failed", error: { code: "forbidden" } });
    expect(agent.llm.requests).toHaveLength(1);
  });

  it("is answered when it was cancelled before, in the same process and in another", async () => {
    const agent = createTestAgent([{ text: "x", stall: true }, { text: "ok" }]);
    const run = agent.executor.execute(testMessage("Hi", { dedupeKey: "k" }));
    for await (const event of run) if (event.type === "text_delta") break;
    await run.cancel();
    const { sessions } = agent.options;
    const copy = createMemorySessionStore();
    const written = await copy.open("s1");
    for (const entry of await sessions.read("s1")) await written.append(entry);
    await written.close();
    expect((await agent.talk("Hi", { dedupeKey: "k" })).outcome).toMatchObject({ status: "finished", text: "ok" });
    const other = createTestAgent([{ text: "ok" }], { sessions: copy });
    expect((await other.talk("Hi", { dedupeKey: "k" })).outcome).toMatchObject({ status: "finished", text: "ok" });
  });

  it("gives the same outcome in another process, and writes nothing", async () => {
    const first = createTestAgent([{ text: "ok" }]);
    const { outcome } = await first.talk("Hi", { dedupeKey: "k" });
    const { sessions } = first.options;
    const written = await sessions.read("s1");
    const other = createTestAgent([], { sessions });
    const again = await other.talk("Hi", { dedupeKey: "k" });
    expect(again.outcome).toEqual(outcome);
    expect(again.events.at(-1)).toMatchObject({ type: "run_ended", outcome: { text: "ok" } });
    expect(await sessions.read("s1")).toEqual(written);
  });

  it("goes on with a run that was interrupted, without saying the message twice", async () => {
    const sessions = createMemorySessionStore();
    await crash(sessions, { tools: [], before: "assistant", dedupeKey: "k" });
    const agent = createTestAgent([{ text: "ok" }], { sessions });
    expect((await agent.talk("Go", { dedupeKey: "k" })).outcome).toMatchObject({ text: "ok" });
    expect(agent.llm.requests[0]?.messages.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  it("gives the question again that was written and never told, without asking the model", async () => {
    const sessions = createMemorySessionStore();
    const tools = [testTool("act", async () => "done", { approval: () => ({ decision: "ask", prompt: "May I?" }) })];
    const asking = createTestAgent([CALL], { tools, sessions: killedBefore("run_ended", sessions) });
    await asking.talk("Go", { dedupeKey: "k" });
    const agent = createTestAgent([{ text: "ok" }], { tools, sessions });
    const { outcome } = await agent.talk("Go", { dedupeKey: "k" });
    const [pause, another] = await agent.executor.listPaused();
    expect([outcome, another, agent.llm.requests]).toMatchObject([
      { status: "paused", pause: { id: pause?.id } },
      undefined,
      [],
    ]);
  });

  it("goes on where an answered pause was interrupted, and does not ask again what was answered", async () => {
    const sessions = createMemorySessionStore();
    const tools = [testTool("act", async () => "done", { approval: () => ({ decision: "ask", prompt: "May I?" }) })];
    const asking = createTestAgent([CALL], { tools, sessions });
    const { outcome } = await asking.talk("Go", { dedupeKey: "k" });
    if (outcome.status !== "paused") throw new Error("It did not ask.");
    const { id, token } = outcome.pause;
    const dying = createTestAgent([{ text: "lost" }], { tools, sessions: killedBefore("assistant", sessions) });
    await dying.executor.resume(id, { token, kind: "approve" }, { principal: { userId: "ada" } }).outcome;
    const agent = createTestAgent([{ text: "ok" }], { tools, sessions });
    expect((await agent.talk("Go", { dedupeKey: "k" })).outcome).toMatchObject({ status: "finished", text: "ok" });
    expect(resultsOf(agent)).toEqual(["ok"]);
  });

  it("gives the run that went on after a pause, and its outcome, in the same process and in another", async () => {
    const tools = [testTool("act", async () => "done", { approval: "always" })];
    const agent = createTestAgent([CALL, { text: "ok" }], { tools });
    const again = async (): Promise<ExecutionOutcome> => (await agent.talk("Go", { dedupeKey: "k" })).outcome;
    const outcome = await again();
    if (outcome.status !== "paused") throw new Error(outcome.status);
    const answer = (token: string) =>
      agent.executor.resume(outcome.pause.id, { token, kind: "approve" }, { principal: { userId: "ada" } });
    expect(await answer("wrong").outcome).toMatchObject({ error: { code: "bad_token" } });
    expect(await again()).toEqual(outcome);
    const resumed = answer(outcome.pause.token);
    for await (const event of resumed) if (event.type === "resumed") break;
    expect(agent.executor.execute(testMessage("Go", { dedupeKey: "k" }))).toBe(resumed);
    expect(await resumed.outcome).toMatchObject({ status: "finished", text: "ok" });
    expect(await again()).toEqual(await resumed.outcome);
    const other = createTestAgent([], { tools, sessions: agent.options.sessions });
    expect((await other.talk("Go", { dedupeKey: "k" })).outcome).toMatchObject({ status: "finished", text: "ok" });
  });

  it("refuses one whose question was answered by another message", async () => {
    const tools = [testTool("act", async () => "done", { approval: "always" })];
    const agent = createTestAgent([CALL, { text: "ok" }], { tools });
    await agent.talk("Go", { dedupeKey: "k" });
    await agent.talk("Something else");
    const again = await agent.talk("Go", { dedupeKey: "k" });
    expect(again.outcome).toMatchObject({ status: "failed", error: { code: "duplicate_message" } });
  });

  it("refuses one that was interrupted when the conversation has moved on", async () => {
    const sessions = createMemorySessionStore();
    await crash(sessions, { tools: [], before: "assistant", dedupeKey: "k" });
    const agent = createTestAgent([{ text: "ok" }], { sessions });
    await agent.talk("Something else");
    expect((await agent.talk("Go", { dedupeKey: "k" })).outcome).toMatchObject({
      error: { code: "duplicate_message" },
    });
  });
});

type Line = "tool_intent" | "tool_result" | "assistant" | "run_ended";

/** Runs until the first line of this kind, as if the program had died there. */
async function crash(
  sessions: SessionStore,
  how: { readonly tools: AgentExecutorOptions["tools"]; readonly before: Line; readonly dedupeKey?: string },
): Promise<void> {
  const { tools, before, dedupeKey } = how;
  const agent = createTestAgent([CALL], { tools, sessions: killedBefore(before, sessions) });
  await agent.talk("Go", dedupeKey === undefined ? {} : { dedupeKey });
}

/** Writes no line of this kind, and nothing after it. */
function killedBefore(before: Line, sessions: SessionStore): SessionStore {
  let dead = false;
  return {
    ...sessions,
    open: async (id) => {
      const session = await sessions.open(id);
      const append: typeof session.append = async (entry, options) => {
        const kind = entry.type === "message" ? entry.message.role : entry.type;
        dead ||= kind === before;
        if (dead) throw new Error("killed");
        return session.append(entry, options);
      };
      return { ...session, append };
    },
  };
}

function resultsOf(agent: TestAgent): readonly string[] {
  return (agent.llm.requests.at(-1)?.messages ?? []).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool_result" ? [part.outcome] : [])),
  );
}
