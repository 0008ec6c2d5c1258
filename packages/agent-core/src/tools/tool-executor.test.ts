import { describe, expect, it } from "vitest";
import { createMemoryArtifactStore } from "../artifacts/memory-artifact-store.ts";
import type { ArtifactRef } from "../types/artifact.ts";
import type { Json } from "../types/json.ts";
import type { ToolCall } from "../types/message.ts";
import { systemClock } from "../types/system-clock.ts";
import type { Tool } from "./tool.ts";
import { createToolExecutor, type ExecutedCall, type ToolRun } from "./tool-executor.ts";
import { createToolRegistry } from "./tool-registry.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d4948445200000001000000010802", "hex");

describe("createToolExecutor", () => {
  it("AF-26 executes a tool by name with checked arguments", async () => {
    const { result } = await execute([tool({ execute: async ({ name }) => `hello ${name}` })], { name: "Ada" });
    expect(result).toMatchObject({ outcome: "ok", content: [{ type: "text", text: "hello Ada" }] });
  });

  it("AF-28 VA-23 lists everything that is wrong with the arguments and does not run", async () => {
    let ran = false;
    const greet = tool({
      execute: async () => {
        ran = true;
        return "";
      },
      parameters: {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: { name: { type: "string" }, mood: { enum: ["gay", "grave"] } },
        required: ["name"],
        additionalProperties: false,
      },
    });
    const { result } = await execute([greet], { mood: "odd", extra: 1 });
    expect(result.outcome).toBe("invalid_args");
    const text = textOf(result);
    expect(text).toContain("'name'");
    expect(text).toContain('mood must be one of "gay", "grave"');
    expect(text).toContain('no property "extra"');
    expect(ran).toBe(false);
  });

  it("names the nearest tool when there is none of that name", async () => {
    const { result } = await execute([tool({ execute: async () => "" })], {}, { toolName: "gret" });
    expect(result.outcome).toBe("unknown_tool");
    expect(textOf(result)).toContain('Did you mean "greet"?');
  });

  it("turns a throw into a result", async () => {
    const late = tool({ execute: () => Promise.reject(new Error("out of tea")) });
    const early = tool({
      execute: () => {
        throw new Error("out of tea");
      },
    });
    for (const broken of [late, early]) {
      const { result } = await execute([broken], { name: "x" });
      expect([result.outcome, textOf(result)]).toEqual(["error", "out of tea"]);
    }
  });

  it("gives up on a tool that takes too long, and tells it so", async () => {
    let heard: AbortSignal | undefined;
    const slow = tool({
      timeoutMs: 20,
      execute: (_, { signal }) => {
        heard = signal;
        return new Promise(() => undefined);
      },
    });
    const { result, durationMs } = await execute([slow], { name: "x" });
    expect(result.outcome).toBe("timeout");
    expect(heard?.aborted).toBe(true);
    expect(durationMs).toBeGreaterThanOrEqual(15);
  });

  it("never executes a call that was cut off or cannot be read", async () => {
    const never = tool({ execute: () => Promise.reject(new Error("ran")) });
    expect((await execute([never], {}, { state: "truncated" })).result.outcome).toBe("not_executed");
    expect((await execute([never], {}, { state: "unparseable" })).result.outcome).toBe("invalid_args");
  });

  it("VA-11 takes strings, JSON and parts", async () => {
    const outputs: [Json | { content: never[] }, unknown][] = [
      ["words", [{ type: "text", text: "words" }]],
      [{ a: [1, null] }, [{ type: "text", text: '{"a":[1,null]}' }]],
      [{ content: "not parts" }, [{ type: "text", text: '{"content":"not parts"}' }]],
      [{ content: [{ type: "text", text: "part" }] }, [{ type: "text", text: "part" }]],
      [null, [{ type: "text", text: "null" }]],
    ];
    for (const [output, content] of outputs) {
      const { result } = await execute([tool({ execute: async () => output })], { name: "x" });
      expect(result.content).toEqual(content);
    }
  });

  it("VA-13 lets a tool answer with an empty string", async () => {
    const { result } = await execute([tool({ execute: async () => "" })], { name: "x" });
    expect(result).toMatchObject({ outcome: "ok", content: [] });
  });

  it("VA-18 cuts long text in the middle and says so", async () => {
    const { result } = await execute([tool({ execute: async () => `A${"😀".repeat(20_000)}Z` })], { name: "x" });
    const text = textOf(result);
    expect(text.length).toBeLessThan(16_200);
    expect(text).toMatch(/^A.*characters cut.*Z$/su);
    expect(text.isWellFormed()).toBe(true);
  });

  it("VI-4 stores pictures and gives references", async () => {
    const stored: ArtifactRef[] = [];
    const draw = tool({
      execute: async (_, context) => ({
        content: [await context.putImage(PNG, { mimeType: "image/png", alt: "a dot" })],
      }),
    });
    const { result } = await execute([draw], { name: "x" }, {}, { onArtifact: (ref) => stored.push(ref) });
    expect(stored).toMatchObject([{ namespace: "tool_image", mimeType: "image/png" }]);
    expect(result.content).toEqual([{ type: "image", artifactId: stored[0]?.id, mimeType: "image/png", alt: "a dot" }]);
  });

  it("SC-3 tells the tool who asked", async () => {
    const who = tool({ execute: async (_, context) => `${context.principal.userId} ${context.sessionId}` });
    expect(textOf((await execute([who], { name: "x" })).result)).toBe("ada s1");
  });
});

