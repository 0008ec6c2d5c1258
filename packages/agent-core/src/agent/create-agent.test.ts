import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { LanguageModel } from "../llm/llm-client.ts";
import { createMemorySessionStore } from "../session/memory-session-store.ts";
import { PNG_1X1 } from "../testing/sample-images.ts";
import { type ScriptedModel, scriptedModel } from "../testing/scripted-model.ts";
import { createAskUserTool } from "../tools/built-in-tools.ts";
import { defineTool } from "../tools/tool.ts";
import type { AgentEvent } from "../types/events.ts";
import { RunError } from "./agent-stream.ts";
import { createAgent } from "./create-agent.ts";

const weather = defineTool({
  name: "weather",
  description: "The weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, celsius: 21 }),
});
const CALL = { toolCalls: [{ name: "weather", args: { city: "Oslo" } }] };

describe("mistakes of the program", () => {
  const { model } = scripted([{ text: "ok" }]);

  it.each([
    [{ stop: { maxCost: 5 } }, "stop.maxCost"],
    [{ retry: { attempts: 1 } }, "retry.attempts"],
    [{ timers: { firstEvent: 1 } }, "`timers.firstEventMs`"],
    [{ onEvnt: () => undefined }, "`onEvent`"],
    [{ model: { id: "m", client: { profile: () => undefined } } }, "no function `stream`"],
  ])("refuses an option that would do nothing: %j", (given, message) => {
    expect(() => createAgent({ model, ...(given as object) })).toThrow(message);
  });

  it("refuses an unknown option of a run, and warns of tools to deny that nobody knows", async () => {
    const agent = createAgent({ model, tools: [weather] });
    const asked = agent.run("Hi", { sesion: "s" } as object);
    await expect(asked).rejects.toMatchObject({ code: "bad_options", message: expect.stringContaining("`session`") });
    const { warnings } = await createAgent({ model: scripted([{ text: "ok" }]).model, tools: [weather] }).run("Hi", {
      tools: { deny: ["wether"] },
    });
    expect(warnings).toMatchObject([{ code: "unknown_tools", message: expect.stringContaining('"weather"') }]);
  });

  it("names the program's ids when they fail", async () => {
    const ids = {
      next() {
        throw new Error("no more numbers");
      },
    };
    await expect(createAgent({ model, ids }).run("Hi")).rejects.toMatchObject({ code: "host_callback" });
  });

  it.each(["yes", 5, null, { kind: "nope" }])("does not take %j for an answer to an approval", async (answer) => {
    const asking = { ...weather, approval: () => ({ decision: "ask" as const, prompt: "May I?" }) };
    const agent = createAgent({ model: scripted([CALL, { text: "ok" }]).model, tools: [asking] });
    const asked = agent.run("Hi", { onPause: () => answer as never });
    await expect(asked).rejects.toMatchObject({ kind: "invalid", code: "bad_resolution" });
    expect(await agent.pauses()).toHaveLength(1);
  });

  it("says that a pause is answered with the pause, not with its id", () => {
    expect(() => createAgent({ model }).resume("s~pause_1" as never, true)).toThrow(/the pause itself/);
  });
});

describe("the words of an answer", () => {
  it("VI-13 show no bytes of a picture that the model writes as a data URL, however it is cut", async () => {
    const bytes = Buffer.from(PNG_1X1).toString("base64");
    const text = `Data: here data:image/png;base64,${bytes} and done.`;
    for (const chunks of [1, 7, text.length]) {
      const { model } = scripted([{ text, thinking: text, chunks }]);
      const stream = createAgent({ model }).stream("Hi");
      const shown = { text_delta: "", thinking_delta: "" };
      for await (const event of stream) {
        if (event.type === "text_delta" || event.type === "thinking_delta") shown[event.type] += event.text;
      }
      expect(shown.text_delta).toMatch(/^Data: here <image image\/png \d+ bytes> and done\.$/);
      expect(JSON.stringify(shown)).not.toContain(bytes.slice(-12));
    }
  });
});

