import { describe, expect, it } from "vitest";
import { createArtifactRegistry } from "./artifacts.ts";
import {
  type AgentErrorOptions,
  type AgentEvent,
  type AgentExecutorOptions,
  createMemorySessionStore,
  type ExecuteInput,
  type Json,
  type RunHandle,
  systemClock,
} from "./index.ts";
import {
  collectEvents,
  createFakeClock,
  createTestAgent,
  PNG_1X1,
  type ScriptedModel,
  type ScriptStep,
  scriptedModel,
  type TestAgent,
  testMessage,
  testTool,
  untilEvent,
} from "./testing.ts";

const GONE = { code: "image_unavailable", message: "gone" } as const;
const UNCOUNTED = { code: "usage_missing", message: "odd" } as const;
const OVERLOADED: AgentErrorOptions = { kind: "agent", code: "overloaded", message: "busy", retryable: true };

describe("a run", () => {
  it("AF-29 AI-16 answers a message and counts what it took", async () => {
    const agent = build([
      { text: "Hello Ada", chunks: 3, usage: { inputTokens: 7, cacheReadTokens: 3, outputTokens: 2 } },
    ]);
    const { outcome, events } = await agent.talk("Hi");
    expect(outcome).toMatchObject({
      status: "finished",
      by: "model",
      text: "Hello Ada",
      metrics: { totalInputTokens: 10, totalOutputTokens: 2, invocations: 1, toolCalls: 0, retries: 0 },
    });
    expect(shownText(events)).toBe("Hello Ada");
    expect(events.at(-1)).toMatchObject({ type: "run_ended", outcome: { status: "finished" } });
    expect(events.find(({ type }) => type === "response")).toMatchObject({ text: "Hello Ada" });
  });

  it("AF-30 AI-10 executes calls and shows their results to the model", async () => {
    const agent = build([
      { text: "Let me see", toolCalls: [{ name: "look", args: { at: "gate" } }] },
      { text: "Quiet." },
    ]);
    const { outcome, events } = await agent.talk("Is it quiet?");
    expect(outcome).toMatchObject({ status: "finished", text: "Quiet.", metrics: { toolCalls: 1, invocations: 2 } });
    expect(agent.llm.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool_result"]);
    expect(types(events, "tool_call", "tool_result")).toEqual(["tool_call", "tool_result"]);
  });

  it("tells programs the data of a result, keeps it in the transcript, and counts only its words", async () => {
    const build = (data: Json) =>
      createTestAgent([{ toolCalls: [{ name: "look" }] }, { text: "ok" }], {
        tools: [testTool("look", async () => ({ data, text: "Two doors." }))],
      });
    const [small, large] = [build({ doors: 2 }), build({ doors: 2, notes: "long ".repeat(10_000) })];
    const { events } = await small.talk("Hi");
    const { events: others } = await large.talk("Hi");
    expect(events.find(({ type }) => type === "tool_result")).toMatchObject({ result: { data: { doors: 2 } } });
    const kept = (await small.options.sessions.read("s1")).flatMap((entry) =>
      entry.type === "message"
        ? entry.message.parts.flatMap((part) => (part.type === "tool_result" ? [part.data] : []))
        : [],
    );
    expect(kept).toEqual([{ doors: 2 }]);
    const sizes = [events, others].map((told) =>
      told.flatMap((event) => (event.type === "request" ? [event.context.tokens.total, event.context.bytes] : [])),
    );
    expect(sizes[0]).toEqual(sizes[1]);
  });

  it("AI-9 walks through its states", async () => {
    const agent = build([{ toolCalls: [{ name: "look" }] }, { text: "ok" }]);
    const { events } = await agent.talk("Hi");
    const states = events.flatMap((event) => (event.type === "state" ? [event.to] : []));
    expect(states).toEqual(["preparing", "sending", "executing_tools", "preparing", "sending", "complete"]);
  });

  it("AF-31 AF-32 runs to its end although nobody listens, and can be replayed afterwards", async () => {
    const agent = build([{ text: "Hello", chunks: 5 }]);
    const run = agent.executor.execute(testMessage("Hi"));
    await run.outcome;
    const events = await collectEvents((await agent.executor.attach(run.runId)) ?? run);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(shownText(events)).toBe("Hello");
    const later = await collectEvents(run.events({ afterSeq: 3 }));
    expect(later).toEqual(events.slice(3));
  });

  it("SC-19 answers every one of several calls, in one turn", async () => {
    const agent = build([{ toolCalls: [{ name: "look" }, { name: "lok" }, { name: "fail" }] }, { text: "ok" }]);
    await agent.talk("Hi");
    const results = agent.llm.requests[1]?.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool_result" ? [part.outcome] : [])),
    );
    expect(results).toEqual(["ok", "unknown_tool", "error"]);
  });

  it("AI-21 asks for the prompt apart from the loop, and puts what changes at the end", async () => {
    const agent = build([{ text: "ok" }]);
    await agent.talk("Hi");
    const [request] = agent.llm.requests;
    expect(request?.system).toMatchObject([{ text: "Be brief." }]);
    expect(request?.messages[0]?.parts).toEqual([
      { type: "text", text: "Hi" },
      { type: "state_note", text: "all quiet" },
    ]);
  });

  it("goes on with the conversation in the next run", async () => {
    const agent = build([{ text: "one" }, { text: "two" }]);
    await agent.talk("first");
    await agent.talk("second");
    expect(agent.llm.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("writes every message down before it tells of it", async () => {
    const agent = build([{ toolCalls: [{ name: "look" }] }, { text: "done" }]);
    const run = agent.executor.execute(testMessage("Hi"));
    for await (const event of run) {
      if (event.type !== "message" && event.type !== "tool_result") continue;
      const written = JSON.stringify(await agent.options.sessions.read("s1"));
      expect(written).toContain(event.type === "message" ? event.message.id : event.result.callId);
    }
  });
});

describe("one core, whoever listens", () => {
  const script: readonly ScriptStep[] = [
    { thinking: "Hm", text: "Looking", chunks: 2, toolCalls: [{ name: "look" }] },
    { text: "Quiet.", chunks: 3 },
  ];

  it("SC-1 SC-17 the same run streamed, waited for, or in the background comes to the same end", async () => {
    const streamed = (await build(script).talk("Hi")).outcome;
    const waited = await build(script).executor.execute(testMessage("Hi")).outcome;
    const inBackground = await build(script).executor.execute(testMessage("Hi", { origin: "job" })).outcome;
    expect(waited).toEqual(streamed);
    expect(inBackground).toEqual(streamed);
  });

  it("VA-1 VA-2 a message with a picture gives events in their order, each with its time", async () => {
    const images = [{ bytes: PNG_1X1, mediaType: "image/png" }];
    const { events } = await build(script).talk("Hi", { images });
    const told = ["thinking_delta", "tool_call", "tool_result", "response"] as const;
    expect(types(events, ...told)).toEqual(told);
    expect(events.every(({ ts }) => ts === "2026-01-01T00:00:00.000Z")).toBe(true);
  });

  it("SC-8 SC-18.3 text is shown while it comes, before and after the tools, in one stream", async () => {
    const agent = build(script);
    const seen: string[] = [];
    for await (const event of agent.executor.execute(testMessage("Hi"))) {
      if (event.type === "text_delta" || event.type === "tool_result") seen.push(event.type);
    }
    expect(seen).toEqual(["text_delta", "text_delta", "tool_result", "text_delta", "text_delta", "text_delta"]);
  });

  it("VA-25 everyone who listens hears everything", async () => {
    const run = build(script).executor.execute(testMessage("Hi"));
    const heard = await Promise.all([collectEvents(run), collectEvents(run.events()), collectEvents(run)]);
    expect(heard[1]).toEqual(heard[0]);
    expect(heard[2]).toEqual(heard[0]);
  });

  it("VA-25 AF-37 the host hears every event of every run, and of every artifact", async () => {
    const [heard, registry] = [[] as AgentEvent[], createArtifactRegistry()];
    const agent = build(script, { onEvent: (event) => heard.push(event), artifactRegistry: registry });
    const { events } = await agent.talk("Hi", { images: [{ bytes: PNG_1X1, mediaType: "image/png" }] });
    expect(heard).toEqual(events);
    expect(registry.list({ sessionId: "s1" })).toMatchObject([{ meta: { reason: "input", userId: "ada" } }]);
  });

  it("SC-14 a run in the background has the same tools and gives the same signals", async () => {
    const agent = build([{ toolCalls: [{ name: "look" }] }, { text: 'GENERATE_ACTIONS: [{"do": "check"}]' }]);
    const { outcome } = await agent.talk("Check", { origin: "job" });
    expect(outcome).toMatchObject({
      metrics: { toolCalls: 1 },
      signals: [{ name: "GENERATE_ACTIONS", data: [{ do: "check" }] }],
    });
    expect(agent.llm.requests[0]?.messages[0]?.origin).toBe("job");
  });

  it("AF-39 VA-23 goes on after tools that fail, and shows the model why", async () => {
    const agent = build([{ toolCalls: [{ name: "fail" }] }, { toolCalls: [{ name: "look" }] }, { text: "ok" }]);
    expect((await agent.talk("Hi")).outcome).toMatchObject({ status: "finished", text: "ok" });
    expect(JSON.stringify(agent.llm.requests[1]?.messages)).toContain("broken");
  });
});

describe("when a run ends", () => {
  it("VA-7 stops after twenty calls of the model", async () => {
    const agent = build((_, number) => ({ toolCalls: [{ name: "look", args: { at: `${number}` } }] }));
    const { outcome } = await agent.talk("Hi");
    expect(outcome).toMatchObject({ status: "stopped", reason: "max_iterations", metrics: { invocations: 20 } });
    expect(paired(agent)).toBe(true);
  });

  it("stops a model that goes round in circles", async () => {
    const agent = build(() => ({ toolCalls: [{ name: "look", args: { at: "gate" } }] }));
    const { outcome } = await agent.talk("Hi");
    expect(outcome).toMatchObject({ status: "stopped", reason: "loop", message: expect.stringContaining('"look"') });
    expect(agent.llm.requests).toHaveLength(3);
  });

  it("VA-8 keeps what was said when the length limit cuts it", async () => {
    const agent = build([{ text: "Once upon", stop: "max_tokens" }]);
    const { outcome } = await agent.talk("A story");
    expect(outcome).toMatchObject({ status: "stopped", reason: "max_output_tokens", text: "Once upon" });
  });

  it("keeps a refused answer in the transcript and out of the next request", async () => {
    const agent = build([{ text: "I will n", stop: "refusal" }, { text: "ok" }]);
    const { outcome } = await agent.talk("Bad idea");
    expect(outcome).toMatchObject({ status: "stopped", reason: "refusal" });
    await agent.talk("Good idea");
    expect(JSON.stringify(agent.llm.requests[1]?.messages)).not.toContain("I will n");
    expect(JSON.stringify(await agent.options.sessions.read("s1"))).toContain("I will n");
  });

  it.each<[string, ScriptStep]>([
    ["the model says so", { text: "", stop: "context_exceeded" }],
    ["the provider refuses", { error: { kind: "agent", code: "context_overflow", message: "prompt is too long" } }],
  ])("ends with context_exhausted when %s", async (_, step) => {
    const { outcome } = await build([step]).talk("Hi");
    expect(outcome).toMatchObject({ status: "stopped", reason: "context_exhausted" });
  });

  it("goes on after a pause, and executes calls whatever the stop reason", async () => {
    const agent = build([
      { text: "wait", stop: "pause" },
      { toolCalls: [{ name: "look" }], stop: "complete" },
      { text: "done" },
    ]);
    expect((await agent.talk("Hi")).outcome).toMatchObject({ text: "done", metrics: { toolCalls: 1 } });
  });

  it("passes warnings of the client on", async () => {
    const { outcome, events } = await build([{ text: "ok", warnings: [GONE, UNCOUNTED] }]).talk("Hi");
    expect(outcome.warnings).toEqual([GONE, UNCOUNTED]);
    expect(types(events, "warning")).toHaveLength(2);
  });
});

describe("failures", () => {
  it("AI-12 tries again, and voids what it had shown", async () => {
    const agent = build([{ text: "Hel", error: OVERLOADED }, { text: "Hello" }], {
      clock: systemClock,
      random: () => 0,
    });
    const { outcome, events } = await agent.talk("Hi");
    expect(outcome).toMatchObject({ status: "finished", text: "Hello", metrics: { retries: 1 } });
    expect(types(events, "text_delta", "discarded", "retry")).toEqual([
      "text_delta",
      "discarded",
      "retry",
      "text_delta",
    ]);
    const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.messageId] : []));
    expect(new Set(deltas).size).toBe(2);
    expect(JSON.stringify(await agent.options.sessions.read("s1"))).not.toContain('"Hel"');
  });

  it("AI-17 fails with the kind of the error, tells what was shown, and the session lives on", async () => {
    const agent = build([
      { text: "par", error: { kind: "invalid", code: "auth", message: "The key is wrong." } },
      { text: "better" },
    ]);
    const { outcome, events } = await agent.talk("Hi");
    expect(outcome).toMatchObject({ status: "failed", error: { kind: "invalid", code: "auth" }, text: "par" });
    expect(types(events, "error", "run_ended")).toEqual(["error", "run_ended"]);
    expect((await agent.talk("Again")).outcome).toMatchObject({ status: "finished" });
  });

  it("AI-15 ends in the state timeout when time ran out", async () => {
    const agent = build([{ error: { kind: "timeout", code: "attempt", message: "slow" } }]);
    const { events } = await agent.talk("Hi");
    expect(events.findLast(({ type }) => type === "state")).toMatchObject({ to: "timeout" });
  });

  it.each<[string, Partial<ExecuteInput>, Partial<AgentExecutorOptions>, string]>([
    ["a bad session id", { sessionId: "../x" }, {}, "bad_session_id"],
    ["an empty message", { text: " " }, {}, "empty_message"],
    ["a model that is not there", {}, { llm: scriptedModel([], { id: "other" }) }, "unknown_model"],
    ["a prompt that fails", {}, { prompt: brokenPrompt() }, "host_callback"],
    ["a picture that is not there", { images: [{ artifactId: "art_no" }] }, {}, "unknown_artifact"],
    [
      "bytes that are no picture",
      { images: [{ bytes: Buffer.from("x"), mediaType: "image/png" }] },
      {},
      "image_type_unsupported",
    ],
  ])("never throws, never rejects: %s", async (_, parts, options, code) => {
    const { outcome, events } = await build([{ text: "x" }], options).talk("Hi", parts);
    expect(outcome).toMatchObject({ status: "failed", error: { code } });
    expect(types(events, "run_started", "error", "run_ended")).toEqual(["run_started", "error", "run_ended"]);
  });

  it("goes on although the session cannot be written at the end", async () => {
    const sessions = createMemorySessionStore();
    const agent = build([{ text: "ok" }], {
      sessions: {
        ...sessions,
        open: async (id) => {
          const session = await sessions.open(id);
          const append: typeof session.append = async (entry) => {
            if (entry.type === "run_ended") throw new Error("disk full");
            return session.append(entry);
          };
          return { ...session, append };
        },
      },
    });
    const { outcome } = await agent.talk("Hi");
    expect(outcome).toMatchObject({
      status: "finished",
      warnings: [{ code: "session_write", message: expect.stringContaining("disk full") }],
    });
    expect(agent.executor.activeRun("s1")).toBeUndefined();
  });
});

