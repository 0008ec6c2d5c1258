import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type AgentErrorOptions,
  type AgentExecutorOptions,
  type Message,
  type StopReason,
  systemClock,
  type TranscriptEntry,
} from "./index.ts";
import {
  collectEvents,
  createFakeClock,
  createTestAgent,
  type ScriptStep,
  type TestAgent,
  testMessage,
  testTool,
  untilEvent,
} from "./testing.ts";

const RESET: AgentErrorOptions = { kind: "network", code: "reset", message: "gone", retryable: true };

describe("what users of other agents complain about", () => {
  it("complaint 1: an abort during a tool ends the run, and the session takes the next message", async () => {
    const heard: unknown[] = [];
    const slow = testTool("slow", (_, { signal }) => {
      return new Promise((_done, fail) => signal.addEventListener("abort", () => fail(heard.push(signal.reason))));
    });
    const agent = build([{ toolCalls: [{ name: "slow" }, { name: "slow" }] }, { text: "ok" }], { tools: [slow] });
    const run = agent.executor.execute(testMessage("Hi"));
    await untilEvent(run, "tool_call");
    await run.cancel("enough");
    expect(await run.outcome).toMatchObject({ status: "cancelled", reason: "enough" });
    expect((await agent.talk("Again")).outcome).toMatchObject({ status: "finished" });
    expect(pairing(agent)).toEqual([]);
  });

  it("complaint 2: a session with orphans, doubles and results of nobody is mended before it is sent", async () => {
    const agent = build([{ text: "ok" }]);
    const session = await agent.options.sessions.open("s1");
    const call = { id: "c1", toolName: "look", arguments: {}, state: "complete" } as const;
    const result = { type: "tool_result", callId: "c9", toolName: "look", outcome: "ok", content: [] } as const;
    await session.append(line("a", { role: "user", origin: "human", parts: [{ type: "text", text: "Hi" }] }));
    await session.append(line("b", { role: "tool_result", origin: "tool", parts: [result] }));
    await session.append(line("c", { role: "assistant", origin: "model", parts: [{ type: "tool_call", call }] }));
    await session.append(line("d", { role: "user", origin: "human", parts: [{ type: "text", text: "Hello?" }] }));
    await session.close();
    expect((await agent.talk("Still there?")).outcome).toMatchObject({ status: "finished" });
    expect(pairing(agent)).toEqual([]);
  });

  it("complaint 4: whoever leaves can come back and stop it: a lost connection is no stop, and replay goes with stop", async () => {
    const agent = build([{ text: "Hello", chunks: 3, stall: true }]);
    const first = agent.executor.execute(testMessage("Hi"));
    const { runId } = first;
    await untilEvent(first, "text_delta");
    expect(agent.executor.activeRun("s1")?.runId).toBe(runId);
    await (await agent.executor.attach(runId))?.cancel();
    const all = await collectEvents((await agent.executor.attach(runId)) ?? first);
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
    expect(all.at(-1)).toMatchObject({ type: "run_ended", outcome: { status: "cancelled" } });
  });

  it("complaint 12: an attempt that failed after text and calls leaves no text and no action behind", async () => {
    let acted = 0;
    const act = testTool("act", async () => `${++acted}`);
    const agent = build(
      [
        { text: "I will act", toolCalls: [{ name: "act" }], error: RESET },
        { text: "Acting", toolCalls: [{ name: "act" }] },
        { text: "Done" },
      ],
      { tools: [act], clock: systemClock, random: () => 0 },
    );
    const { events } = await agent.talk("Act");
    expect(acted).toBe(1);
    expect(events.find(({ type }) => type === "discarded")).toBeDefined();
    expect(JSON.stringify(await agent.options.sessions.read("s1"))).not.toContain("I will act");
  });

  it.each<[string, ScriptStep]>([
    ["at once", { error: { kind: "invalid", code: "auth", message: "no key" } }],
    ["in the middle", { text: "par", error: { kind: "agent", code: "server", message: "500" } }],
    ["at a stop reason nobody knows", { error: { kind: "agent", code: "unknown_stop_reason", message: "novel" } }],
  ])("complaint 13: a failure %s is told, and the run is told to be over", async (_, step) => {
    const { events, outcome } = await build([step]).talk("Hi");
    expect(events.slice(-3).map(({ type }) => type)).toEqual(["error", "state", "run_ended"]);
    expect(outcome).toMatchObject({ status: "failed", error: { code: step.error?.code } });
  });

  it("complaint 14: there is no process behind the loop whose exit could be all that is said", async () => {
    const folders = ["agent", "artifacts", "budget", "config", "context", "jobs", "llm", "observability", "session"];
    const sources = await Promise.all(folders.map((folder) => sourcesIn(join(import.meta.dirname, folder))));
    expect(sources.flat().length).toBeGreaterThan(30);
    expect(sources.flat().filter(({ text }) => /child_process|node:cluster/.test(text))).toEqual([]);
  });

  it.each<[StopReason, object]>([
    ["complete", { status: "finished", by: "model" }],
    ["stop_sequence", { status: "finished" }],
    ["max_tokens", { status: "stopped", reason: "max_output_tokens", text: "x" }],
    ["refusal", { status: "stopped", reason: "refusal" }],
    ["content_filter", { status: "stopped", reason: "refusal" }],
    ["pause", { status: "finished" }],
    ["compaction", { status: "finished" }],
    ["steered", { status: "finished" }],
    ["tool_use", { status: "finished" }],
    ["context_exceeded", { status: "stopped", reason: "context_exhausted" }],
  ])("complaint 17: the stop reason %s has its own end: %j", async (stop, end) => {
    const { outcome } = await build([{ text: "x", stop }, { text: "y" }]).talk("Hi");
    expect(outcome).toMatchObject(end);
  });

  it("complaint 17: a call that is announced and never made ends after a few times", async () => {
    const { outcome } = await createTestAgent(() => ({ text: "Calling", stop: "tool_use" })).talk("Hi");
    expect(outcome).toMatchObject({ status: "stopped", reason: "loop", metrics: { invocations: 3 } });
  });

  it("complaint 18: nothing that was said during a run is lost, whenever it was said", async () => {
    const agent = build([
      { text: "one", chunks: 2 },
      { text: "two" },
      { text: "three", stall: true },
      { text: "four" },
    ]);
    const run = agent.executor.execute(testMessage("Hi"));
    run.followUp("And then?");
    run.steer("Be brief");
    expect(run.followUp("And after that?")).toBe("queued");
    for await (const event of run) if (event.type === "text_delta" && event.text === "three") break;
    run.steer("Too late");
    run.followUp("Much too late");
    await run.cancel();
    expect(run.steer("After the end")).toBe("run_over");
    await agent.talk("Go on");
    const heard = agent.llm.requests.at(-1)?.messages.flatMap(textsOf);
    expect(heard).toEqual(
      expect.arrayContaining(["Be brief", "And then?", "And after that?", "Too late", "Much too late"]),
    );
  });

  it("complaint 18: what is said to a run that never began goes back to its sender", async () => {
    const agent = build([{ text: "x", stall: true }]);
    const first = agent.executor.execute(testMessage("Hi"));
    await untilEvent(first, "text_delta");
    const second = agent.executor.execute(testMessage("Me too"));
    second.steer("Hurry");
    const events = await collectEvents(second);
    expect(events.find(({ type }) => type === "warning")).toMatchObject({
      code: "steering_unheard",
      data: { texts: ["Hurry"] },
    });
    await first.cancel();
  });

  it("complaint 19: of many messages at once to one session exactly one runs, in any executor", async () => {
    const agent = build([{ text: "one", chunks: 3 }]);
    const other = build([{ text: "two" }], { sessions: agent.options.sessions });
    const runs = [1, 2, 3].map((n) => (n === 2 ? other : agent).executor.execute(testMessage(`${n}`)));
    const outcomes = await Promise.all(runs.map(({ outcome }) => outcome));
    expect(outcomes.filter(({ status }) => status === "finished")).toHaveLength(1);
    const busy = outcomes.flatMap((outcome) => (outcome.status === "failed" ? [outcome.error.code] : []));
    expect(busy).toEqual(["session_busy", "session_busy"]);
  });

  it("complaint 21: the same call with the same result ends the run, whatever is said around it", async () => {
    const agent = createTestAgent(
      (_, number) => ({ text: `Attempt ${number}`, toolCalls: [{ name: "look", args: { b: 1, a: [2] } }] }),
      { tools: [testTool("look", async () => "nothing")] },
    );
    const { outcome } = await agent.talk("Find it");
    expect(outcome).toMatchObject({ status: "stopped", reason: "loop", metrics: { toolCalls: 3 } });
  });
});

