import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { anthropic } from "./anthropic.ts";
import { createAgent, createMemorySessionStore, type JsonSchema } from "./index.ts";
import { openai } from "./openai.ts";
import { startAnthropicLoopback } from "./testing/anthropic-loopback.ts";
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
    ["in a fence", '```json\n{"city":"Oslo"}\n```'],
    ["in a fence with words around it", 'Here it is:\n\n```json\n{"city":"Oslo"}\n```\nAnything else?'],
    ["between words", 'The answer is {"city":"Oslo"}, I think.'],
    ["after a brace that is no JSON", 'As {asked}: {"city":"Oslo"}'],
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

  it.each([
    ["no JSON", "It is Oslo."],
    ["two objects", '{"city":"Oslo"} or {"city":"Rome"}'],
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

async function ask(text: string, output: z.ZodType | JsonSchema): Promise<unknown> {
  const client = scriptedModel([{ text }]);
  return (await createAgent({ model: { id: "m", client } }).run("Which?", { output })).output;
}