describe("cancelling", () => {
  it("AI-14 ends a stalled call at once and keeps what was said", async () => {
    const agent = build([{ text: "I was saying", stall: true }, { text: "ok" }]);
    const run = agent.executor.execute(testMessage("Hi"));
    await untilEvent(run, "text_delta");
    const started = performance.now();
    await Promise.all([run.cancel("enough"), run.cancel()]);
    expect(performance.now() - started).toBeLessThan(500);
    expect(await run.outcome).toMatchObject({ status: "cancelled", reason: "enough", text: "I was saying" });
    await agent.talk("And?");
    expect(JSON.stringify(agent.llm.requests[1]?.messages)).toContain("I was saying");
  });

  it("AI-14 ends the wait between attempts", async () => {
    const agent = build([{ error: OVERLOADED }], { clock: createFakeClock(), random: () => 0.9 });
    const run = agent.executor.execute(testMessage("Hi"));
    await untilEvent(run, "retry");
    await run.cancel();
    expect(await run.outcome).toMatchObject({ status: "cancelled" });
  });

  it("answers calls that did not end with cancelled, although their tool does not listen", async () => {
    const clock = createFakeClock();
    const begun = Promise.withResolvers<void>();
    const stuck = testTool("look", () => {
      begun.resolve();
      return new Promise(() => undefined);
    });
    const agent = build([{ toolCalls: [{ name: "look" }, { name: "look" }] }, { text: "ok" }], {
      tools: [stuck],
      clock,
    });
    const run = agent.executor.execute(testMessage("Hi"));
    await begun.promise;
    let isOver = false;
    void run.cancel().then(() => {
      isOver = true;
    });
    while (!isOver) await clock.advance(100);
    const results = (await collectEvents(run.events())).flatMap((event) =>
      event.type === "tool_result" ? [event.result.outcome] : [],
    );
    expect(results).toEqual(["cancelled", "cancelled"]);
    await agent.talk("Again");
    expect(paired(agent)).toBe(true);
  });

  it("AI-14 does not wait for a prompt that never comes", async () => {
    const system = () => new Promise<never>(() => undefined);
    const agent = build([], { prompt: { system, state: async () => "" } });
    const run = agent.executor.execute(testMessage("Hi"));
    await untilEvent(run, "run_started");
    await run.cancel();
    expect(await run.outcome).toMatchObject({ status: "cancelled" });
    expect((await agent.options.sessions.open("s1")).id).toBe("s1");
  });

  it("follows the signal of the caller, also one that fired before", async () => {
    const agent = build([{ text: "never" }]);
    const { outcome } = await agent.talk("Hi", { signal: AbortSignal.abort(new Error("too late")) });
    expect(outcome).toMatchObject({ status: "cancelled", reason: "too late" });
    expect(agent.llm.requests).toHaveLength(0);
  });

  it("does not cancel a run whose listener leaves", async () => {
    const agent = build([{ text: "Hello", chunks: 5 }]);
    const run = agent.executor.execute(testMessage("Hi"));
    await untilEvent(run, "text_delta");
    expect(await run.outcome).toMatchObject({ status: "finished" });
  });

  it("VA-4 shuts down: cancels what runs, waits for it, and takes nothing more", async () => {
    const agent = build([{ text: "x", stall: true }]);
    const run = agent.executor.execute(testMessage("Hi"));
    await untilEvent(run, "text_delta");
    await Promise.all([agent.executor.close(), agent.executor.close()]);
    expect(await run.outcome).toMatchObject({ status: "cancelled" });
    expect((await agent.talk("Hi")).outcome).toMatchObject({ status: "failed", error: { code: "closed" } });
  });
});

