import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createMemoryArtifactStore } from "../artifacts/memory-artifact-store.ts";
import { toToolCall } from "../llm/tool-wire.ts";
import { systemClock } from "../types/clock.ts";
import type { ToolCall } from "../types/message.ts";
import type { StandardSchema } from "../types/standard-schema.ts";
import { defineTool, type JsonArguments, type Tool } from "./tool.ts";
import { createToolExecutor } from "./tool-executor.ts";
import { createToolRegistry } from "./tool-registry.ts";

const CITY = z.object({ city: z.string(), days: z.number().int().default(1) });

describe("a tool with a schema of zod", () => {
  it("AF-28 reads the argument type off the schema and tells the model JSON Schema", () => {
    const forecast = defineTool({
      name: "forecast",
      description: "The weather of the next days.",
      parameters: CITY,
      execute({ city, days }) {
        expectTypeOf(city).toEqualTypeOf<string>();
        expectTypeOf(days).toEqualTypeOf<number>();
        return { city, days };
      },
    });
    expect(createToolRegistry([forecast]).listTools()[0]?.parameters).toMatchObject({
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer", default: 1 } },
      required: ["city"],
    });
  });

  it("gives the tool what the schema makes of the arguments: defaults and transformed values", async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      name: "forecast",
      description: "The weather of the next days.",
      parameters: CITY.extend({ city: z.string().trim() }),
      concurrency: { key: ({ city }) => city },
      approval: ({ days }) => {
        seen.push(days);
        return { decision: "allow" };
      },
      execute: (args) => {
        seen.push(args);
        return "fine";
      },
    });
    expect(await run(tool, { city: " Oslo " })).toMatchObject({ outcome: "ok" });
    expect(seen).toEqual([1, { city: "Oslo", days: 1 }]);
  });

  it("VA-23 answers with the schema's own words what JSON Schema cannot say", async () => {
    const parameters = z
      .object({ from: z.number(), to: z.number() })
      .refine(({ from, to }) => from < to, { error: "must be after from", path: ["to"] });
    const tool = defineTool({ name: "span", description: "A span.", parameters, execute: () => "ran" });
    const { outcome, content } = await run(tool, { from: 3, to: 1 });
    expect([outcome, content]).toEqual([
      "invalid_args",
      [{ type: "text", text: "Not executed: to: must be after from. Correct the arguments and call again." }],
    ]);
  });

  it("lets a schema that converts decide, and refuses what it refuses in the words of JSON Schema", async () => {
    const parameters = z.object({ days: z.coerce.number().max(7) });
    const tool = defineTool({ name: "forecast", description: "Days.", parameters, execute: ({ days }) => days + 1 });
    expect(await run(tool, { days: "5" })).toMatchObject({ outcome: "ok", content: [{ text: "6" }] });
    const { outcome, content } = await run(tool, { days: "many" });
    expect([outcome, content]).toMatchObject(["invalid_args", [{ text: expect.stringContaining("expected number") }]]);
    expect(await run(tool, { days: "8" })).toMatchObject({ outcome: "invalid_args" });
  });

  it("keeps tools of different arguments in one Tool[]", () => {
    const one = defineTool({ name: "one", description: "1", parameters: CITY, execute: ({ city }) => city });
    const two = defineTool({
      name: "two",
      description: "2",
      parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      approval: ({ n }) => ({ decision: n > 1 ? "allow" : "deny", message: "too few" }) as const,
      execute: ({ n }) => n + 1,
    });
    const tools: Tool[] = [one, two];
    expect(createToolRegistry(tools).listTools()).toHaveLength(2);
  });

  it("refuses a schema that cannot be told to a model, and says what to do", () => {
    const mute: StandardSchema<{ a: string }, { a: string }> = {
      "~standard": { version: 1, vendor: "valibot", validate: (value) => ({ value: value as { a: string } }) },
    };
    // @ts-expect-error -- a schema that cannot write itself as JSON Schema
    const make = () => defineTool({ name: "t", description: "t", parameters: mute, execute: () => "x" });
    expect(make).toThrow("toStandardJsonSchema(schema) of @valibot/to-json-schema");
    const dated = z.object({ at: z.date() });
    expect(() => defineTool({ name: "t", description: "t", parameters: dated, execute: () => "x" })).toThrow(
      "JSON Schema: Date cannot be represented in JSON Schema. Ask for what JSON has",
    );
  });

  it.each([
    ["a list", z.array(z.string())],
    ["a string", z.string()],
    ["one of several words", z.enum(["a", "b"])],
    ["a choice", z.discriminatedUnion("k", [z.object({ k: z.literal("a") }), z.object({ k: z.literal("b") })])],
  ])("refuses parameters that are %s, which providers refuse, and says what to do", (_, parameters) => {
    // @ts-expect-error -- a string is no object of arguments
    const make = () => defineTool({ name: "t", description: "t", parameters, execute: () => "x" });
    expect(make).toThrow(expect.objectContaining({ kind: "invalid", code: "bad_tool" }));
    expect(make).toThrow("Put it into a property");
  });

  it("reads nullable, alternative and open values off a JSON Schema", () => {
    defineTool({
      name: "t",
      description: "t",
      parameters: {
        type: "object",
        properties: {
          name: { type: ["string", "null"] },
          id: { anyOf: [{ type: "string" }, { type: "number" }] },
          nothing: { type: "null" },
          counts: { type: "object", additionalProperties: { type: "number" } },
          list: { type: ["array", "null"], items: { type: "string" } },
        },
        required: ["name", "id", "nothing", "counts", "list"],
      },
      execute(args) {
        expectTypeOf(args.name).toEqualTypeOf<string | null>();
        expectTypeOf(args.id).toEqualTypeOf<string | number>();
        expectTypeOf(args.nothing).toEqualTypeOf<null>();
        expectTypeOf(args.counts).toEqualTypeOf<{ readonly [key: string]: number }>();
        expectTypeOf(args.list).toEqualTypeOf<readonly string[] | null>();
        return "x";
      },
    });
  });

  it("keeps the type of what the tool gives, for tests of the tool itself", () => {
    const output = z.object({ n: z.number() });
    const tool = defineTool({
      name: "t",
      description: "t",
      parameters: z.object({}),
      output,
      execute: () => ({ n: 1 }),
    });
    expectTypeOf<Awaited<ReturnType<typeof tool.execute>>>().toEqualTypeOf<{ n: number }>();
    const spoken = defineTool({
      name: "s",
      description: "s",
      parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      execute: async ({ n }) => ({ data: { n }, text: `${n}` }),
    });
    expectTypeOf<Awaited<ReturnType<typeof spoken.execute>>["data"]>().toEqualTypeOf<{ n: number }>();
    const held: Tool[] = [tool, spoken];
    expect(held).toHaveLength(2);
  });

  it("takes plain data where an output schema is declared", async () => {
    const tool = defineTool({
      name: "count",
      description: "Counts.",
      parameters: z.object({}),
      output: z.object({ n: z.number() }),
      execute: () => ({ n: 1 }),
    });
    expect(await run(tool, {})).toMatchObject({ outcome: "ok", data: { n: 1 } });
    const other = { name: "t", description: "t", parameters: z.object({}), output: z.object({ n: z.number() }) };
    // @ts-expect-error -- data of another shape
    defineTool({ ...other, execute: () => ({ n: "1" }) });
    // @ts-expect-error -- data of another shape, with words
    defineTool({ ...other, execute: () => ({ data: { n: "1" }, text: "" }) });
  });
});

