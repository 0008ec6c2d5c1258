import Anthropic, { type APIError } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { createMemoryArtifactStore, createMemorySessionStore, type SessionStore, systemClock } from "./index.ts";
import {
  artifactStoreContract,
  createFakeClock,
  createTestAgent,
  LLM_CONTRACT_TEXT,
  type LlmContractAnswer,
  llmClientContract,
  type ScriptStep,
  scriptedModel,
  sessionStoreContract,
  startAnthropicLoopback,
  testMessage,
  untilEvent,
} from "./testing.ts";

describe("createMemoryArtifactStore", () => {
  for (const { name, run } of artifactStoreContract(async () => createMemoryArtifactStore())) it(name, run);
});

describe("createMemorySessionStore", () => {
  for (const { name, run } of sessionStoreContract(async () => createMemorySessionStore())) it(name, run);
});

describe("sessionStoreContract", () => {
  const caseOf = (name: string, store: SessionStore) =>
    sessionStoreContract(async () => store).find((one) => one.name === name);

  it("refuses a store whose list is in another order", async () => {
    const store = createMemorySessionStore();
    const unsorted = { ...store, list: async () => (await store.list()).toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
    const sorts = caseOf("lists the most recently written session first", unsorted);
    await expect(sorts?.run()).rejects.toThrow(/most recently written first/);
  });

  it("says which error it expected, and what came", async () => {
    const store = createMemorySessionStore();
    const open: SessionStore["open"] = async (id) => {
      const session = await store.open(id);
      return { ...session, append: async () => Promise.reject(new Error("shut")) };
    };
    const closed = caseOf("takes nothing after it was closed", { ...store, open });
    await expect(closed?.run()).rejects.toThrow(/code "session_closed".*shut/);
  });
});

describe("createTestAgent", () => {
  it("has a clock that a test moves on to the next attempt", async () => {
    const error = { kind: "rate_limit", code: "rate_limited", message: "slow", retryable: true } as const;
    const agent = createTestAgent([{ error }, { text: "ok" }]);
    const run = agent.executor.execute(testMessage("Hi"));
    await untilEvent(run, "retry");
    await agent.clock.advance(60_000);
    expect(await run.outcome).toMatchObject({ status: "finished", text: "ok", metrics: { retries: 1 } });
  });

  it("gives back the clock that it was given", () => {
    const clock = createFakeClock(5);
    expect(createTestAgent([], { clock }).clock.advance).toBe(clock.advance);
    expect(createTestAgent([], { clock: systemClock }).clock).toBe(systemClock);
  });
});

describe("scriptedModel", () => {
  const steps: Record<LlmContractAnswer, ScriptStep> = {
    text: { text: LLM_CONTRACT_TEXT, chunks: 3 },
    two_calls: { toolCalls: [1, 2].map((at) => ({ name: "look", args: { at } })) },
    stall: { text: LLM_CONTRACT_TEXT, stall: true },
    failure: { error: { kind: "network", code: "reset", message: "gone" } },
  };
  for (const { name, run } of llmClientContract(async (answer) => {
    const client = scriptedModel([steps[answer]], { id: "scripted-1" });
    return { client, model: "scripted-1", close: async () => undefined };
  })) {
    it(name, run);
  }
});

describe("startAnthropicLoopback", () => {
  it("AF-38 is understood by the provider's own client", async () => {
    const reply = {
      blocks: [
        { type: "thinking", text: "Hm" },
        { type: "text", text: "Looking" },
        { type: "tool_use", name: "look", input: { at: 1 } },
      ],
    } as const;
    const answer = await withSdk([reply], (sdk) => sdk.messages.stream(hello()).finalMessage());
    expect(answer).toMatchObject({
      stop_reason: "tool_use",
      content: [
        { type: "thinking", thinking: "Hm" },
        { type: "text", text: "Looking" },
        { type: "tool_use", name: "look", input: { at: 1 } },
      ],
    });
  });

  it.each<[string, object]>([
    ["a temperature", { temperature: 1 }],
    ["parameters that are a string", { tools: [{ name: "a", input_schema: { type: "string" } }] }],
    ["a choice at the top", { tools: [{ name: "a", input_schema: { type: "object", oneOf: [] } }] }],
    ["a tool without a schema", { tools: [{ name: "a" }] }],
    ["a call without its result", { messages: [user("x"), calls("t1"), user("y")] }],
    ["a result without its call", { messages: [user("x"), results("t1")] }],
    ["a result after other content", { messages: [user("x"), calls("t1"), lateResult("t1")] }],
    ["an assistant who begins", { messages: [{ role: "assistant", content: "x" }] }],
    ["an empty text", { messages: [{ role: "user", content: [{ type: "text", text: "" }] }] }],
    ["a forced tool", { tool_choice: { type: "any" } }],
    ["a budget for thinking", { thinking: { type: "enabled", budget_tokens: 2_000 } }],
    ["forged thinking", { messages: [user("x"), thinking("c2lnbmF0dXJl"), user("y")] }],
    ["two tools of one name", { tools: [tool("a"), tool("a")] }],
  ])("refuses %s", async (_, parts) => {
    const status = await withSdk([], (sdk) =>
      sdk.messages.create({ ...hello(), ...parts } as Anthropic.MessageCreateParamsNonStreaming).then(
        () => 200,
        (thrown: APIError) => thrown.status,
      ),
    );
    expect(status).toBe(400);
  });
});

describe("createFakeClock", () => {
  it("wakes sleepers in the order of their times, and those who sleep again", async () => {
    const clock = createFakeClock(0);
    const woken: string[] = [];
    const sleepTwice = async (): Promise<void> => {
      await clock.sleep(10);
      woken.push(`a ${clock.now()}`);
      await clock.sleep(10);
      woken.push(`a ${clock.now()}`);
    };
    const sleepOnce = clock.sleep(15).then(() => woken.push(`b ${clock.now()}`));
    const both = Promise.all([sleepTwice(), sleepOnce]);
    await clock.advance(30);
    await both;
    expect(woken).toEqual(["a 10", "b 15", "a 20"]);
    expect([clock.now(), clock.sleepers]).toEqual([30, 0]);
  });
});

type Script = Parameters<typeof startAnthropicLoopback>[0]["script"];

async function withSdk<T>(script: Script, use: (sdk: Anthropic) => Promise<T>): Promise<T> {
  const server = await startAnthropicLoopback({ script });
  try {
    return await use(new Anthropic({ apiKey: server.apiKey, baseURL: server.url, maxRetries: 0, logLevel: "off" }));
  } finally {
    await server.close();
  }
}

function hello(): Anthropic.MessageCreateParamsNonStreaming {
  return { model: "claude-sonnet-5-5", max_tokens: 100, messages: [{ role: "user", content: "Hi" }] };
}

function user(content: string): object {
  return { role: "user", content };
}

function calls(id: string): object {
  return { role: "assistant", content: [{ type: "tool_use", id, name: "look", input: {} }] };
}

function results(id: string): object {
  return { role: "user", content: [{ type: "tool_result", tool_use_id: id }] };
}

function lateResult(id: string): object {
  const note = { type: "text", text: "note" };
  return { role: "user", content: [note, { type: "tool_result", tool_use_id: id }] };
}

function thinking(signature: string): object {
  return { role: "assistant", content: [{ type: "thinking", thinking: "Hm", signature }] };
}

function tool(name: string): object {
  return { name, input_schema: { type: "object" } };
}
