import { describe, expect, it } from "vitest";
import { createMemorySessionStore, type LLMClient, type Session } from "./index.ts";
import { createTestAgent, scriptedModel, testTool } from "./testing.ts";

const CALL = { toolCalls: [{ name: "look" }] };
const boom = (): never => {
  throw new Error("boom");
};

describe("functions of the host that break", () => {
  it.each([
    ["without secrets", {}],
    ["with secrets", { secrets: ["hunter2-hunter2"] }],
  ])("an async stream that rejects ends the run, and not the process (%s)", async (_, options) => {
    const stream = () => Promise.reject(new Error("boom"));
    const llm = { ...scriptedModel([]), stream } as unknown as LLMClient;
    const { outcome } = await createTestAgent([], { ...options, llm }).talk("Hi");
    const error = { code: "bad_client", message: expect.stringContaining("`stream`") };
    expect(outcome).toMatchObject({ status: "failed", error });
  });

  it("an onEvent that throws what cannot be read is a warning", async () => {
    const onEvent = (): never => {
      throw new Proxy({}, { get: boom, getPrototypeOf: boom, has: boom });
    };
    const { outcome } = await createTestAgent([{ text: "ok" }], { onEvent }).talk("Hi");
    expect(outcome).toMatchObject({ status: "finished", warnings: [{ code: "host_callback" }] });
  });

  it.each<[string, () => unknown]>([
    ["throw", boom],
    ["are nothing", () => undefined],
  ])("a session whose entries %s ends the run by name", async (_, entries) => {
    const store = createMemorySessionStore();
    const open = async (id: string): Promise<Session> => ({ ...(await store.open(id)), entries: entries as never });
    const sessions = { ...store, open };
    const { outcome } = await createTestAgent([{ text: "ok" }], { sessions }).talk("Hi");
    const error = { code: "host_callback", message: expect.stringContaining("session store") };
    expect(outcome).toMatchObject({ status: "failed", error });
  });

  it("a tool that cannot be read is refused by name", () => {
    const tool = { name: "look", description: "Looks.", parameters: { type: "object" } as const, execute: () => "" };
    Object.defineProperty(tool, "execute", { enumerable: true, get: boom });
    expect(() => createTestAgent([], { tools: [tool] })).toThrow(expect.objectContaining({ code: "bad_tool" }));
  });

  it.each([undefined, Number.NaN, "5"])("a token counter that gives %j ends the run by name", async (count) => {
    const counter = { name: "own", text: () => count as number };
    const { outcome } = await createTestAgent([{ text: "ok" }], { context: { counter } }).talk("Hi");
    const error = { code: "host_callback", message: expect.stringContaining("context.counter") };
    expect(outcome).toMatchObject({ status: "failed", error });
  });

  it.each([4_000, 5_000])("arguments nested %i deep are refused in words", async (depth) => {
    let args = {};
    for (let at = 0; at < depth; at += 1) args = { x: args };
    const inner = scriptedModel([{ text: "ok" }]);
    const call = { id: "c", toolName: "look", arguments: args, state: "complete" } as const;
    const stream: LLMClient["stream"] = (request, context) => {
      const plain = inner.stream(request, context);
      const result = async () => ({ ...(await plain.result()), toolCalls: [call], stopReason: "tool_use" as const });
      return { [Symbol.asyncIterator]: () => plain[Symbol.asyncIterator](), result };
    };
    const agent = createTestAgent([], { llm: { ...inner, stream }, tools: [testTool("look", () => "seen")] });
    const { outcome } = await agent.talk("Hi");
    const error = { code: "bad_client", message: expect.stringContaining("nested too deep") };
    expect(outcome).toMatchObject({ status: "failed", error });
  });
});

describe("an answer to an approval", () => {
  const ask = async () => {
    const agent = createTestAgent([CALL, { text: "ok" }], {
      tools: [testTool("look", () => "seen", { approval: "always" })],
    });
    const { outcome } = await agent.talk("Hi");
    if (outcome.status !== "paused") throw new Error(outcome.status);
    const { pause } = outcome;
    const callId = pause.calls[0]?.callId ?? "";
    const answer = (given: object) =>
      agent.executor.resume(pause.id, { token: pause.token, ...given } as never, { principal: { userId: "ada" } });
    return { answer, callId };
  };

  it("says no to all: a no to some of the calls is refused with what to write", async () => {
    const { answer, callId } = await ask();
    const error = { code: "bad_resolution", message: expect.stringContaining("approve") };
    expect(await answer({ kind: "deny", callIds: [callId] }).outcome).toMatchObject({ status: "failed", error });
    expect(await answer({ kind: "deny" }).outcome).toMatchObject({ status: "finished" });
  });

  it.each([[[]], [5], ["x"], [null]])("refuses %j for editedArgs", async (editedArgs) => {
    const { answer, callId } = await ask();
    const refused = { status: "failed", error: { code: "bad_resolution" } };
    expect(await answer({ kind: "approve", editedArgs }).outcome).toMatchObject(refused);
    expect(await answer({ kind: "approve", editedArgs: { [callId]: editedArgs } }).outcome).toMatchObject(refused);
  });
});

it("a tool that ends the run with an error gives no output", async () => {
  const end = testTool("look", () => ({ data: { ok: true }, text: "bad", isError: true, terminate: true }));
  const output = { name: "answer", schema: { type: "object" } };
  const { outcome } = await createTestAgent([CALL], { tools: [end] }).talk("Hi", { config: { output } });
  expect(outcome).toMatchObject({ status: "failed", error: { code: "structured_output" } });
});

it("a first message that is too long is not answered with advice to begin anew", async () => {
  const agent = createTestAgent([{ text: "ok" }], { context: { budget: { window: 1_000, reserveOutput: 100 } } });
  const { outcome } = await agent.talk("words ".repeat(5_000));
  expect(outcome).toMatchObject({ status: "stopped", reason: "context_exhausted" });
  expect(outcome.status === "stopped" && outcome.message).toMatch(/shorter/);
});
