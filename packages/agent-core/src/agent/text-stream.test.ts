import { describe, expect, it } from "vitest";
import { z } from "zod";
import { anthropic } from "../anthropic.ts";
import { createAgent, RunError, type StopPolicy } from "../index.ts";
import { startAnthropicLoopback } from "../testing/anthropic-loopback.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { testTool } from "../testing/test-agent.ts";

const RESET = { kind: "network", code: "reset", message: "cut", retryable: true } as const;
const look = testTool("look", () => "x");

describe("textStream", () => {
  it("gives the words once when an attempt breaks off and the next one says the same", async () => {
    const { text, error } = await read([{ text: "Transfer 100", error: RESET }, { text: "Transfer 100 euros" }]);
    expect([text, error]).toEqual(["Transfer 100 euros", undefined]);
  });

  it.each(["The answer is 42", "The"])(
    "throws when the next attempt says something else (%s), and the result has the answer",
    async (second) => {
      const { text, error, stream } = await read([{ text: "The answer is 41", error: RESET }, { text: second }]);
      expect([text, error]).toMatchObject(["The answer is 41", { code: "text_discarded" }]);
      expect((await stream.result()).text).toBe(second);
    },
  );

  it("gives the words once over a connection that is cut", async () => {
    const reply = { blocks: [{ type: "text" as const, text: "Transfer 100 euros now" }] };
    const server = await startAnthropicLoopback({ script: () => reply, faults: [{ kind: "drop", afterEvent: 5 }] });
    try {
      const model = anthropic(undefined, { baseURL: server.url, apiKey: server.apiKey });
      const stream = createAgent({ model, retry: { baseMs: 1 } }).stream("x");
      let text = "";
      for await (const piece of stream.textStream()) text += piece;
      expect([text, server.requests.length]).toEqual(["Transfer 100 euros now", 2]);
    } finally {
      await server.close();
    }
  });

  it.each([
    ["fails", { text: "half an", error: { kind: "agent", code: "broke", message: "It broke." } as const }, "broke"],
    ["is cut", { text: "half an", stop: "max_tokens" } as const, "max_output_tokens"],
    ["is refused", { text: "half an", stop: "refusal" } as const, "refusal"],
  ])("throws after the words so far when the run %s", async (_, step, code) => {
    const { text, error } = await read([step]);
    expect(text).toBe("half an");
    expect(error).toBeInstanceOf(RunError);
    expect(error).toMatchObject({ code });
  });

  it("puts a blank line between messages and none into an answer that goes on", async () => {
    const asked = await read([{ text: "Let me look.", toolCalls: [{ name: "look" }] }, { text: "Nobody." }]);
    expect(asked.text).toBe("Let me look.\n\nNobody.");
    const cut = [{ text: "One, ", stop: "max_tokens" as const }, { text: "two." }];
    expect((await read(cut, { maxContinuations: 1 })).text).toBe("One, two.");
  });

  it("gives only the answer that is taken where an output is asked for", async () => {
    const client = scriptedModel([{ text: "nope" }, { text: '{"a":1}' }]);
    const stream = createAgent({ model: { id: "m", client } }).stream("x", { output: z.object({ a: z.number() }) });
    const pieces: string[] = [];
    for await (const piece of stream.textStream()) pieces.push(piece);
    expect(pieces).toEqual(['{"a":1}']);
  });
});

async function read(script: Parameters<typeof scriptedModel>[0], stop: Partial<StopPolicy> = {}) {
  const agent = createAgent({ model: { id: "m", client: scriptedModel(script) }, tools: [look], stop });
  const stream = agent.stream("x");
  let text = "";
  try {
    for await (const piece of stream.textStream()) text += piece;
    return { text, error: undefined, stream };
  } catch (error) {
    return { text, error, stream };
  }
}
