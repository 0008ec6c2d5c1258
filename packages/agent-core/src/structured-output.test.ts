import { afterEach, describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { anthropic } from "./anthropic.ts";
import {
  type AgentEvent,
  createAgent,
  createMemorySessionStore,
  defineTool,
  type JsonSchema,
  type MessageOptions,
  type PauseRecord,
  RunError,
} from "./index.ts";
import { openai } from "./openai.ts";
import { toSimpleSse } from "./protocols.ts";
import { startAnthropicLoopback } from "./testing/anthropic-loopback.ts";
import { createFakeClock } from "./testing/fake-clock.ts";
import { startOpenAILoopback } from "./testing/openai-loopback.ts";
import { scriptedModel } from "./testing/scripted-model.ts";

const CITY = z.object({ city: z.string() });
const CHOICE = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("city"), name: z.string() }),
  z.object({ kind: z.literal("none") }),
]);

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe("an answer whose schema is not an object", () => {
  const cases: readonly (readonly [string, z.ZodType, string, unknown])[] = [
    ["a list", z.array(z.string()), '{"value":["a"]}', ["a"]],
    ["one of several words", z.enum(["a", "b"]), '{"value":"b"}', "b"],
    ["a choice of objects", CHOICE, '{"value":{"kind":"none"}}', { kind: "none" }],
  ];

  it.each(cases)(
    "AI-2: %s goes to OpenAI in a property and comes back without it",
    async (_, output, text, expected) => {
      for (const api of ["responses", "chat"] as const) {
        const server = await startOpenAILoopback({ api, script: [{ blocks: [{ type: "text", text }] }] });
        servers.push(server);
        const model = openai(undefined, { api, baseURL: server.url, apiKey: server.apiKey });
        const answer = await createAgent({ model }).run("Which?", { output });
        expect([answer.output, server.refusals]).toEqual([expected, []]);
      }
    },
  );

  it.each(cases)(
    "AI-2: %s goes to Anthropic in a property and comes back without it",
    async (_, output, text, expected) => {
      const server = await startAnthropicLoopback({ script: [{ blocks: [{ type: "text", text }] }] });
      servers.push(server);
      const model = anthropic(undefined, { baseURL: server.url, apiKey: server.apiKey });
      const answer = await createAgent({ model }).run("Which?", { output });
      expect([answer.output, server.refusals]).toEqual([expected, []]);
    },
  );

  it("reads a schema with definitions, and one that refers to itself", async () => {
    const item = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
    const listed: JsonSchema = { type: "array", items: { $ref: "#/$defs/item" }, $defs: { item } };
    expect(await ask('{"value":[{"id":"a"}]}', listed)).toEqual([{ id: "a" }]);
    const nested: JsonSchema = { type: "array", items: { $ref: "#" } };
    expect(await ask('{"value":[[],[[]]]}', nested)).toEqual([[], [[]]]);
    const whole: JsonSchema = { type: "object", properties: { one: { $ref: "#/$defs/item" } }, $defs: { item } };
    expect(await ask('{"one":{"id":"a"}}', whole)).toEqual({ one: { id: "a" } });
  });
});