describe("createAgent", () => {
  it("AF-29 answers with a model, a tool and instructions, and nothing else", async () => {
    const { model, client } = scripted([CALL, { text: "21 degrees." }]);
    const agent = createAgent({ model, tools: [weather], instructions: "Be brief." });
    const { text, metrics, session } = await agent.run("How warm is it in Oslo?");
    expect([text, metrics.toolCalls]).toEqual(["21 degrees.", 1]);
    expect(session).toMatch(/^session/);
    expect(client.requests[0]?.system).toEqual([{ id: "instructions", text: "Be brief.", stability: "static" }]);
  });

  it("asks a function for the instructions of each run", async () => {
    const days = ["Day 1.", "Day 2."];
    const { model, client } = scripted([{ text: "a" }, { text: "b" }]);
    const agent = createAgent({ model, instructions: () => days.shift() ?? "" });
    await agent.run("one", { session: "s" });
    await agent.run("two", { session: "s" });
    expect(client.requests.map(({ system }) => system[0]?.text)).toEqual(["Day 1.", "Day 2."]);
  });

  it("AF-31 streams events from the beginning, also to those who come late, and then the result", async () => {
    const { model } = scripted([CALL, { text: "21 degrees.", chunks: 3 }]);
    const stream = createAgent({ model, tools: [weather] }).stream("How warm?");
    let shown = "";
    for await (const event of stream) if (event.type === "text_delta") shown += event.text;
    expect([shown, (await stream.result()).text]).toEqual(["21 degrees.", "21 degrees."]);
    const again: AgentEvent[] = [];
    for await (const event of stream) again.push(event);
    expect([again[0]?.type, again.at(-1)?.type]).toEqual(["run_started", "run_ended"]);
  });

  it("gives the words alone", async () => {
    const { model } = scripted([{ text: "21 degrees.", chunks: 3 }]);
    let shown = "";
    for await (const text of createAgent({ model }).stream("How warm?").textStream()) shown += text;
    expect(shown).toBe("21 degrees.");
  });

  it("AI-10 remembers within a session and begins anew without one", async () => {
    const { model, client } = scripted([{ text: "Hello Ada." }, { text: "Ada." }, { text: "Who?" }]);
    const agent = createAgent({ model });
    await agent.run("I am Ada.", { session: "ada@home:1" });
    await agent.run("Who am I?", { session: "ada@home:1" });
    await agent.run("Who am I?");
    expect(client.requests.map(({ messages }) => messages.length)).toEqual([1, 3, 1]);
  });

  it("VI-1 takes pictures with a message", async () => {
    const { model, client } = scripted([{ text: "A dot." }], { supportsVision: true });
    await createAgent({ model }).run("What is this?", { images: [{ bytes: PNG_1X1, mediaType: "image/png" }] });
    expect(client.requests[0]?.messages[0]?.parts[0]).toMatchObject({ type: "image", mimeType: "image/png" });
  });

  it("uses another model of the same client for one run", async () => {
    const { model, client } = scripted([{ text: "a" }]);
    await createAgent({ model }).run("Hi", { model: "scripted-2" });
    expect(client.requests[0]?.model).toBe("scripted-2");
  });

  it("closes twice, and takes nothing more", async () => {
    const { model } = scripted([]);
    const agent = createAgent({ model });
    await agent.close();
    await agent[Symbol.asyncDispose]();
    await expect(agent.run("Hi")).rejects.toMatchObject({ kind: "invalid", code: "closed" });
  });
});