describe("the demands of the interface", () => {
  it("AI-23.1 AI-23.3 a run is one call with an outcome that holds text, calls, usage and why it ended", async () => {
    const { outcome, events } = await build([{ toolCalls: [{ name: "look" }] }, { text: "ok" }]).talk("Hi");
    expect(outcome).toMatchObject({ status: "finished", by: "model", text: "ok" });
    const answers = events.flatMap((event) => (event.type === "message" ? [event] : []));
    expect(answers.map(({ stopReason }) => stopReason)).toEqual(["tool_use", "complete"]);
  });

  it("AI-23.2 a tool has a name, a description, a schema, and gets its arguments checked", async () => {
    const seen: unknown[] = [];
    const add = testTool("add", async (args) => `${seen.push(args)}`, {
      parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    });
    const agent = build(
      [
        {
          toolCalls: [
            { name: "add", args: { n: "1" } },
            { name: "add", args: { n: 1 } },
          ],
        },
        { text: "ok" },
      ],
      {
        tools: [add],
      },
    );
    await agent.talk("Add");
    expect(seen).toEqual([{ n: 1 }]);
    expect(agent.llm.requests[0]?.tools).toMatchObject([
      { name: "add", description: "add", parameters: add.parameters },
    ]);
  });

  it("AI-23.4 the conversation has the roles user, assistant and tool_result", async () => {
    const agent = build([{ toolCalls: [{ name: "look" }] }, { text: "ok" }]);
    await agent.talk("Hi");
    expect(agent.llm.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool_result"]);
  });

  it.each(["agent", "timeout", "rate_limit", "network", "invalid", "budget", "capability"] as const)(
    "AI-23.5 AI-18 a failure of kind %s reaches the caller as such",
    async (kind) => {
      const { outcome } = await build([{ error: { kind, code: "x", message: "x" } }]).talk("Hi");
      expect(outcome).toMatchObject({ status: "failed", error: { kind } });
    },
  );

  it("AI-23.6 the settings of one run reach the model", async () => {
    const agent = build([{ text: "ok" }]);
    await agent.talk("Hi", { config: { maxTokens: 7, effort: "low" } });
    expect(agent.llm.requests[0]?.config).toMatchObject({ maxTokens: 7, effort: "low" });
  });

  it("AI-23.7 every state of the machine is told with its reason", async () => {
    const agent = build([{ error: RESET }, { toolCalls: [{ name: "look" }] }, { text: "ok" }], {
      clock: systemClock,
      random: () => 0,
    });
    const { events } = await agent.talk("Hi");
    const states = events.flatMap((event) => (event.type === "state" ? [event] : []));
    expect(states.map(({ to }) => to)).toEqual([
      "preparing",
      "sending",
      "backing_off",
      "sending",
      "executing_tools",
      "preparing",
      "sending",
      "complete",
    ]);
    expect(states.map(({ from }) => from).slice(1)).toEqual(states.map(({ to }) => to).slice(0, -1));
    expect(states.every(({ why }) => why !== "")).toBe(true);
  });

  it("AI-23.8 usage is told for each call and summed up for the run", async () => {
    const usage = { inputTokens: 3, outputTokens: 2 };
    const agent = build([
      { toolCalls: [{ name: "look" }], usage },
      { text: "ok", usage },
    ]);
    const { outcome, events } = await agent.talk("Hi");
    expect(events.flatMap((event) => (event.type === "message" ? [event.usage] : []))).toMatchObject([usage, usage]);
    expect(outcome.metrics).toMatchObject({ totalInputTokens: 6, totalOutputTokens: 4, invocations: 2 });
  });

  it("AI-23.9 what the client cannot do itself, the loop does: retries and their end", async () => {
    const clock = createFakeClock();
    const agent = createTestAgent(() => ({ error: RESET }), { clock, random: () => 0, retry: { maxAttempts: 3 } });
    const run = agent.executor.execute(testMessage("Hi"));
    for (let waits = 0; waits < 3; waits++) await clock.advance(1);
    expect(await run.outcome).toMatchObject({ status: "failed", error: { kind: "network" }, metrics: { retries: 2 } });
  });

  it("AI-23.10 a signal of the caller stops a message and an answer alike", async () => {
    const agent = build([{ toolCalls: [{ name: "ask" }] }], {
      tools: [testTool("ask", async (_, context) => context.pause({ kind: "ask_user", prompt: "?" }))],
    });
    const { outcome } = await agent.talk("Hi");
    if (outcome.status !== "paused") throw new Error(outcome.status);
    const { id, token } = outcome.pause;
    const how = { principal: { userId: "ada" }, signal: AbortSignal.abort(new Error("no")) };
    const run = agent.executor.resume(id, { token, kind: "answer", value: "x" }, how);
    expect(await run.outcome).toMatchObject({ status: "cancelled", reason: "no" });
    expect(await agent.executor.listPaused()).toHaveLength(1);
  });

  it("AI-22 two runs of one agent share nothing but their session", async () => {
    const agent = build([{ text: "one" }, { text: "two" }]);
    await agent.talk("first", { sessionId: "a" });
    await agent.talk("second", { sessionId: "b" });
    expect(agent.llm.requests[1]?.messages).toHaveLength(1);
  });

  it("VA-4 VA-25 closing lets a run go on for a while, then ends it", async () => {
    const clock = createFakeClock();
    const agent = createTestAgent([{ text: "x", stall: true }], { clock });
    const run = agent.executor.execute(testMessage("Hi"));
    await untilEvent(run, "text_delta");
    const closed = agent.executor.close({ graceMs: 1_000 });
    await clock.advance(999);
    expect(agent.executor.activeRun("s1")).toBeDefined();
    await clock.advance(1);
    await closed;
    expect(await run.outcome).toMatchObject({ status: "cancelled" });
    expect(clock.sleepers).toBe(0);
  });
});

function build(script: readonly ScriptStep[], parts: Partial<AgentExecutorOptions> = {}): TestAgent {
  return createTestAgent(script, { tools: [testTool("look", async () => "quiet")], ...parts });
}

function line(id: string, message: Omit<Message, "id" | "ts">): TranscriptEntry {
  const ts = "2026-01-01T00:00:00.000Z";
  return { v: 1, id, ts, type: "message", message: { id, ts, ...message } };
}

function textsOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** Ids of calls that are not answered by exactly the next messages, in what was sent last. */
function pairing(agent: TestAgent): readonly string[] {
  const messages = agent.llm.requests.at(-1)?.messages ?? [];
  return messages.flatMap((message, index) => {
    const asked = message.parts.flatMap((part) => (part.type === "tool_call" ? [part.call.id] : []));
    const answered = messages
      .slice(index + 1, index + 1 + asked.length)
      .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool_result" ? [part.callId] : [])));
    const isStray = message.role === "tool_result" && !isAnswer(messages, index);
    return isStray || asked.join() !== answered.join() ? [message.id] : [];
  });
}

function isAnswer(messages: readonly Message[], index: number): boolean {
  const before = messages.slice(0, index).findLast(({ role }) => role === "assistant");
  const part = messages[index]?.parts[0];
  return (
    part?.type === "tool_result" &&
    (before?.parts.some((one) => one.type === "tool_call" && one.call.id === part.callId) ?? false)
  );
}

async function sourcesIn(folder: string): Promise<readonly { readonly name: string; readonly text: string }[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /(?<!\.test)\.ts$/.test(name));
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(folder, name), "utf8") })));
}