describe("steering", () => {
  it("is heard before the next call of the model, after the results", async () => {
    let run: RunHandle | undefined;
    const look = testTool("look", async () => `heard: ${run?.steer("Look at the door instead")}`);
    const agent = build([{ toolCalls: [{ name: "look" }] }, { text: "ok" }], { tools: [look] });
    run = agent.executor.execute(testMessage("Hi"));
    const events = await collectEvents(run);
    expect(agent.llm.requests[1]?.messages.map(({ role, origin }) => `${role} ${origin}`)).toEqual([
      "user human",
      "assistant model",
      "tool_result tool",
      "user steer",
    ]);
    expect(types(events, "steered")).toHaveLength(1);
  });

  it("keeps a run going that would have ended", async () => {
    const agent = build([{ text: "Done.", chunks: 4 }, { text: "Done with that too." }]);
    const run = agent.executor.execute(testMessage("Hi"));
    await untilEvent(run, "text_delta");
    expect(run.steer("And the door?")).toBe("queued");
    expect(await run.outcome).toMatchObject({ text: "Done with that too." });
    expect(run.steer("Too late")).toBe("run_over");
  });

  it("waits in the transcript when the run ends without having heard it", async () => {
    const agent = build([{ text: "x", stall: true }, { text: "ok" }]);
    const run = agent.executor.execute(testMessage("Hi"));
    await untilEvent(run, "text_delta");
    run.steer("Look at the door");
    await run.cancel();
    expect((await run.outcome).warnings).toEqual([expect.objectContaining({ code: "steering_unheard" })]);
    await agent.talk("Well?");
    expect(JSON.stringify(agent.llm.requests[1]?.messages)).toContain("Look at the door");
  });
});

