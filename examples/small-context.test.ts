import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent, LLMRequest } from "@vision-agent/agent-core";
import { type ScriptStep, scriptedModel } from "@vision-agent/agent-core/testing";
import { expect, it } from "vitest";
import { createSmallAgent } from "./small-context.ts";

const message = { sessionId: "book", text: "Read pages 1 to 12.", principal: { userId: "you" } };

it("AF-42 AF-32 reads twelve pages in 4 000 tokens although nobody listens", async () => {
  const agent = createSmallAgent({ llm: scriptedModel(readPages(12)), model: "scripted" });
  const run = agent.execute(message);
  expect(await run.outcome).toMatchObject({ status: "finished", text: "All pages are read." });

  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  const sizes = events.flatMap((event) => (event.type === "request" ? [event.context.tokens.total] : []));
  expect(sizes).toHaveLength(13);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4_000);
  expect(events.map(({ type }) => type)).toContain("context");
  await agent.close();
});

it("AF-42 is not held up by one who listens slowly, and leaves nothing out for him", async () => {
  const words = Array.from({ length: 200 }, (_, index) => `word${index} `).join("");
  const agent = createSmallAgent({ llm: scriptedModel([{ text: words, chunks: 200 }]), model: "scripted" });
  const run = agent.execute(message);
  let heard = "";
  let last: AgentEvent | undefined;
  const listening = (async () => {
    for await (const event of run) {
      await sleep(5);
      if (event.type === "text_delta") heard += event.text;
      last = event;
    }
  })();

  await run.outcome;
  expect(last?.type).not.toBe("run_ended");
  await listening;
  expect(heard).toBe(words);
  expect(last?.type).toBe("run_ended");
  await agent.close();
});

/** Calls for page after page, and reports what the request took at four characters a token. */
function readPages(count: number): (request: LLMRequest, number: number) => ScriptStep {
  return ({ messages }, number) => {
    const usage = { inputTokens: Math.ceil(JSON.stringify(messages).length / 4) };
    if (number > count) return { text: "All pages are read.", usage };
    return { toolCalls: [{ name: "read_page", args: { number } }], usage };
  };
}
