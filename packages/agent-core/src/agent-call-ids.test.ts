import { describe, expect, it } from "vitest";
import { createMemorySessionStore, type SessionStore, type ToolCall } from "./index.ts";
import { createTestAgent, type ScriptStep, testMessage, testTool } from "./testing.ts";

const ONCE: ScriptStep = { toolCalls: [{ name: "add", args: { n: 1 }, id: "call_0" }] };
const TWICE: ScriptStep = { toolCalls: [...(ONCE.toolCalls ?? []), { name: "add", args: { n: 2 }, id: "call_0" }] };

describe("a model that uses the id of a call again", () => {
  it.each<[string, readonly ScriptStep[], readonly number[]]>([
    ["in a later turn", [ONCE, ONCE, { text: "ok" }], [1, 1]],
    ["in the same message", [TWICE, { text: "ok" }], [1, 2]],
    ["in both", [TWICE, TWICE, { text: "ok" }], [1, 2, 1, 2]],
  ])("%s: each call has its own id, key, result and change of the environment", async (_, script, added) => {
    const sessions = createMemorySessionStore();
    const { ran } = await talk(sessions, script);
    expect(ran.map(({ n }) => n)).toEqual(added);
    expect(new Set(ran.map(({ key }) => key)).size).toBe(added.length);
    await expectConsistent(sessions, added.length);
  });

  it.each([
    ["once", ONCE],
    ["twice in a message", TWICE],
  ])("after a restart, %s", async (_, step) => {
    const sessions = createMemorySessionStore();
    const before = await talk(sessions, [step, { text: "ok" }]);
    const after = await talk(sessions, [step, { text: "ok" }]);
    const ran = [...before.ran, ...after.ran];
    expect(new Set(ran.map(({ key }) => key)).size).toBe(ran.length);
    await expectConsistent(sessions, ran.length);
    expect(new Set(after.sent.map(({ id }) => id)).size).toBe(ran.length);
  });

  it("after a restart with a question open: the answer goes to the call that asked", async () => {
    const sessions = createMemorySessionStore();
    await talk(sessions, [ONCE, { text: "ok" }]);
    const ask = testTool("add", async () => "added", { approval: "always" });
    const agent = createTestAgent([ONCE, { text: "done" }], { tools: [ask], sessions });
    const { outcome } = await agent.talk("Again");
    if (outcome.status !== "paused") throw new Error(outcome.status);
    const { id, token, calls } = outcome.pause;
    expect(calls.map(({ callId }) => callId)).not.toEqual(["call_0"]);
    const run = agent.executor.resume(id, { token, kind: "approve" }, { principal: { userId: "ada" } });
    expect(await run.outcome).toMatchObject({ status: "finished", text: "done" });
  });

  it("tells the pieces of a call under the id of the call", async () => {
    const { events } = await talk(createMemorySessionStore(), [ONCE, ONCE, { text: "ok" }]);
    const pieces = events.flatMap((event) => (event.type === "tool_input_delta" ? [event.callId] : []));
    const calls = events.flatMap((event) => (event.type === "tool_call" ? [event.call.id] : []));
    expect(pieces).toEqual(calls);
  });
});

/** In a new program over the same sessions. */
async function talk(sessions: SessionStore, script: readonly ScriptStep[]) {
  const ran: { n: number; key: string }[] = [];
  const add = testTool("add", async ({ n }, { idempotencyKey: key }) => {
    ran.push({ n: Number(n), key });
    const fact = { op: "append", path: "/knowledge/discoveredFacts", value: `${n}` } as const;
    return { content: [{ type: "text", text: "added" }], env: [fact] };
  });
  const agent = createTestAgent(script, { tools: [add], sessions });
  const { events } = await agent.talk("Add");
  const sent = agent.llm.requests.at(-1)?.messages.flatMap(({ parts }) => parts) ?? [];
  return { ran, events, sent: sent.flatMap((part): ToolCall[] => (part.type === "tool_call" ? [part.call] : [])) };
}

async function expectConsistent(sessions: SessionStore, count: number): Promise<void> {
  const entries = await sessions.read(testMessage("").sessionId);
  const parts = entries.flatMap((entry) => (entry.type === "message" ? entry.message.parts : []));
  const calls = parts.flatMap((part) => (part.type === "tool_call" ? [part.call.id] : []));
  const results = parts.flatMap((part) => (part.type === "tool_result" ? [part.callId] : []));
  const intents = entries.flatMap((entry) => (entry.type === "tool_intent" ? [entry.intent.callId] : []));
  const causes = entries.flatMap((entry) => (entry.type === "env" ? [entry.cause] : []));
  expect(calls[0]).toBe("call_0");
  expect(new Set(calls).size).toBe(count);
  expect(results).toEqual(calls);
  expect(intents).toEqual(calls);
  expect(causes).toEqual(calls.map((id) => `call:${id}`));
  for (const id of calls) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
}