describe("one run per session", () => {
  it("fails a second message with session_busy and leaves the first alone", async () => {
    const agent = build([{ text: "x", stall: true }, { text: "other" }]);
    const first = agent.executor.execute(testMessage("Hi"));
    await untilEvent(first, "text_delta");
    const second = agent.executor.execute(testMessage("Me too"));
    expect(await second.outcome).toMatchObject({ status: "failed", error: { kind: "invalid", code: "session_busy" } });
    expect(agent.executor.activeRun("s1")?.runId).toBe(first.runId);
    expect((await agent.talk("Elsewhere", { sessionId: "s2" })).outcome).toMatchObject({ status: "finished" });
    await first.cancel();
  });

  it("is free as soon as the end is told", async () => {
    const agent = build([{ text: "one" }, { text: "two" }]);
    for await (const event of agent.executor.execute(testMessage("Hi"))) {
      if (event.type === "run_ended") expect(agent.executor.activeRun("s1")).toBeUndefined();
    }
    expect((await agent.talk("More")).outcome).toMatchObject({ text: "two" });
  });

  it("keeps the last runs for those who come late, and forgets older ones", async () => {
    const agent = build(() => ({ text: "ok" }), { keepRuns: 2 });
    const runs = [await agent.talk("1"), await agent.talk("2"), await agent.talk("3")];
    const attached = await Promise.all(runs.map(({ run }) => agent.executor.attach(run.runId)));
    expect(attached.map((found, index) => found === runs[index]?.run)).toEqual([false, true, true]);
  });
});