describe("what a tool may return", () => {
  interface Weather {
    readonly celsius: number;
    readonly at: Date;
  }

  it.each<[string, () => unknown, unknown]>([
    [
      "an object of an interface, at once",
      (): Weather => ({ celsius: 3, at: new Date(0) }),
      '{"celsius":3,"at":"1970-01-01T00:00:00.000Z"}',
    ],
    ["a number", () => 4, "4"],
    ["a list, later", async () => [1, "a"], '[1,"a"]'],
    ["false", () => false, "false"],
    ["null", () => null, "null"],
  ])("VA-11 takes %s", async (_, execute, text) => {
    const tool = defineTool({ name: "t", description: "t", parameters: { type: "object" }, execute });
    expect((await run(tool, {})).content).toEqual([{ type: "text", text }]);
  });
});

describe("a number that would be rounded", () => {
  it("AI-4: never reaches the tool; the model is told to send a string", async () => {
    let ran = false;
    const tool = defineTool({
      name: "pay",
      description: "Pays.",
      parameters: { type: "object" },
      execute: () => {
        ran = true;
      },
    });
    const call = toToolCall({ id: "c1", name: "pay", json: '{"id":12345678901234567890}', cut: false });
    const { outcome, content } = await run(tool, call.arguments, call);
    expect([outcome, ran]).toEqual(["invalid_args", false]);
    expect(content[0]).toMatchObject({ text: expect.stringContaining("12345678901234567890 has more digits") });
    expect(content[0]).toMatchObject({ text: expect.stringContaining("send it as a string") });
  });
});

async function run(tool: Tool, args: JsonArguments, call: Partial<ToolCall> = {}) {
  const registry = createToolRegistry([tool]);
  const executor = createToolExecutor({ registry, artifacts: createMemoryArtifactStore(), clock: systemClock });
  const { result } = await executor.executeTool(
    { id: "c1", toolName: tool.name, arguments: args, state: "complete", ...call },
    {
      signal: new AbortController().signal,
      runId: "r",
      sessionId: "s",
      principal: { userId: "ada" },
      env: {} as never,
    },
  );
  return result;
}
