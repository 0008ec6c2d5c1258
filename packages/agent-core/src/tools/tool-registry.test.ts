import { describe, expect, expectTypeOf, it } from "vitest";
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
    ["a bad schema", [tool({ parameters: { type: "nonsense" } })]],
  ])("refuses %s", (_, tools) => {
    expect(() => createToolRegistry(tools)).toThrow(expect.objectContaining({ kind: "invalid", code: "bad_tool" }));
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
