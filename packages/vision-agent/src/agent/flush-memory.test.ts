import type { LLMRequest, Message, Part } from "@vision-agent/agent-core";
import { createTestAgent } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import { createFakeMemory } from "../testing/create-fake-memory.ts";
import { createMemoryFlush, notesOf } from "./flush-memory.ts";

describe("what is kept before old messages are summarised", () => {
  it("is what was wished, done and seen last", () => {
    const notes = notesOf(
      [
        user("Hello. I prefer Celsius. Do you always see cars?"),
        ...call("capture_frame", "street: 2 person.\nModel: sim/truth", { camera: "street" }),
        user("Count on street"),
        ...call("capture_frame", "street: 5 person.", { camera: "street" }),
        ...call("start_pipeline", "Started.\nstreet-count (pl_1) on street: running\nModel: x", {}),
        ...call("stop_pipeline", "There is no such pipeline.", {}, "error"),
      ],
      ["street"],
    );
    expect(notes).toEqual([
      { category: "preference", content: "I prefer Celsius." },
      observation("Started. street-count (pl_1) on street: running"),
      observation("street: 5 person."),
    ]);
  });

  it("does not repeat what the agent remembered by itself", () => {
    const remembered = call("remember", "Remembered as preference.", { content: "Celsius" });
    expect(notesOf([user("Remember that I prefer Celsius."), ...remembered], [])).toEqual([]);
  });

  it("is bounded", () => {
    const messages = Array.from({ length: 100 }, (_, at) => user(`Always ${at} ${"x".repeat(500)}.`));
    const notes = notesOf(messages, []);
    expect(notes).toHaveLength(20);
    expect(Math.max(...notes.map(({ content }) => content.length))).toBeLessThanOrEqual(301);
  });

  it("VA-16 is on record when the conversation reaches 80 % of the window", async () => {
    const memory = createFakeMemory({ now: () => Date.UTC(2026, 0, 1) });
    const flush = createMemoryFlush({ memory, cameras: () => ["street"] });
    const long = "Two cars. ".repeat(300);
    const sizeOf = (request: LLMRequest): number => Math.ceil(JSON.stringify(request.messages).length / 3.5);
    const app = createTestAgent((request) => ({ text: long, usage: { inputTokens: sizeOf(request) } }), {
      context: { budget: { window: 12_000 }, beforeCompaction: flush },
    });
    const compactions: string[] = [];
    for (let at = 0; at < 12; at++) {
      const { events } = await app.talk(at === 0 ? "I prefer short answers." : "And now?");
      for (const event of events) if (event.type === "context") compactions.push(event.action);
    }
    expect(compactions).toContain("compacted");
    expect(memory.notes.map(({ text }) => text)).toEqual(["I prefer short answers."]);
  });
});

function observation(content: string) {
  return { category: "observation", content, camera: "street", metadata: { from: "conversation" } };
}

function user(text: string): Message {
  return message("user", [{ type: "text", text }]);
}

let calls = 0;

function call(tool: string, answer: string, args: Record<string, string>, outcome: "ok" | "error" = "ok"): Message[] {
  const id = `c${++calls}`;
  const content = [{ type: "text" as const, text: answer }];
  return [
    message("assistant", [{ type: "tool_call", call: { id, toolName: tool, arguments: args, state: "complete" } }]),
    message("tool_result", [{ type: "tool_result", callId: id, toolName: tool, outcome, content }]),
  ];
}

function message(role: Message["role"], parts: readonly Part[]): Message {
  return { id: "m", role, parts, ts: "2026-01-01T00:00:00.000Z", origin: role === "user" ? "human" : "model" };
}