describe("options of programs in JavaScript", () => {
  const agent = () => createAgent({ model: scripted([{ text: "ok" }]).model });
  const run = (options: object) => () => agent().run("Hi", options as never);

  it.each<[string, () => unknown, string]>([
    ["a model by its name", () => createAgent({ model: "claude-sonnet-5-5" as never }), 'anthropic("…")'],
    ["no model", () => createAgent({} as never), 'anthropic("…")'],
    ["tools by name", () => createAgent({ model: scripted([]).model, tools: { weather } as never }), "a list"],
    ["instructions as a list", () => createAgent({ model: scripted([]).model, instructions: ["a"] as never }), "text"],
    [
      "options of another library",
      () => createAgent({ model: scripted([]).model, system: "x" } as never),
      "`instructions`",
    ],
    ["messages in place of a text", () => agent().run([{ role: "user", content: "Hi" }] as never), "a text"],
    ["tools of a run as a list", run({ tools: [weather] }), "{ allow: [names] }"],
    ["a model of a run as an object", run({ model: scripted([]).model }), "the id of a model"],
    ["a picture by its URL", run({ images: [{ url: "https://x/y.png" }] }), "{ path }"],
    ["a picture as a text", run({ images: ["a.png"] }), "{ path }"],
    ["pictures that are none", run({ images: [null] }), "{ path }"],
    ["an option of another library", run({ maxSteps: 3 }), "stop: { maxIterations"],
  ])("refuses %s and says what to write", async (_, make, words) => {
    const thrown = await (async () => make())().catch((error: unknown) => error);
    expect(thrown).toMatchObject({ kind: "invalid", code: "bad_options", message: expect.stringContaining(words) });
  });

  it("takes undefined for an option that is absent", async () => {
    const request: { signal?: AbortSignal; session?: string; images?: [] } = {};
    const { model } = scripted([{ text: "ok" }]);
    const { text } = await createAgent({
      model,
      instructions: undefined,
      tools: undefined,
      sessions: undefined,
      artifacts: undefined,
      clock: undefined,
      ids: undefined,
      stop: undefined,
      timers: undefined,
      retry: undefined,
      random: undefined,
      keepRuns: undefined,
      context: undefined,
      budget: undefined,
      secrets: undefined,
      onEvent: undefined,
    }).run("Hi", {
      signal: request.signal,
      session: request.session,
      images: request.images,
      user: undefined,
      output: undefined,
      model: undefined,
      config: undefined,
      tools: undefined,
      stop: undefined,
      onPause: undefined,
      dedupeKey: undefined,
    });
    expect(text).toBe("ok");
  });

  it("warns of names in tools.allow that no tool has", async () => {
    const { model } = scripted([{ text: "ok" }]);
    const { warnings } = await createAgent({ model, tools: [weather] }).run("Hi", { tools: { allow: ["wether"] } });
    expect(warnings).toEqual([
      { code: "unknown_tools", message: 'There is no tool "wether" to allow; did you mean "weather"?' },
    ]);
  });
});

describe("typed output", () => {
  const SHAPE = z.object({ city: z.string(), degrees: z.number().default(0) });

  it("gives the answer as data of the schema's type", async () => {
    const { model, client } = scripted([{ text: '{"city":"Oslo"}' }]);
    const { output } = await createAgent({ model }).run("Where?", { output: SHAPE });
    expectTypeOf(output).toEqualTypeOf<{ city: string; degrees: number }>();
    expect(output).toEqual({ city: "Oslo", degrees: 0 });
    expect(client.requests[0]?.config?.output?.schema).toMatchObject({ required: ["city"] });
  });

  it("takes a JSON Schema too", async () => {
    const { model } = scripted([{ text: '{"n":4}' }]);
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
    const { output } = await createAgent({ model }).run("How many?", { output: schema });
    expectTypeOf(output.n).toEqualTypeOf<number>();
    expect(output.n).toBe(4);
  });

  it.each([
    ["no JSON", "It is Oslo.", SHAPE],
    ["JSON of another shape", '{"town":"Oslo"}', SHAPE],
    ["what only the schema itself can refuse", '{"city":"Oslo"}', SHAPE.refine(() => false, { error: "no" })],
  ])("rejects %s", async (_, text, output) => {
    const { model } = scripted(() => ({ text }));
    const asked = createAgent({ model }).run("Where?", { output });
    await expect(asked).rejects.toMatchObject({ name: "RunError", code: "structured_output", outcome: { text } });
  });
});