describe("executeBatch", () => {
  it("runs neighbouring read-only tools side by side and others alone, in order", async () => {
    const log: string[] = [];
    const spy = (name: string, readOnly: boolean): Tool<never> =>
      tool({
        name,
        annotations: { readOnly },
        execute: async () => {
          log.push(`${name}+`);
          await systemClock.sleep(5);
          log.push(`${name}-`);
          return name;
        },
      });
    const registry = createToolRegistry([spy("read", true), spy("write", false)]);
    const executor = createToolExecutor({ registry, artifacts: createMemoryArtifactStore(), clock: systemClock });
    const calls = ["read", "read", "write", "write", "read"].map((toolName, index) => call(`c${index}`, { toolName }));
    const results: ExecutedCall[] = [];
    await executor.executeBatch(calls, run(), async (executed) => {
      results.push(executed);
    });
    expect(log.join(" ")).toBe("read+ read+ read- read- write+ write- write+ write- read+ read-");
    expect(results.map(({ result }) => result.callId)).toEqual(["c0", "c1", "c2", "c3", "c4"]);
  });

  it("answers every call when it is cancelled in the middle, also those that did not begin", async () => {
    const controller = new AbortController();
    const stuck = tool({
      execute: () => {
        setImmediate(() => controller.abort());
        return new Promise(() => undefined);
      },
    });
    const executor = createToolExecutor({
      registry: createToolRegistry([stuck]),
      artifacts: createMemoryArtifactStore(),
      clock: systemClock,
    });
    const outcomes: string[] = [];
    const calls = [call("c1", { arguments: { name: "a" } }), call("c2", { arguments: { name: "b" } })];
    await executor.executeBatch(calls, run({ signal: controller.signal }), async ({ result }) => {
      outcomes.push(`${result.callId} ${result.outcome}`);
    });
    expect(outcomes).toEqual(["c1 cancelled", "c2 cancelled"]);
  });
});

describe("createToolRegistry", () => {
  it("AF-26 lists definitions sorted by name", () => {
    const registry = createToolRegistry([tool({ name: "b" }), tool({ name: "a" })]);
    expect(registry.listTools().map(({ name }) => name)).toEqual(["a", "b"]);
    expect([registry.removeTool("a"), registry.removeTool("a")]).toEqual([true, false]);
  });

  it.each([
    ["a taken name", [tool({}), tool({})]],
    ["a bad name", [tool({ name: "no spaces" })]],
    ["a bad schema", [tool({ parameters: { type: "nonsense" } })]],
  ])("refuses %s", (_, tools) => {
    expect(() => createToolRegistry(tools)).toThrow(expect.objectContaining({ kind: "invalid", code: "bad_tool" }));
  });
});

type Greet = Tool<{ readonly name: string }>;

function tool(parts: Partial<Greet>): Tool<never> {
  const parameters = { type: "object", properties: { name: { type: "string" } } };
  return { name: "greet", description: "Greets.", parameters, execute: async () => "hello", ...parts } as Tool<never>;
}

function call(id: string, parts: Partial<ToolCall> = {}): ToolCall {
  return { id, toolName: "greet", arguments: {}, state: "complete", ...parts };
}

function run(parts: Partial<ToolRun> = {}): ToolRun {
  const { signal } = new AbortController();
  return { signal, runId: "r1", sessionId: "s1", principal: { userId: "ada" }, ...parts };
}

function execute(
  tools: readonly Tool<never>[],
  args: ToolCall["arguments"],
  callParts: Partial<ToolCall> = {},
  runParts: Partial<ToolRun> = {},
): Promise<ExecutedCall> {
  const registry = createToolRegistry(tools);
  const executor = createToolExecutor({ registry, artifacts: createMemoryArtifactStore(), clock: systemClock });
  return executor.executeTool(call("c1", { arguments: args, ...callParts }), run(runParts));
}

function textOf(result: ExecutedCall["result"]): string {
  return result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