describe("pictures", () => {
  const picture = { bytes: PNG_1X1, mediaType: "image/png", filename: "dot.png", detail: "high" } as const;

  it("VI-3 VI-4 VI-5 VI-21.3 go to the store and reach the model as a reference", async () => {
    const agent = build([{ text: "A dot." }]);
    const { events } = await agent.talk("What is it?", { images: [picture] });
    const [part] = agent.llm.requests[0]?.messages[0]?.parts ?? [];
    expect(part).toMatchObject({ type: "image", mimeType: "image/png", filename: "dot.png", detail: "high" });
    expect(await agent.options.artifacts.list({ namespace: "input_image" })).toHaveLength(1);
    expect(events.find(({ type }) => type === "artifact")).toMatchObject({ reason: "input" });
    const told = JSON.stringify([events, await agent.options.sessions.read("s1")]);
    expect(told).not.toContain(Buffer.from(PNG_1X1).toString("base64").slice(0, 24));
  });

  it("VI-9 VI-21.5 are refused before any call when the model cannot see", async () => {
    const agent = build([{ text: "x" }], { llm: blindModel([{ text: "x" }]) });
    const { outcome } = await agent.talk("What is it?", { images: [picture] });
    expect(outcome).toMatchObject({ status: "failed", error: { kind: "capability", code: "model_no_vision" } });
    expect(await agent.options.artifacts.list()).toEqual([]);
    expect(await agent.options.sessions.has("s1")).toBe(false);
  });

  it("VI-9 VI-25 are left out with a warning when the caller is lenient", async () => {
    const llm = blindModel([{ text: "I cannot see." }]);
    const agent = build([], { llm });
    const { outcome } = await agent.talk("What is it?", { images: [picture], visionMode: "lenient" });
    expect(outcome).toMatchObject({
      status: "finished",
      warnings: [{ code: "images_dropped", message: "1 picture was left out: scripted-1 cannot see it." }],
    });
    expect(llm.requests[0]?.messages[0]?.parts.map(({ type }) => type)).toEqual(["text", "state_note"]);
  });

  it("VI-2 may be named by an id that was uploaded before", async () => {
    const agent = build([{ text: "A dot." }]);
    const { id } = await agent.options.artifacts.put(PNG_1X1, { mimeType: "image/png", namespace: "upload" });
    await agent.talk("", { images: [{ artifactId: id }] });
    expect(agent.llm.requests[0]?.messages[0]?.parts[0]).toMatchObject({ type: "image", artifactId: id });
  });
});