describe("what is not an answer", () => {
  it("AI-17 rejects with the kind and code of the error, and how the run ended", async () => {
    const error = { kind: "invalid", code: "auth", message: "The key is wrong." } as const;
    const { model } = scripted([{ error }]);
    const failed = await createAgent({ model })
      .run("Hi", { session: "s" })
      .catch((thrown: unknown) => thrown);
    expect(failed).toBeInstanceOf(RunError);
    expect(failed).toMatchObject({ ...error, session: "s", outcome: { status: "failed" } });
  });

  it("rejects with the reason when the run was stopped, and keeps what the model had said", async () => {
    const { model } = scripted(() => ({ text: "Let me see.", ...CALL }));
    const agent = createAgent({ model, tools: [weather], stop: { maxIterations: 2 } });
    await expect(agent.run("How warm?")).rejects.toMatchObject({
      kind: "agent",
      code: "max_iterations",
      outcome: { status: "stopped" },
    });
  });

  it("AI-14 rejects with `cancelled` when the caller aborts", async () => {
    const { model } = scripted([{ text: "Well", stall: true }]);
    const stream = createAgent({ model }).stream("Hi");
    for await (const event of stream) if (event.type === "text_delta") void stream.cancel("Enough.");
    await expect(stream.result()).rejects.toMatchObject({ kind: "cancelled", message: "Enough." });
  });
});

