import { expect, it } from "vitest";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "./anthropic.ts";
import { createMemoryArtifactStore } from "./artifacts/memory-artifact-store.ts";
import { startAnthropicLoopback } from "./testing/anthropic-loopback.ts";
import { createTestAgent, testMessage } from "./testing/test-agent.ts";
import { systemClock } from "./types/clock.ts";

it("SC-18.4 a large conversation whose answer begins after 31 seconds goes through, on the first attempt", async () => {
  const server = await startAnthropicLoopback({
    script: [{ blocks: [{ type: "text", text: "Read it all." }] }],
    faults: [{ kind: "delay", ms: 31_000 }],
  });
  const artifacts = createMemoryArtifactStore();
  const llm = createAnthropicClient({ apiKey: server.apiKey, baseURL: server.url });
  const agent = createTestAgent([], { llm, model: DEFAULT_ANTHROPIC_MODEL, artifacts, clock: systemClock });
  const began = performance.now();
  const outcome = await agent.executor.execute(testMessage("word ".repeat(40_000))).outcome;
  expect(outcome).toMatchObject({ status: "finished", text: "Read it all." });
  expect(outcome.metrics.retries).toBe(0);
  expect(performance.now() - began).toBeGreaterThan(30_000);
  await server.close();
});