type Script = Parameters<typeof scriptedModel>[0];

function build(script: Script, parts: Partial<AgentExecutorOptions> = {}): TestAgent {
  return createTestAgent(script, {
    tools: [testTool("look", async () => "quiet"), testTool("fail", () => Promise.reject(new Error("broken")))],
    prompt: {
      system: async () => [{ id: "who", text: "Be brief.", stability: "static" }],
      state: async () => "all quiet",
    },
    ...parts,
  });
}

function blindModel(script: Script): ScriptedModel {
  return scriptedModel(script, { supportsVision: false });
}

function brokenPrompt(): AgentExecutorOptions["prompt"] {
  return { system: () => Promise.reject(new Error("no prompt")), state: async () => "" };
}

function types(events: readonly AgentEvent[], ...wanted: AgentEvent["type"][]): readonly string[] {
  return events.map(({ type }) => type).filter((type) => wanted.includes(type));
}

function shownText(events: readonly AgentEvent[]): string {
  return events.map((event) => (event.type === "text_delta" ? event.text : "")).join("");
}

/** True when what was sent last has an answer for every call. */
function paired(agent: TestAgent): boolean {
  const parts = (agent.llm.requests.at(-1)?.messages ?? []).flatMap((message) => message.parts);
  const asked = parts.flatMap((part) => (part.type === "tool_call" ? [part.call.id] : []));
  const answered = parts.flatMap((part) => (part.type === "tool_result" ? [part.callId] : []));
  return asked.join() === answered.join();
}
