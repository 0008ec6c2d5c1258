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
    const house = build([
      { text: "Hello Ada", chunks: 3, usage: { inputTokens: 7, cacheReadTokens: 3, outputTokens: 2 } },
    ]);
    const { outcome, events } = await house.talk("Hi");
    expect(outcome).toMatchObject({
      status: "finished",
      finish: "complete",
      summary: "Hello Ada",
      metrics: { totalInputTokens: 10, totalOutputTokens: 2, invocations: 1, toolCalls: 0, retries: 0 },
    });
    expect(shownText(events)).toBe("Hello Ada");
    expect(events.at(-1)).toMatchObject({ type: "run_ended", outcome: { status: "finished" } });
    expect(events.find(({ type }) => type === "response")).toMatchObject({ text: "Hello Ada" });
  });

  it("AF-30 AI-10 executes calls and shows their results to the model", async () => {
    const house = build([
      { text: "Let me see", toolCalls: [{ name: "look", args: { at: "gate" } }] },
      { text: "Quiet." },
    ]);
    const { outcome, events } = await house.talk("Is it quiet?");
    expect(outcome).toMatchObject({ status: "finished", summary: "Quiet.", metrics: { toolCalls: 1, invocations: 2 } });
    expect(house.llm.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool_result"]);
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
    const house = build([{ toolCalls: [{ name: "look" }] }, { text: "ok" }]);
    const { events } = await house.talk("Hi");
    const states = events.flatMap((event) => (event.type === "state" ? [event.to] : []));
    expect(states).toEqual(["preparing", "sending", "executing_tools", "preparing", "sending", "complete"]);
  });

  it("AF-31 AF-32 runs to its end although nobody listens, and can be replayed afterwards", async () => {
    const house = build([{ text: "Hello", chunks: 5 }]);
    const run = house.executor.execute(testMessage("Hi"));
    await run.outcome;
    const events = await collectEvents(house.executor.attach(run.runId) ?? run);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(shownText(events)).toBe("Hello");
    const later = await collectEvents(run.events({ afterSeq: 3 }));
    expect(later).toEqual(events.slice(3));
  });

  it("SC-19 answers every one of several calls, in one turn", async () => {
    const house = build([{ toolCalls: [{ name: "look" }, { name: "lok" }, { name: "fail" }] }, { text: "ok" }]);
    await house.talk("Hi");
    const results = house.llm.requests[1]?.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool_result" ? [part.outcome] : [])),
    );
    expect(results).toEqual(["ok", "unknown_tool", "error"]);
  });

  it("AI-21 asks for the prompt apart from the loop, and puts what changes at the end", async () => {
    const house = build([{ text: "ok" }]);
    await house.talk("Hi");
    const [request] = house.llm.requests;
    expect(request?.system).toMatchObject([{ text: "Be brief." }]);
    expect(request?.messages[0]?.parts).toEqual([
      { type: "text", text: "Hi" },
      { type: "state_note", text: "all quiet" },
    ]);
  });

  it("goes on with the conversation in the next run", async () => {
    const house = build([{ text: "one" }, { text: "two" }]);
    await house.talk("first");
    await house.talk("second");
    expect(house.llm.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("writes every message down before it tells of it", async () => {
    const house = build([{ toolCalls: [{ name: "look" }] }, { text: "done" }]);
    const run = house.executor.execute(testMessage("Hi"));
    for await (const event of run) {
      if (event.type !== "message" && event.type !== "tool_result") continue;
      const written = JSON.stringify(await house.options.sessions.read("s1"));
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
    const house = build(script);
    const seen: string[] = [];
    for await (const event of house.executor.execute(testMessage("Hi"))) {
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
    const house = build(script, { onEvent: (event) => heard.push(event), artifactRegistry: registry });
    const { events } = await house.talk("Hi", { images: [{ bytes: PNG_1X1, mediaType: "image/png" }] });
    expect(heard).toEqual(events);
    expect(registry.list({ sessionId: "s1" })).toMatchObject([{ meta: { reason: "input", userId: "ada" } }]);
  });

  it("SC-14 a run in the background has the same tools and gives the same signals", async () => {
    const house = build([{ toolCalls: [{ name: "look" }] }, { text: 'GENERATE_ACTIONS: [{"do": "check"}]' }]);
    const { outcome } = await house.talk("Check", { origin: "job" });
    expect(outcome).toMatchObject({
      metrics: { toolCalls: 1 },
      signals: [{ name: "GENERATE_ACTIONS", data: [{ do: "check" }] }],
    });
    expect(house.llm.requests[0]?.messages[0]?.origin).toBe("job");
  });

  it("AF-39 VA-23 goes on after tools that fail, and shows the model why", async () => {
    const house = build([{ toolCalls: [{ name: "fail" }] }, { toolCalls: [{ name: "look" }] }, { text: "ok" }]);
    expect((await house.talk("Hi")).outcome).toMatchObject({ status: "finished", summary: "ok" });
    expect(JSON.stringify(house.llm.requests[1]?.messages)).toContain("broken");
  });
});

describe("when a run ends", () => {
  it("VA-7 stops after twenty calls of the model", async () => {
    const house = build((_, number) => ({ toolCalls: [{ name: "look", args: { at: `${number}` } }] }));
    const { outcome } = await house.talk("Hi");
    expect(outcome).toMatchObject({ status: "finished", finish: "max_iterations", metrics: { invocations: 20 } });
    expect(paired(house)).toBe(true);
  });

  it("stops a model that goes round in circles", async () => {
    const house = build(() => ({ toolCalls: [{ name: "look", args: { at: "gate" } }] }));
    const { outcome } = await house.talk("Hi");
    expect(outcome).toMatchObject({ finish: "loop_detected", summary: expect.stringContaining('"look"') });
    expect(house.llm.requests).toHaveLength(3);
  });

  it("VA-8 keeps what was said when the length limit cuts it", async () => {
    const house = build([{ text: "Once upon", stop: "max_tokens" }]);
    const { outcome } = await house.talk("A story");
    expect(outcome).toMatchObject({ finish: "max_output_tokens", summary: "Once upon" });
    expect(outcome.warnings).toEqual([expect.objectContaining({ code: "max_output_tokens" })]);
  });

  it("keeps a refused answer in the transcript and out of the next request", async () => {
    const house = build([{ text: "I will n", stop: "refusal" }, { text: "ok" }]);
    const { outcome } = await house.talk("Bad idea");
    expect(outcome).toMatchObject({ status: "finished", finish: "refusal" });
    await house.talk("Good idea");
    expect(JSON.stringify(house.llm.requests[1]?.messages)).not.toContain("I will n");
    expect(JSON.stringify(await house.options.sessions.read("s1"))).toContain("I will n");
  });

  it.each<[string, ScriptStep]>([
    ["the model says so", { text: "", stop: "context_exceeded" }],
    ["the provider refuses", { error: { kind: "agent", code: "context_overflow", message: "prompt is too long" } }],
  ])("ends with context_exhausted when %s", async (_, step) => {
    const { outcome } = await build([step]).talk("Hi");
    expect(outcome).toMatchObject({ status: "finished", finish: "context_exhausted" });
  });

  it("goes on after a pause, and executes calls whatever the stop reason", async () => {
    const house = build([
      { text: "wait", stop: "pause" },
      { toolCalls: [{ name: "look" }], stop: "complete" },
      { text: "done" },
    ]);
    expect((await house.talk("Hi")).outcome).toMatchObject({ summary: "done", metrics: { toolCalls: 1 } });
  });

  it("passes warnings of the client on", async () => {
    const { outcome, events } = await build([{ text: "ok", warnings: [GONE, UNCOUNTED] }]).talk("Hi");
    expect(outcome.warnings).toEqual([GONE, UNCOUNTED]);
    expect(types(events, "warning")).toHaveLength(2);
  });
});

describe("failures", () => {
  it("AI-12 tries again, and voids what it had shown", async () => {
    const house = build([{ text: "Hel", error: OVERLOADED }, { text: "Hello" }], {
      clock: systemClock,
      random: () => 0,
    });
    const { outcome, events } = await house.talk("Hi");
    expect(outcome).toMatchObject({ status: "finished", summary: "Hello", metrics: { retries: 1 } });
    expect(types(events, "text_delta", "discarded", "retry")).toEqual([
      "text_delta",
      "discarded",
      "retry",
      "text_delta",
    ]);
    const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.messageId] : []));
    expect(new Set(deltas).size).toBe(2);
    expect(JSON.stringify(await house.options.sessions.read("s1"))).not.toContain('"Hel"');
  });

  it("AI-17 fails with the kind of the error, tells what was shown, and the session lives on", async () => {
    const house = build([
      { text: "par", error: { kind: "invalid", code: "auth", message: "The key is wrong." } },
      { text: "better" },
    ]);
    const { outcome, events } = await house.talk("Hi");
    expect(outcome).toMatchObject({ status: "failed", error: { kind: "invalid", code: "auth" }, partial: "par" });
    expect(types(events, "error", "run_ended")).toEqual(["error", "run_ended"]);
    expect((await house.talk("Again")).outcome).toMatchObject({ status: "finished" });
  });

  it("AI-15 ends in the state timeout when time ran out", async () => {
    const house = build([{ error: { kind: "timeout", code: "attempt", message: "slow" } }]);
    const { events } = await house.talk("Hi");
    expect(events.findLast(({ type }) => type === "state")).toMatchObject({ to: "timeout" });
  });

  it.each<[string, Partial<ExecuteInput>, Partial<AgentExecutorOptions>, string]>([
    ["a bad session id", { sessionId: "../x" }, {}, "bad_session_id"],
    ["an empty message", { text: " " }, {}, "empty_message"],
    ["a model that is not there", {}, { llm: scriptedModel([], { id: "other" }) }, "unknown_model"],
    ["a prompt that fails", {}, { prompt: brokenPrompt() }, "unexpected"],
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
    const house = build([{ text: "ok" }], {
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
    const { outcome } = await house.talk("Hi");
    expect(outcome).toMatchObject({ status: "finished", warnings: [{ code: "session_write", message: "disk full" }] });
    expect(house.executor.activeRun("s1")).toBeUndefined();
  });
});

describe("cancelling", () => {
  it("AI-14 ends a stalled call at once and keeps what was said", async () => {
    const house = build([{ text: "I was saying", stall: true }, { text: "ok" }]);
    const run = house.executor.execute(testMessage("Hi"));
    await untilEvent(run, "text_delta");
    const started = performance.now();
    await Promise.all([run.cancel("enough"), run.cancel()]);
    expect(performance.now() - started).toBeLessThan(500);
    expect(await run.outcome).toMatchObject({ status: "cancelled", reason: "enough", partial: "I was saying" });
    await house.talk("And?");
    expect(JSON.stringify(house.llm.requests[1]?.messages)).toContain("I was saying");
  });

  it("AI-14 ends the wait between attempts", async () => {
    const house = build([{ error: OVERLOADED }], { clock: createFakeClock(), random: () => 0.9 });
    const run = house.executor.execute(testMessage("Hi"));
    await untilEvent(run, "retry");
    await run.cancel();
    expect(await run.outcome).toMatchObject({ status: "cancelled" });
  });

  it("answers calls that did not end with cancelled, although their tool does not listen", async () => {
    const stuck = testTool("look", () => new Promise(() => undefined));
    const house = build([{ toolCalls: [{ name: "look" }, { name: "look" }] }, { text: "ok" }], { tools: [stuck] });
    const run = house.executor.execute(testMessage("Hi"));
    await untilEvent(run, "tool_call");
    await run.cancel();
    const results = (await collectEvents(run.events())).flatMap((event) =>
      event.type === "tool_result" ? [event.result.outcome] : [],
    );
    expect(results).toEqual(["cancelled", "cancelled"]);
    await house.talk("Again");
    expect(paired(house)).toBe(true);
  });

  it("AI-14 does not wait for a prompt that never comes", async () => {
    const system = () => new Promise<never>(() => undefined);
    const house = build([], { prompt: { system, state: async () => "" } });
    const run = house.executor.execute(testMessage("Hi"));
    await untilEvent(run, "run_started");
    await run.cancel();
    expect(await run.outcome).toMatchObject({ status: "cancelled" });
    expect((await house.options.sessions.open("s1")).id).toBe("s1");
  });

  it("follows the signal of the caller, also one that fired before", async () => {
    const house = build([{ text: "never" }]);
    const { outcome } = await house.talk("Hi", { signal: AbortSignal.abort(new Error("too late")) });
    expect(outcome).toMatchObject({ status: "cancelled", reason: "too late" });
    expect(house.llm.requests).toHaveLength(0);
  });

  it("does not cancel a run whose listener leaves", async () => {
    const house = build([{ text: "Hello", chunks: 5 }]);
    const run = house.executor.execute(testMessage("Hi"));
    await untilEvent(run, "text_delta");
    expect(await run.outcome).toMatchObject({ status: "finished" });
  });

  it("VA-4 shuts down: cancels what runs, waits for it, and takes nothing more", async () => {
    const house = build([{ text: "x", stall: true }]);
    const run = house.executor.execute(testMessage("Hi"));
    await untilEvent(run, "text_delta");
    await Promise.all([house.executor.close(), house.executor.close()]);
    expect(await run.outcome).toMatchObject({ status: "cancelled" });
    expect((await house.talk("Hi")).outcome).toMatchObject({ status: "failed", error: { code: "closed" } });
  });
});

describe("steering", () => {
  it("is heard before the next call of the model, after the results", async () => {
    let run: RunHandle | undefined;
    const look = testTool("look", async () => `heard: ${run?.steer("Look at the door instead")}`);
    const house = build([{ toolCalls: [{ name: "look" }] }, { text: "ok" }], { tools: [look] });
    run = house.executor.execute(testMessage("Hi"));
    const events = await collectEvents(run);
    expect(house.llm.requests[1]?.messages.map(({ role, origin }) => `${role} ${origin}`)).toEqual([
      "user human",
      "assistant model",
      "tool_result tool",
      "user steer",
    ]);
    expect(types(events, "steered")).toHaveLength(1);
  });

  it("keeps a run going that would have ended", async () => {
    const house = build([{ text: "Done.", chunks: 4 }, { text: "Done with that too." }]);
    const run = house.executor.execute(testMessage("Hi"));
    await untilEvent(run, "text_delta");
    expect(run.steer("And the door?")).toBe("queued");
    expect(await run.outcome).toMatchObject({ summary: "Done with that too." });
    expect(run.steer("Too late")).toBe("run_over");
  });

  it("waits in the transcript when the run ends without having heard it", async () => {
    const house = build([{ text: "x", stall: true }, { text: "ok" }]);
    const run = house.executor.execute(testMessage("Hi"));
    await untilEvent(run, "text_delta");
    run.steer("Look at the door");
    await run.cancel();
    expect((await run.outcome).warnings).toEqual([expect.objectContaining({ code: "steering_unheard" })]);
    await house.talk("Well?");
    expect(JSON.stringify(house.llm.requests[1]?.messages)).toContain("Look at the door");
  });
});

describe("one run per session", () => {
  it("fails a second message with session_busy and leaves the first alone", async () => {
    const house = build([{ text: "x", stall: true }, { text: "other" }]);
    const first = house.executor.execute(testMessage("Hi"));
    await untilEvent(first, "text_delta");
    const second = house.executor.execute(testMessage("Me too"));
    expect(await second.outcome).toMatchObject({ status: "failed", error: { kind: "invalid", code: "session_busy" } });
    expect(house.executor.activeRun("s1")?.runId).toBe(first.runId);
    expect((await house.talk("Elsewhere", { sessionId: "s2" })).outcome).toMatchObject({ status: "finished" });
    await first.cancel();
  });

  it("is free as soon as the end is told", async () => {
    const house = build([{ text: "one" }, { text: "two" }]);
    for await (const event of house.executor.execute(testMessage("Hi"))) {
      if (event.type === "run_ended") expect(house.executor.activeRun("s1")).toBeUndefined();
    }
    expect((await house.talk("More")).outcome).toMatchObject({ summary: "two" });
  });

  it("keeps the last runs for those who come late, and forgets older ones", async () => {
    const house = build(() => ({ text: "ok" }), { keepRuns: 2 });
    const runs = [await house.talk("1"), await house.talk("2"), await house.talk("3")];
    expect(runs.map(({ run }) => house.executor.attach(run.runId) !== undefined)).toEqual([false, true, true]);
  });
});

describe("pictures", () => {
  const picture = { bytes: PNG_1X1, mediaType: "image/png", filename: "dot.png", detail: "high" } as const;

  it("VI-3 VI-4 VI-5 VI-21.3 go to the store and reach the model as a reference", async () => {
    const house = build([{ text: "A dot." }]);
    const { events } = await house.talk("What is it?", { images: [picture] });
    const [part] = house.llm.requests[0]?.messages[0]?.parts ?? [];
    expect(part).toMatchObject({ type: "image", mimeType: "image/png", filename: "dot.png", detail: "high" });
    expect(await house.options.artifacts.list({ namespace: "input_image" })).toHaveLength(1);
    expect(events.find(({ type }) => type === "artifact")).toMatchObject({ reason: "input" });
    const told = JSON.stringify([events, await house.options.sessions.read("s1")]);
    expect(told).not.toContain(Buffer.from(PNG_1X1).toString("base64").slice(0, 24));
  });

  it("VI-9 VI-21.5 are refused before any call when the model cannot see", async () => {
    const house = build([{ text: "x" }], { llm: blindModel([{ text: "x" }]) });
    const { outcome } = await house.talk("What is it?", { images: [picture] });
    expect(outcome).toMatchObject({ status: "failed", error: { kind: "capability", code: "model_no_vision" } });
    expect(await house.options.artifacts.list()).toEqual([]);
    expect(await house.options.sessions.has("s1")).toBe(false);
  });

  it("VI-9 VI-25 are left out with a warning when the caller is lenient", async () => {
    const llm = blindModel([{ text: "I cannot see." }]);
    const house = build([], { llm });
    const { outcome } = await house.talk("What is it?", { images: [picture], visionMode: "lenient" });
    expect(outcome).toMatchObject({
      status: "finished",
      warnings: [expect.objectContaining({ code: "images_dropped" })],
    });
    expect(llm.requests[0]?.messages[0]?.parts.map(({ type }) => type)).toEqual(["text", "state_note"]);
  });

  it("VI-2 may be named by an id that was uploaded before", async () => {
    const house = build([{ text: "A dot." }]);
    const { id } = await house.options.artifacts.put(PNG_1X1, { mimeType: "image/png", namespace: "upload" });
    await house.talk("", { images: [{ artifactId: id }] });
    expect(house.llm.requests[0]?.messages[0]?.parts[0]).toMatchObject({ type: "image", artifactId: id });
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
function paired(house: TestAgent): boolean {
  const parts = (house.llm.requests.at(-1)?.messages ?? []).flatMap((message) => message.parts);
  const asked = parts.flatMap((part) => (part.type === "tool_call" ? [part.call.id] : []));
  const answered = parts.flatMap((part) => (part.type === "tool_result" ? [part.callId] : []));
  return asked.join() === answered.join();
}
