import { describe, expect, it } from "vitest";
import type { ModelProfile } from "../llm/llm-client.ts";
import type { Clock } from "../types/clock.ts";
import type { Message } from "../types/message.ts";
import { createEnvironment } from "./environment.ts";
import { createCharCounter } from "./token-counter.ts";
import { createWorkingContext, type WorkingContext } from "./working-context.ts";

describe("WorkingContext", () => {
  it("AF-24 AF-25 builds a prompt from template, history and environment", async () => {
    const context = contextOf(4_000);
    context.updateEnvironment("search", {
      type: "tool_result",
      callId: "c",
      toolName: "search",
      outcome: "ok",
      content: [{ type: "text", text: "The door is red." }],
    });
    context.addToHistory(answer("m0", "Hello."));
    const request = await context.buildPrompt("Which door?");
    expect(request.system[0]?.text).toBe("You are Ada.");
    expect(request.messages[0]?.id).toBe("m0");
    expect(request.messages[1]?.parts).toMatchObject([
      { type: "text", text: "Which door?" },
      { type: "state_note", kind: "snapshot", envVersion: 1 },
    ]);
    expect(JSON.stringify(request.messages[1])).toContain("The door is red.");
  });

  it("AF-24 AF-42 gives the environment its share of 4,000 tokens, and the rest to the history", async () => {
    const context = contextOf(
      4_000,
      Array.from({ length: 400 }, (_, at) => `fact ${at}`),
    );
    const request = await context.buildPrompt("Go.");
    const note = request.messages[0]?.parts[1];
    const text = note?.type === "state_note" ? note.text : "";
    expect(createCharCounter({ charsPerToken: 4 }).text(text)).toBeLessThanOrEqual(400);
    expect(text).toContain("fact 399");
    expect(text).toContain("[no room for:");
  });

  it("AF-20 AF-25 counts, and prunes when it must", async () => {
    const context = contextOf(4_000);
    expect(await context.pruneIfNeeded()).toBe("none");
    for (let turn = 0; turn < 60; turn++) {
      await context.buildPrompt(`Question ${turn}? ${"word ".repeat(60)}`);
      context.addToHistory(answer(`a${turn}`, `Answer ${turn}.`));
      expect(context.tokenCount()).toBeLessThanOrEqual(4_000);
    }
    for (let more = 0; more < 12; more++) context.addToHistory(answer(`b${more}`, "word ".repeat(200)));
    const before = context.tokenCount();
    expect(await context.pruneIfNeeded()).toBe("compacted");
    expect(context.tokenCount()).toBeLessThan(before / 2);
  });
});

function contextOf(window: number, discoveredFacts: readonly string[] = []): WorkingContext {
  let id = 0;
  return createWorkingContext({
    environment: createEnvironment({
      initial: { knowledge: { discoveredFacts } },
      counter: createCharCounter({ charsPerToken: 4 }),
    }),
    profile: PROFILE,
    template: "You are {{name}}.",
    values: { name: "Ada" },
    budget: { window },
    counter: createCharCounter({ charsPerToken: 4 }),
    ids: { next: (prefix) => `${prefix}${++id}` },
    clock: CLOCK,
  });
}

const CLOCK: Clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
const PROFILE: ModelProfile = {
  id: "m",
  provider: "p",
  contextWindow: 100_000,
  maxOutput: 500,
  supportsVision: false,
  supportsTemperature: true,
};

function answer(id: string, text: string): Message {
  return { id, role: "assistant", origin: "model", ts: "2026-01-01T00:00:00.000Z", parts: [{ type: "text", text }] };
}
