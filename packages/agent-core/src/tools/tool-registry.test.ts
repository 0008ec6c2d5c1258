import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { type ArgumentsOf, defineTool, type Tool } from "./tool.ts";
import { createToolRegistry } from "./tool-registry.ts";

describe("createToolRegistry", () => {
  it("AF-26 lists definitions sorted by name, whatever the order of adding", () => {
    const one = createToolRegistry([tool({ name: "b", strict: true }), tool({ name: "a" })]);
    const other = createToolRegistry([tool({ name: "a" }), tool({ name: "b", strict: true })]);
    expect(one.listTools().map(({ name }) => name)).toEqual(["a", "b"]);
    expect(JSON.stringify(one.listTools())).toBe(JSON.stringify(other.listTools()));
    expect(one.listTools()[1]).toMatchObject({ strict: true });
    expect([one.removeTool("a"), one.removeTool("a")]).toEqual([true, false]);
  });

  it("tells those who listen that a tool came or went, until they leave", () => {
    const registry = createToolRegistry();
    const seen: string[] = [];
    const leave = registry.onChange(() =>
      seen.push(
        registry
          .listTools()
          .map(({ name }) => name)
          .join(),
      ),
    );
    registry.addTool(tool({ name: "b" }));
    registry.addTool(tool({ name: "a" }));
    registry.removeTool("b");
    registry.removeTool("b");
    leave();
    leave();
    registry.removeTool("a");
    expect(seen).toEqual(["b", "a,b", "a"]);
  });

  it.each([
    ["a taken name", [tool({}), tool({})]],
    ["a bad name", [tool({ name: "no spaces" })]],
    ["a bad schema", [tool({ parameters: { type: "object", properties: { a: { type: "nonsense" } } } })]],
    ["parameters that are a string", [tool({ parameters: { type: "string" } })]],
    ["a choice of objects at the top", [tool({ parameters: { type: "object", oneOf: [{ type: "object" }] } })]],
    ["no function", [tool({ execute: undefined as never })]],
    ["no description", [tool({ description: undefined as never })]],
    ["an empty description", [tool({ description: " " })]],
    ["no parameters", [tool({ parameters: undefined as never })]],
  ])("refuses %s", (_, tools) => {
    expect(() => createToolRegistry(tools)).toThrow(expect.objectContaining({ kind: "invalid", code: "bad_tool" }));
  });

  it("AI-4: reads a zod schema in a tool that was not made with defineTool", () => {
    const literal = tool({ parameters: z.object({ city: z.string() }) as never });
    const registry = createToolRegistry([literal]);
    expect(registry.listTools()[0]?.parameters).toMatchObject({ properties: { city: { type: "string" } } });
    expect(registry.get("greet")?.check({ city: 5 })).toEqual(["city: expected string, got 5"]);
    expect(registry.get("greet")?.tool.schema).toBeDefined();
  });

  it("says what a tool of another library calls differently here", () => {
    const other = { ...tool({}), parameters: undefined, inputSchema: z.object({}) };
    expect(() => createToolRegistry([other as never])).toThrow("`parameters`, not `inputSchema`");
  });

  it("takes a schema that refers to itself, and the same again after it was removed", () => {
    const parameters = {
      $id: "tree",
      type: "object",
      properties: { children: { type: "array", items: { $ref: "#" } } },
    };
    const registry = createToolRegistry([tool({ parameters })]);
    expect(registry.get("greet")?.check({ children: [{ children: [1] }] })).toEqual([
      "children.0.children.0: expected object, got 1",
    ]);
    registry.removeTool("greet");
    registry.addTool(tool({ parameters }));
  });

  it("takes a tool without arguments, whose schema says nothing", () => {
    expect(createToolRegistry([tool({ parameters: {} })]).listTools()[0]?.parameters).toEqual({ type: "object" });
  });
});

describe("defineTool", () => {
  it("AI-4 reads the argument type off the schema", async () => {
    const greet = defineTool({
      name: "greet",
      description: "Greets.",
      parameters: {
        type: "object",
        properties: {
          name: { type: "string" },
          mood: { enum: ["gay", "grave"] },
          times: { type: "integer" },
          tags: { type: "array", items: { type: "string" } },
          extra: {},
        },
        required: ["name", "mood"],
      },
      execute: async (args) => {
        expectTypeOf(args.name).toEqualTypeOf<string>();
        expectTypeOf(args.mood).toEqualTypeOf<"gay" | "grave">();
        expectTypeOf(args.times).toEqualTypeOf<number | undefined>();
        expectTypeOf(args.tags).toEqualTypeOf<readonly string[] | undefined>();
        return `${args.mood} ${args.name}`;
      },
    });
    const registry = createToolRegistry([greet]);
    expect(registry.get("greet")?.check({ name: "Ada" })[0]).toContain('"mood"');
    expect(greet.parameters).toMatchObject({ required: ["name", "mood"] });
  });

  it("gives JSON where the schema says too little", () => {
    expectTypeOf<ArgumentsOf<{ type: "object" }>>().not.toBeAny();
    expectTypeOf<ArgumentsOf<{ const: 3 }>>().toEqualTypeOf<3>();
  });
});

function tool(parts: Partial<Tool>): Tool {
  const base = { name: "greet", description: "Greets.", parameters: { type: "object" }, execute: async () => "hello" };
  return { ...base, ...parts };
}