describe("an answer that is nearly what was asked for", () => {
  it.each([
    ["with space around it", ' \n{"city":"Oslo"}\n'],
    ["in a fence", '```json\n{"city":"Oslo"}\n```\n'],
  ])("reads JSON %s", async (_, text) => {
    expect(await ask(text, CITY)).toEqual({ city: "Oslo" });
  });

  it("tells the model once what is wrong, and both answers stand in the transcript", async () => {
    const client = scriptedModel([{ text: '{"town":"Oslo"}' }, { text: '{"city":"Oslo"}' }]);
    const sessions = createMemorySessionStore();
    const agent = createAgent({ model: { id: "m", client }, sessions });
    const { output } = await agent.run("Where?", { output: CITY, session: "s" });
    expect(output).toEqual({ city: "Oslo" });
    const asked = JSON.stringify(client.requests[1]?.messages.at(-1)?.parts);
    expect(asked).toContain('expected the property \\"city\\"');
    const told = JSON.stringify(client.requests[1]?.messages);
    expect(told).toContain("town");
  });

  it("SC-6 tells clients which words to take back, also after a restart", async () => {
    const sessions = createMemorySessionStore();
    const client = scriptedModel([{ text: '{"town":"Oslo"}' }, { text: '{"city":"Oslo"}' }]);
    const agent = createAgent({ model: { id: "m", client }, sessions });
    const stream = agent.stream("Where?", { output: CITY });
    expect(await shownBySse(stream)).toBe('{"city":"Oslo"}');
    const later = createAgent({ model: { id: "m", client }, sessions }).executor;
    expect(await shownBySse((await later.attach(stream.run.runId)) ?? [])).toBe('{"city":"Oslo"}');
  });

  it.each([
    ["no JSON", "It is Oslo."],
    ["two objects", '{"city":"Oslo"} or {"city":"Rome"}'],
    ["an object that its words disown", 'I will not answer {"city":"Oslo"}, which is the wrong one.'],
    ["a fence among words", 'It is not this:\n```json\n{"city":"Oslo"}\n```\nAnything else?'],
    ["another shape", '{"town":"Oslo"}'],
  ])("fails after %s twice", async (_, text) => {
    const client = scriptedModel([{ text }, { text }]);
    const asked = createAgent({ model: { id: "m", client } }).run("Where?", { output: CITY });
    await expect(asked).rejects.toMatchObject({ code: "structured_output", outcome: { text } });
    expect(client.requests).toHaveLength(2);
  });

  it("says what is wrong with the last answer that a run may have", async () => {
    const client = scriptedModel([{ text: "Oslo" }]);
    const agent = createAgent({ model: { id: "m", client }, stop: { maxIterations: 1 } });
    await expect(agent.run("Where?", { output: CITY })).rejects.toMatchObject({ code: "structured_output" });
  });
});

describe("a schema with more than Anthropic takes", () => {
  it.each([
    ["limits", z.object({ n: z.number().int().min(2) }), ['{"n":1}', '{"n":3}'], { n: 3 }],
    ["names of any kind", z.record(z.string(), z.number()), ['{"a":"x"}', '{"a":1}'], { a: 1 }],
  ])("is sent without %s, and the answer is held to them here", async (_, output, texts, expected) => {
    const script = texts.map((text) => ({ blocks: [{ type: "text" as const, text }] }));
    const server = await startAnthropicLoopback({ script });
    servers.push(server);
    const model = anthropic(undefined, { baseURL: server.url, apiKey: server.apiKey });
    const answer = await createAgent({ model }).run("Which?", { output });
    expect([answer.output, server.refusals]).toEqual([expected, []]);
  });
});

