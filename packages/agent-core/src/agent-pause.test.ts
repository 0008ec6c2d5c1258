import { describe, expect, it } from "vitest";
import {
  type AgentExecutorOptions,
  createMemorySessionStore,
  type ExecutionOutcome,
  type Json,
  type PauseRecord,
  type Resolution,
  type ResumeOptions,
  type Tool,
} from "./index.ts";
import {
  collectEvents,
  createFakeClock,
  createTestAgent,
  PNG_1X1,
  type ScriptStep,
  type TestAgent,
  testMessage,
  testTool,
} from "./testing.ts";

const ADA = { userId: "ada" } as const;

describe("a call that needs a yes", () => {
  it("waits, while the others run and are written down first", async () => {
    const agent = build([{ toolCalls: [{ name: "unlock", args: { door: "a" } }, { name: "look" }] }]);
    const { outcome, events } = await agent.talk("Let them in");
    const pause = pauseOf(outcome);
    expect(pause).toMatchObject({
      kind: "approval",
      sessionId: "s1",
      userId: "ada",
      calls: [{ toolName: "unlock", preview: '{"door":"a"}', argsSha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      remaining: { iterations: 19 },
    });
    expect(agent.ran).toEqual(["look"]);
    expect(events.map(({ type }) => type).filter((type) => type === "tool_result" || type === "paused")).toEqual([
      "tool_result",
      "paused",
    ]);
    expect(events.findLast(({ type }) => type === "state")).toMatchObject({ to: "paused" });
    expect(agent.executor.activeRun("s1")).toBeUndefined();
  });

  it.each([
    [["the left door", "the right door"], "Unlock the:\n- left door?\n- right door?"],
    [["a", "b"], "Unlock a?\nUnlock b?"],
    [["a", "a"], "Unlock a?"],
  ])("is one question with a list where several begin alike: %j", async (doors, prompt) => {
    const agent = build([{ toolCalls: doors.map((door) => ({ name: "unlock", args: { door } })) }]);
    expect(await pausedBy(agent, "Let them in")).toMatchObject({ prompt, calls: { length: doors.length } });
  });

  it("runs after an approval, and the model sees its result", async () => {
    const agent = build([{ toolCalls: [{ name: "unlock", args: { door: "a" } }] }, { text: "Open." }]);
    const pause = await pausedBy(agent, "Let them in");
    const { outcome, events } = await resume(agent, pause, { kind: "approve" });
    expect(outcome).toMatchObject({ status: "finished", text: "Open." });
    expect(agent.ran).toEqual(["unlock a"]);
    expect(events.find(({ type }) => type === "run_started")).toMatchObject({ trigger: "resume" });
    expect(events.find(({ type }) => type === "resumed")).toMatchObject({ pauseId: pause.id, by: ADA });
    expect(roles(agent)).toEqual(["user", "assistant", "tool_result"]);
  });

  it.each(["mail:ada@example.org", "a.b", "s1.pause_1"])(
    "is found in session %s by the id of its pause",
    async (id) => {
      const agent = build([{ toolCalls: [{ name: "unlock", args: { door: "a" } }] }, { text: "Open." }]);
      const pause = pauseOf((await agent.talk("Let them in", { sessionId: id })).outcome);
      const { outcome } = await resume(agent, pause, { kind: "approve" });
      expect(outcome).toMatchObject({ status: "finished", text: "Open." });
    },
  );

  it("is denied with the words of the person", async () => {
    const agent = build([{ toolCalls: [{ name: "unlock", args: { door: "a" } }] }, { text: "Then not." }]);
    const pause = await pausedBy(agent, "Let them in");
    await resume(agent, pause, { kind: "deny", message: "not today" });
    expect(agent.ran).toEqual([]);
    expect(lastResult(agent)).toMatchObject({
      outcome: "denied",
      content: [{ text: expect.stringContaining("not today") }],
    });
  });

  it("complaint 5: of parallel calls only those that were named run, the others are denied", async () => {
    const calls = ["a", "b"].map((door) => ({ name: "unlock", args: { door }, id: `c_${door}` }));
    const agent = build([{ toolCalls: calls }, { text: "Done." }]);
    const pause = await pausedBy(agent, "Let them in");
    expect(pause.calls.map(({ callId }) => callId)).toEqual(["c_a", "c_b"]);
    await resume(agent, pause, { kind: "approve", callIds: ["c_b"] });
    expect(agent.ran).toEqual(["unlock b"]);
    expect(outcomes(agent)).toEqual(["denied", "ok"]);
  });

  it("complaint 5: a changed argument is checked again, by the schema and by the policy", async () => {
    const agent = build([{ toolCalls: [{ name: "unlock", args: { door: "a" }, id: "c" }] }, { text: "Done." }]);
    const pause = await pausedBy(agent, "Let them in");
    const bad = await resume(agent, pause, { kind: "approve", editedArgs: { c: { door: 7 } } });
    expect(bad.outcome).toMatchObject({ status: "failed", error: { code: "bad_resolution" } });
    expect(await agent.executor.listPaused()).toHaveLength(1);
    await resume(agent, pause, { kind: "approve", editedArgs: { c: { door: "vault" } } });
    expect(agent.ran).toEqual([]);
    expect(lastResult(agent)).toMatchObject({
      outcome: "denied",
      content: [{ text: expect.stringContaining("changed the arguments") }, { text: "Never the vault." }],
    });
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "runs with its own arguments, or with those of the person, when its id is %s",
    async (id) => {
      const call = { name: "unlock", args: { door: "a" }, id };
      const agent = build([{ toolCalls: [call] }, { text: "Done." }]);
      await resume(agent, await pausedBy(agent, "Let them in"), { kind: "approve" });
      expect(agent.ran).toEqual(["unlock a"]);
      const edited = build([{ toolCalls: [call] }, { text: "Done." }]);
      const editedArgs = JSON.parse(`{"${id}":{"door":"b"}}`);
      await resume(edited, await pausedBy(edited, "Let them in"), { kind: "approve", editedArgs });
      expect(edited.ran).toEqual(["unlock b"]);
    },
  );

  it("has one idempotency key: when it is asked for, when it runs, and in another process", async () => {
    const keys: string[] = [];
    const pay = testTool("pay", async (_args, { idempotencyKey }) => String(keys.push(idempotencyKey)), {
      approval: (_args, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        return { decision: "ask", prompt: "Pay?" };
      },
    });
    const agent = build([{ toolCalls: [{ name: "pay", args: { euros: 5 } }] }], { tools: [pay] });
    const pause = await pausedBy(agent, "Pay");
    const ids = { next: (prefix: string) => `${prefix}_other_${keys.length}` };
    const other = build([{ text: "Done." }], { tools: [pay], sessions: agent.options.sessions, ids });
    await resume(other, pause, { kind: "approve" });
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it("runs with the arguments as the person changed them", async () => {
    const agent = build([{ toolCalls: [{ name: "unlock", args: { door: "a" }, id: "c" }] }, { text: "Done." }]);
    const pause = await pausedBy(agent, "Let them in");
    await resume(agent, pause, { kind: "approve", editedArgs: { c: { door: "b" } } });
    expect(agent.ran).toEqual(["unlock b"]);
  });
});

describe("the answer to a pause", () => {
  it("complaint 5: is taken once, from any process, and a forged or foreign one never", async () => {
    const agent = build([{ toolCalls: [{ name: "unlock", args: { door: "a" } }] }, { text: "Open." }]);
    const pause = await pausedBy(agent, "Let them in");
    const other = build([{ text: "Open." }], { sessions: agent.options.sessions });
    const forged = await resume(other, { ...pause, token: "x".repeat(43) }, { kind: "approve" });
    expect(forged.outcome).toMatchObject({ status: "failed", error: { kind: "invalid", code: "bad_token" } });
    expect(await other.executor.listPaused()).toEqual([pause]);
    expect((await resume(other, pause, { kind: "approve" })).outcome).toMatchObject({ status: "finished" });
    expect(other.ran).toEqual(["unlock a"]);
    const again = await resume(agent, pause, { kind: "approve" });
    expect(again.outcome).toMatchObject({ status: "failed", error: { code: "pause_used" } });
    expect(await agent.executor.listPaused()).toEqual([]);
  });

  it("names a pause that is not there", async () => {
    const agent = build([]);
    for (const id of ["nonsense", "s1~pause_9"]) {
      const run = agent.executor.resume(id, { token: "x", kind: "approve" }, { principal: ADA });
      expect(await run.outcome).toMatchObject({ status: "failed" });
    }
  });

  it("VA-24 ask_user: becomes the result of the tool that asked", async () => {
    const agent = build([
      { toolCalls: [{ name: "ask", args: { question: "Which door?" } }] },
      { text: "The red one." },
    ]);
    const pause = await pausedBy(agent, "Open it");
    expect(pause).toMatchObject({ kind: "ask_user", prompt: "Which door?", choices: ["red", "blue"] });
    expect((await resume(agent, pause, { kind: "answer", value: "green" })).outcome).toMatchObject({
      error: { code: "bad_resolution", message: expect.stringContaining("red, blue") },
    });
    expect((await resume(agent, pause, { kind: "approve" })).outcome).toMatchObject({
      error: { code: "bad_resolution" },
    });
    const { outcome } = await resume(agent, pause, { kind: "answer", value: "red" });
    expect(outcome).toMatchObject({ status: "finished", text: "The red one." });
    expect(lastResult(agent)).toMatchObject({ outcome: "ok", content: [{ text: "red" }] });
    expect(agent.ran).toEqual(["ask"]);
  });

  it("is checked against the shape that was asked for", async () => {
    const agent = build([{ toolCalls: [{ name: "wait" }] }, { text: "ok" }]);
    const pause = await pausedBy(agent, "Wait for it");
    expect((await resume(agent, pause, { kind: "answer", value: "soon" })).outcome).toMatchObject({ status: "failed" });
    expect((await resume(agent, pause, { kind: "answer", value: 3 })).outcome).toMatchObject({ status: "finished" });
    expect(lastResult(agent)).toMatchObject({ content: [{ text: "3" }] });
  });

  it("keeps the run waiting while another question of the same turn is open", async () => {
    const agent = build([
      {
        toolCalls: [
          { name: "unlock", args: { door: "a" } },
          { name: "ask", args: { question: "Who?" } },
        ],
      },
      { text: "Done." },
    ]);
    const { outcome, events } = await agent.talk("Let them in");
    expect(events.filter(({ type }) => type === "paused")).toHaveLength(2);
    const second = (await resume(agent, pauseOf(outcome), { kind: "approve" })).outcome;
    expect(pauseOf(second)).toMatchObject({ kind: "ask_user" });
    expect(agent.llm.requests).toHaveLength(1);
    expect((await resume(agent, pauseOf(second), { kind: "answer", value: "red" })).outcome).toMatchObject({
      status: "finished",
    });
    expect(outcomes(agent)).toEqual(["ok", "ok"]);
  });

  it("abandon denies what waits and ends the run", async () => {
    const agent = build([{ toolCalls: [{ name: "unlock", args: { door: "a" } }] }, { text: "ok" }]);
    const pause = await pausedBy(agent, "Let them in");
    expect((await resume(agent, pause, { kind: "abandon" })).outcome).toMatchObject({ status: "cancelled" });
    expect(await agent.executor.listPaused()).toEqual([]);
    await agent.talk("Something else");
    expect(outcomes(agent)).toEqual(["denied"]);
  });

  it("carries the remaining budget over, run after run", async () => {
    const agent = build(() => ({ toolCalls: [{ name: "unlock", args: { door: "a" } }] }), {
      stop: { maxIterations: 2 },
    });
    const first = await pausedBy(agent, "Let them in");
    expect(first.remaining).toMatchObject({ iterations: 1, wallMs: 3_600_000 });
    const second = pauseOf((await resume(agent, first, { kind: "approve" })).outcome);
    expect(second.remaining.iterations).toBe(0);
    const { outcome } = await resume(agent, second, { kind: "approve" });
    expect(outcome).toMatchObject({ status: "stopped", reason: "max_iterations" });
    expect(agent.llm.requests).toHaveLength(2);
  });
});

describe("a pause that nobody answers", () => {
  it("expires: the call is denied and the run goes on", async () => {
    const clock = createFakeClock();
    const agent = build([{ toolCalls: [{ name: "wait" }] }, { text: "Nobody came." }], { clock });
    const pause = await pausedBy(agent, "Wait for it");
    expect(await agent.executor.expirePaused()).toEqual([]);
    await clock.advance(60_001);
    expect((await resume(agent, pause, { kind: "answer", value: 1 })).outcome).toMatchObject({
      error: { code: "pause_expired" },
    });
    const [run] = await agent.executor.expirePaused();
    expect(await run?.outcome).toMatchObject({ status: "finished", text: "Nobody came." });
    expect(lastResult(agent)).toMatchObject({ outcome: "denied" });
    expect(await agent.executor.expirePaused()).toEqual([]);
  });

  it("gives way to a new message of the person", async () => {
    const agent = build([{ toolCalls: [{ name: "unlock", args: { door: "a" } }] }, { text: "As you like." }]);
    const pause = await pausedBy(agent, "Let them in");
    expect((await agent.talk("No, forget it")).outcome).toMatchObject({ text: "As you like." });
    expect(outcomes(agent)).toEqual(["denied"]);
    expect(roles(agent)).toEqual(["user", "assistant", "tool_result", "user"]);
    expect((await resume(agent, pause, { kind: "approve" })).outcome).toMatchObject({ error: { code: "pause_used" } });
  });
});

describe("pictures with an answer", () => {
  const picture = { bytes: PNG_1X1, mediaType: "image/png" } as const;

  it("VI-10 VI-21.4 VI-22 stay with the run through a pause, and more can be added", async () => {
    const agent = build([{ toolCalls: [{ name: "ask", args: { question: "Another?" } }] }, { text: "I see." }]);
    const run = agent.executor.execute(testMessage("What is it?", { images: [picture] }));
    const pause = pauseOf(await run.outcome);
    await resume(agent, pause, { kind: "answer", value: "red" }, { images: [{ ...picture, filename: "second.png" }] });
    expect(imagesSent(agent)).toBe(2);
    expect(roles(agent)).toEqual(["user", "assistant", "tool_result", "user"]);
  });

  it("VI-24 replace stops sending the earlier ones and keeps them in the transcript", async () => {
    const agent = build([{ toolCalls: [{ name: "ask", args: { question: "Another?" } }] }, { text: "I see." }]);
    const run = agent.executor.execute(testMessage("What is it?", { images: [picture] }));
    const pause = pauseOf(await run.outcome);
    const images = [{ ...picture, filename: "second.png" }];
    await resume(agent, pause, { kind: "answer", value: "red" }, { images, imageMode: "replace" });
    expect(imagesSent(agent)).toBe(1);
    const written = JSON.stringify(await agent.options.sessions.read("s1"));
    expect(written.match(/"type":"image"/g)).toHaveLength(2);
  });
});

describe("who may answer", () => {
  it("SC-16 a session belongs to the user of its first run", async () => {
    const agent = build([{ toolCalls: [{ name: "unlock", args: { door: "a" } }] }, { text: "ok" }]);
    const pause = await pausedBy(agent, "Let them in");
    const before = await agent.options.sessions.read("s1");
    const mallory = { userId: "mallory" };
    const answered = await resume(agent, pause, { kind: "approve" }, { principal: mallory });
    expect(answered.outcome).toMatchObject({ status: "failed", error: { code: "forbidden" } });
    expect((await agent.talk("Me too", { principal: mallory })).outcome).toMatchObject({
      error: { code: "forbidden" },
    });
    expect(await agent.options.sessions.read("s1")).toEqual(before);
  });

  it("SC-16 a rule of the host decides alone where there is one", async () => {
    const agent = build([{ text: "ok" }], { authorize: async ({ roles }) => roles?.includes("guard") ?? false });
    expect((await agent.talk("Hi")).outcome).toMatchObject({ error: { code: "forbidden" } });
    const guard = { userId: "bob", roles: ["guard"] };
    expect((await agent.talk("Hi", { principal: guard })).outcome).toMatchObject({ status: "finished" });
  });
});

interface PauseAgent extends TestAgent {
  readonly ran: string[];
}

function build(
  script: readonly ScriptStep[] | (() => ScriptStep),
  parts: Partial<AgentExecutorOptions> = {},
): PauseAgent {
  const ran: string[] = [];
  const tools = [unlock(ran), ask(ran), wait(), testTool("look", async () => note(ran, "look"))];
  return { ...createTestAgent(script, { tools, sessions: createMemorySessionStore(), ...parts }), ran };
}

function note(ran: string[], what: string): string {
  ran.push(what);
  return what;
}

function unlock(ran: string[]): Tool {
  return testTool("unlock", async ({ door }) => note(ran, `unlock ${String(door)}`), {
    parameters: { type: "object", properties: { door: { type: "string" } }, required: ["door"] },
    approval: ({ door }) =>
      door === "vault"
        ? { decision: "deny", message: "Never the vault." }
        : { decision: "ask", prompt: `Unlock ${String(door)}?` },
  });
}

function ask(ran: string[]): Tool {
  return testTool("ask", async ({ question }, context) => {
    note(ran, "ask");
    return context.pause({ kind: "ask_user", prompt: String(question), choices: ["red", "blue"] });
  });
}

function wait(): Tool {
  return testTool("wait", async (_, context) =>
    context.pause({ kind: "external_event", prompt: "When?", schema: { type: "number" }, expiresInMs: 60_000 }),
  );
}

async function pausedBy(agent: PauseAgent, text: string): Promise<PauseRecord> {
  return pauseOf((await agent.talk(text)).outcome);
}

function pauseOf(outcome: ExecutionOutcome): PauseRecord {
  if (outcome.status !== "paused") throw new Error(`Expected a pause, got ${JSON.stringify(outcome)}`);
  return outcome.pause;
}

type Answer =
  | {
      kind: "approve" | "deny";
      callIds?: string[];
      message?: string;
      editedArgs?: Record<string, Record<string, Json>>;
    }
  | { kind: "answer"; value: Json }
  | { kind: "abandon" };

async function resume(agent: PauseAgent, pause: PauseRecord, answer: Answer, options: Partial<ResumeOptions> = {}) {
  const resolution: Resolution = { token: pause.token, ...answer };
  const run = agent.executor.resume(pause.id, resolution, { principal: ADA, ...options });
  const events = await collectEvents(run);
  return { events, outcome: await run.outcome };
}

function sent(agent: PauseAgent) {
  return agent.llm.requests.at(-1)?.messages ?? [];
}

function roles(agent: PauseAgent): readonly string[] {
  return sent(agent).map(({ role }) => role);
}

function results(agent: PauseAgent) {
  return sent(agent).flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool_result" ? [part] : [])));
}

function lastResult(agent: PauseAgent) {
  return results(agent).at(-1);
}

function outcomes(agent: PauseAgent): readonly string[] {
  return results(agent).map(({ outcome }) => outcome);
}

function imagesSent(agent: PauseAgent): number {
  return sent(agent)
    .flatMap(({ parts }) => parts)
    .filter(({ type }) => type === "image").length;
}