describe("pauses", () => {
  const send = defineTool({
    name: "send",
    description: "Sends a letter.",
    parameters: z.object({ to: z.string() }),
    approval: "always",
    execute: ({ to }) => `Sent to ${to}.`,
  });
  const SEND = { toolCalls: [{ name: "send", args: { to: "Bob" } }] };

  it("X14 asks the caller and goes on with the answer, in one stream", async () => {
    const { model } = scripted([SEND, { text: "Done." }]);
    const asked: string[] = [];
    const stream = createAgent({ model, tools: [send] }).stream("Write to Bob.", {
      onPause: ({ calls }) => asked.push(...calls.map(({ preview }) => preview)) > 0,
    });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect([asked, (await stream.result()).text]).toEqual([['{"to":"Bob"}'], "Done."]);
    expect(types.filter((type) => /run_|paused|resumed/.test(type))).toEqual([
      "run_started",
      "paused",
      "resumed",
      "run_ended",
    ]);
  });

  it("AI-16 adds up what all parts of the run used, and tells of it once, in order", async () => {
    const { model } = scripted([SEND, SEND, { text: "Done." }]);
    const stream = createAgent({ model, tools: [send] }).stream("Write twice.", { onPause: () => true });
    const events: AgentEvent[] = [];
    for await (const event of stream) events.push(event);
    const { metrics } = await stream.result();
    expect([metrics.invocations, metrics.toolCalls]).toEqual([3, 2]);
    expect(events.at(-1)).toMatchObject({
      type: "run_ended",
      outcome: { status: "finished", metrics: { invocations: 3 } },
    });
    expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).toSorted((a, b) => a - b));
    expect(new Set(events.map(({ seq }) => seq)).size).toBe(events.length);
  });

  it.each<[string, (stop: { cancel(): void; abort: AbortController }) => void, object]>([
    ["cancel()", ({ cancel }) => cancel(), { kind: "cancelled", message: "Enough." }],
    ["its signal", ({ abort }) => abort.abort(new Error("Gone.")), { kind: "cancelled", message: "Gone." }],
    [
      "a signal of AbortSignal.timeout()",
      ({ abort }) => abort.abort(new DOMException("late", "TimeoutError")),
      { kind: "timeout", code: "deadline" },
    ],
  ])("AI-14 AI-15 ends by %s while it waits for an answer, and nothing waits any more", async (_, end, expected) => {
    const { model } = scripted([SEND]);
    const abort = new AbortController();
    const agent = createAgent({ model, tools: [send] });
    const stream = agent.stream("Write to Bob.", {
      session: "s",
      signal: abort.signal,
      onPause() {
        end({ cancel: () => void stream.cancel("Enough."), abort });
        return new Promise<never>(() => undefined);
      },
    });
    await expect(stream.result()).rejects.toMatchObject(expected);
    expect(await agent.pauses()).toEqual([]);
  });

  it("does not use an answer that comes after the cancelling", async () => {
    const { model } = scripted([SEND, { text: "Done." }]);
    const abort = new AbortController();
    const sent: string[] = [];
    const tool = { ...send, execute: ({ to }: { to: string }) => sent.push(to) };
    const onPause = (): true => {
      abort.abort();
      return true;
    };
    const asked = createAgent({ model, tools: [tool] }).run("Write to Bob.", { signal: abort.signal, onPause });
    await expect(asked).rejects.toMatchObject({ kind: "cancelled" });
    expect(sent).toEqual([]);
  });

  it("AI-14 the signal reaches a tool that was approved", async () => {
    const { model } = scripted([SEND]);
    const abort = new AbortController();
    const slow: typeof send = {
      ...send,
      execute: async (_, { signal }) => {
        abort.abort();
        return signal.aborted ? "stopped" : "went on";
      },
    };
    const stream = createAgent({ model, tools: [slow] }).stream("Write.", {
      signal: abort.signal,
      onPause: () => true,
    });
    const results: unknown[] = [];
    for await (const event of stream) if (event.type === "tool_result") results.push(...event.result.content);
    expect(results).toEqual([{ type: "text", text: "stopped" }]);
    await expect(stream.result()).rejects.toMatchObject({ kind: "cancelled" });
  });

  it("VA-4 closing the agent leaves what waits, for a later start", async () => {
    const { model } = scripted([SEND]);
    const sessions = createMemorySessionStore();
    const agent = createAgent({ model, tools: [send], sessions });
    const stream = agent.stream("Write to Bob.", {
      onPause() {
        void agent.close();
        return new Promise<never>(() => undefined);
      },
    });
    await expect(stream.result()).rejects.toMatchObject({ code: "paused" });
    const later = createAgent({ model: scripted([{ text: "Done." }]).model, tools: [send], sessions });
    const [pause] = await later.pauses();
    expect(pause && (await later.resume(pause, true).result()).text).toBe("Done.");
  });

  it("answers a question with a value", async () => {
    const { model, client } = scripted([
      { toolCalls: [{ name: "ask_user", args: { question: "Which city?" } }] },
      { text: "Oslo it is." },
    ]);
    const agent = createAgent({ model, tools: [createAskUserTool()] });
    const { text } = await agent.run("Weather?", { onPause: () => ({ kind: "answer", value: "Oslo" }) });
    expect(text).toBe("Oslo it is.");
    expect(JSON.stringify(client.requests[1]?.messages)).toContain("Oslo");
  });

  it("rejects without an answer, and goes on later", async () => {
    const { model } = scripted([SEND, { text: "Done." }]);
    const agent = createAgent({ model, tools: [send] });
    const waiting = await agent.run("Write to Bob.", { session: "s" }).catch((thrown: unknown) => thrown);
    expect(waiting).toMatchObject({ code: "paused", outcome: { status: "paused" } });
    const [pause] = await agent.pauses("s");
    if (!pause) throw new Error("Nothing waits.");
    expect((await agent.resume(pause, true).result()).text).toBe("Done.");
    expect(await agent.pauses()).toEqual([]);
  });

  it("rejects with what the caller's function threw, and the pause still waits", async () => {
    const { model } = scripted([SEND]);
    const agent = createAgent({ model, tools: [send] });
    const onPause = (): never => {
      throw new Error("The window was closed.");
    };
    await expect(agent.run("Write to Bob.", { session: "s", onPause })).rejects.toThrow("The window was closed.");
    expect(await agent.pauses("s")).toHaveLength(1);
  });
});

function scripted(...script: Parameters<typeof scriptedModel>): { model: LanguageModel; client: ScriptedModel } {
  const client = scriptedModel(...script);
  return { model: { client, id: "scripted-1" }, client };
}