describe("what only the schema's own functions can tell", () => {
  const EVEN = z.object({ n: z.number().refine((n) => n % 2 === 0, "must be even") });
  const SLOW = z.object({ n: z.number().refine(async (n) => n % 2 === 0, "must be even") });

  it.each([
    ["at once", EVEN],
    ["later", SLOW],
  ])("a refinement that fails %s is told to the model, which answers again", async (_, output) => {
    const client = scriptedModel([{ text: '{"n":3}' }, { text: '{"n":4}' }]);
    const result = await createAgent({ model: { id: "m", client } }).run("Which?", { output });
    expect(result.output).toEqual({ n: 4 });
    expect(JSON.stringify(client.requests[1]?.messages.at(-1)?.parts)).toContain("n: must be even");
  });

  it("after the second time everybody is told that the run failed", async () => {
    const heard: AgentEvent[] = [];
    const client = scriptedModel([{ text: '{"n":3}' }, { text: '{"n":5}' }]);
    const agent = createAgent({ model: { id: "m", client }, onEvent: (event) => heard.push(event) });
    const stream = agent.stream("Which?", { output: EVEN });
    const error = await stream.result().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RunError);
    expect(error).toMatchObject({ code: "structured_output", retryable: false, outcome: { status: "failed" } });
    const seen: AgentEvent[] = [];
    for await (const event of stream) seen.push(event);
    const attached = await (await agent.executor.attach(stream.run.runId))?.outcome;
    for (const outcome of [...ends(heard), ...ends(seen), attached]) {
      expect(outcome).toMatchObject({ status: "failed", error: { code: "structured_output" } });
    }
    expect(heard.some(({ type }) => type === "response")).toBe(false);
    expect(heard.flatMap(toSimpleSse).some(({ event }) => event === "error")).toBe(true);
  });

  it("a transform that throws fails the run with a typed error", async () => {
    const output = z.object({
      n: z.number().transform((): number => {
        throw new Error("boom");
      }),
    });
    const client = scriptedModel([{ text: '{"n":3}' }]);
    const stream = createAgent({ model: { id: "m", client } }).stream("Which?", { output });
    const error = await stream.result().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RunError);
    expect(error).toMatchObject({ code: "host_callback", message: expect.stringMatching(/output.*boom/) });
    expect(await stream.run.outcome).toMatchObject({ status: "failed" });
  });

  it("the answer is what the schema makes of it, and the events have it as it came", async () => {
    const output = z.object({ at: z.string().transform((at) => new Date(at)) });
    const client = scriptedModel([{ text: '{"at":"2026-01-02T00:00:00Z"}' }]);
    const stream = createAgent({ model: { id: "m", client } }).stream("When?", { output });
    expect((await stream.result()).output.at).toEqual(new Date("2026-01-02T00:00:00Z"));
    expect(await stream.run.outcome).toMatchObject({ structured: { at: "2026-01-02T00:00:00Z" } });
  });

  it("a whole number that JSON would round is refused, as for tools", async () => {
    const schema: JsonSchema = { type: "object", properties: { id: { type: "integer" } } };
    const client = scriptedModel([{ text: '{"id":12345678901234567890}' }, { text: '{"id":12}' }]);
    const { output } = await createAgent({ model: { id: "m", client } }).run("Which?", { output: schema });
    expect(output).toEqual({ id: 12 });
    expect(JSON.stringify(client.requests[1]?.messages.at(-1)?.parts)).toContain("12345678901234567890");
  });
});

describe("an output that does not come from the model's last words", () => {
  const endTool = (data: unknown) =>
    defineTool({
      name: "end",
      description: "Ends it.",
      parameters: {},
      execute: () => ({ data, text: "Done.", terminate: true }),
    });
  const call = { toolCalls: [{ name: "end" }] };

  it("the data of a tool that ends the run is checked and is the output", async () => {
    const agent = createAgent({
      model: { id: "m", client: scriptedModel([call]) },
      tools: [endTool({ city: "Oslo" })],
    });
    const { output, by, text } = await agent.run("Where?", { output: CITY.transform(({ city }) => city.length) });
    expect([output, by, text]).toEqual([4, "tool", "Done."]);
  });

  it.each([
    ["of another shape", { town: "Oslo" }],
    ["missing", undefined],
  ])("data that is %s fails the run", async (_, data) => {
    const agent = createAgent({ model: { id: "m", client: scriptedModel([call]) }, tools: [endTool(data)] });
    const stream = agent.stream("Where?", { output: CITY });
    await expect(stream.result()).rejects.toMatchObject({ code: "structured_output" });
    expect(await stream.run.outcome).toMatchObject({ status: "failed" });
  });

  it.each(["in the same process", "in another process"])(
    "a message that was answered %s without this shape fails",
    async (where) => {
      const sessions = createMemorySessionStore();
      const make = () => createAgent({ model: { id: "m", client: scriptedModel([{ text: '{"a":1}' }]) }, sessions });
      const first = make();
      const how = { session: "s", dedupeKey: "k" };
      await first.run("x", how);
      const second = where === "in the same process" ? first : make();
      const stream = second.stream("x", { ...how, output: z.object({ a: z.string() }) });
      await expect(stream.result()).rejects.toMatchObject({ code: "structured_output" });
      const seen: AgentEvent[] = [];
      for await (const event of stream) seen.push(event);
      expect(ends(seen)).toMatchObject([{ status: "failed" }]);
    },
  );

  it.each(["in the same process", "in another process"])(
    "a message that was answered %s in this shape gives the transformed value again",
    async (where) => {
      const sessions = createMemorySessionStore();
      const make = () => createAgent({ model: { id: "m", client: scriptedModel([{ text: '{"a":1}' }]) }, sessions });
      const first = make();
      const how = { session: "s", dedupeKey: "k", output: z.object({ a: z.number().transform((a) => a + 100) }) };
      expect((await first.run("x", how)).output).toEqual({ a: 101 });
      const second = where === "in the same process" ? first : make();
      expect((await second.run("x", how)).output).toEqual({ a: 101 });
    },
  );
});

describe("an output after a pause", () => {
  const output = z.object({ ok: z.boolean().transform((ok) => (ok ? "yes" : "no")), n: z.number().multipleOf(2) });
  const even = output.refine(({ n }) => n !== 4, "n is not 4");
  const ask = defineTool({ name: "act", description: "Acts.", parameters: {}, approval: "always", execute: () => "x" });
  const begin = async (...texts: string[]) => {
    const sessions = createMemorySessionStore();
    const script = [{ toolCalls: [{ name: "act" }] }];
    const first = createAgent({ model: { id: "m", client: scriptedModel(script) }, tools: [ask], sessions });
    const error = await first.run("Go", { output: even }).catch((thrown: unknown) => thrown);
    await first.close();
    const client = scriptedModel(texts.map((text) => ({ text })));
    const agent = createAgent({ model: { id: "m", client }, tools: [ask], sessions });
    return { agent, client, pause: (error as RunError & { outcome: { pause: PauseRecord } }).outcome.pause };
  };

  it("is checked and transformed when the schema is given again, also after a restart", async () => {
    const { agent, client, pause } = await begin('{"ok":true,"n":4}', '{"ok":true,"n":6}');
    const result = await agent.resume(pause, true, { output: even }).result();
    expect(result.output.ok satisfies string).toBe("yes");
    expect([result.output, client.requests.length]).toEqual([{ ok: "yes", n: 6 }, 2]);
  });

  it("is not given unchecked: the pause waits until the schema is given", async () => {
    const { agent, client, pause } = await begin('{"ok":true,"n":6}');
    await expect(agent.resume(pause, true).result()).rejects.toMatchObject({
      code: "output_required",
      message: expect.stringContaining("output"),
    });
    expect([await agent.pauses(), client.requests]).toEqual([[pause], []]);
    expect((await agent.resume(pause, true, { output: even }).result()).output.ok).toBe("yes");
  });

  it("fails when its pause ended by itself, because nobody can check it", async () => {
    const clock = createFakeClock();
    const expiring = defineTool({
      name: "act",
      description: "Acts.",
      parameters: {},
      approval: () => ({ decision: "ask", prompt: "May it?", expiresInMs: 1_000 }),
      execute: () => "x",
    });
    const client = scriptedModel([{ toolCalls: [{ name: "act" }] }, { text: '{"ok":true,"n":6}' }]);
    const agent = createAgent({ model: { id: "m", client }, tools: [expiring], clock });
    await expect(agent.run("Go", { output: even })).rejects.toMatchObject({ code: "paused" });
    await clock.advance(2_000);
    const [run] = await agent.executor.expirePaused();
    expect(await run?.outcome).toMatchObject({ status: "failed", error: { code: "structured_output" } });
  });

  it("a pause that is given up needs no schema", async () => {
    const { agent, pause } = await begin();
    await expect(agent.resume(pause, { kind: "abandon" }).result()).rejects.toMatchObject({ code: "cancelled" });
  });
});

describe("a schema that cannot be used", () => {
  it.each([
    ["is no JSON Schema", { type: "objekt" }],
    ["is no schema at all", "city"],
    ["cannot be written as JSON Schema", z.object({ at: z.coerce.date() })],
  ])("one that %s is refused before the model is asked", async (_, output) => {
    const client = scriptedModel([{ text: "{}" }]);
    const asked = createAgent({ model: { id: "m", client } }).run("Which?", { output: output as JsonSchema });
    await expect(asked).rejects.toMatchObject({
      kind: "invalid",
      code: "bad_options",
      message: expect.stringContaining("output"),
    });
    expect(client.requests).toEqual([]);
  });
});

describe("the type of the output", () => {
  const agent = createAgent({ model: { id: "m", client: scriptedModel(() => ({ text: '{"city":"Oslo"}' })) } });

  it("may be undefined where the schema may be", async () => {
    for (const output of [CITY, undefined]) {
      const result = await agent.run("Where?", { output });
      expectTypeOf(result.output).toEqualTypeOf<{ city: string } | undefined>();
      expect(result.output).toEqual(output && { city: "Oslo" });
    }
    const plain = await agent.run("Where?");
    expectTypeOf(plain.output).toEqualTypeOf<undefined>();
    const given: MessageOptions<typeof CITY> = { output: CITY };
    expectTypeOf((await agent.run("Where?", given)).output).toEqualTypeOf<{ city: string } | undefined>();
  });

  it("comes through a generic function of the program", async () => {
    async function ask<T extends z.ZodType>(question: string, schema: T): Promise<z.output<T>> {
      return (await agent.run(question, { output: schema })).output;
    }
    async function askFor<T>(question: string, schema: z.ZodType<T>): Promise<T> {
      return (await agent.run(question, { output: schema })).output;
    }
    expectTypeOf(ask("Where?", CITY)).resolves.toEqualTypeOf<{ city: string }>();
    expect([await ask("Where?", CITY), await askFor("Where?", CITY)]).toEqual([{ city: "Oslo" }, { city: "Oslo" }]);
  });
});

describe("a model that cannot be held to a schema", () => {
  it("is told the schema in words, and the warning says how to declare that it can", async () => {
    const reply = { blocks: [{ type: "text" as const, text: '{"city":"Oslo"}' }] };
    const server = await startOpenAILoopback({ api: "chat", lenient: true, models: ["local"], script: () => reply });
    servers.push(server);
    const model = openai("local", { baseURL: server.url, apiKey: server.apiKey });
    const { output, warnings } = await createAgent({ model, instructions: "Be brief." }).run("Where?", {
      output: CITY,
    });
    expect(output).toEqual({ city: "Oslo" });
    const [system] = (server.requests[0]?.messages ?? []) as readonly { role: string; content: string }[];
    expect(system?.content).toMatch(/^Be brief\.\n\nAnswer with JSON only/);
    expect(system?.content).toContain('"required":["city"]');
    expect(warnings.find(({ code }) => code === "output_schema_ignored")?.message).toContain(
      'profiles: [{ id: "local", supportsStructuredOutput: true }]',
    );
  });
});

function ends(events: readonly AgentEvent[]) {
  return events.flatMap((event) => (event.type === "run_ended" ? [event.outcome] : []));
}

async function ask(text: string, output: z.ZodType | JsonSchema): Promise<unknown> {
  const client = scriptedModel([{ text }]);
  return (await createAgent({ model: { id: "m", client } }).run("Which?", { output })).output;
}

/** What a client of the simple stream shows at the end. */
async function shownBySse(events: AsyncIterable<AgentEvent> | Iterable<AgentEvent>): Promise<string> {
  const shown = new Map<string, string>();
  for await (const event of events) {
    for (const { data } of toSimpleSse(event)) {
      const { type, messageId, text } = data as { type: string; messageId: string; text: string };
      if (type === "token") shown.set(messageId, (shown.get(messageId) ?? "") + text);
      if (type === "reset") shown.delete(messageId);
    }
  }
  return [...shown.values()].join("");
}
