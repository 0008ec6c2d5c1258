import type { LLMRequest, Message, Part } from "@vision-agent/agent-core";
import { createTestAgent } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import { createFakeMemory } from "../testing/create-fake-memory.ts";
import { fakeResult, fakeStatus } from "../testing/fake-app.ts";
import { noteEffect, pipelineEffect } from "../tools/effects.ts";
import { toSighting } from "../tools/sighting.ts";
import { createMemoryFlush, notesOf } from "./flush-memory.ts";

describe("what is kept before old messages are summarised", () => {
  it("is what was wished, done and seen last", () => {
    const notes = notesOf(
      [
        user("Hello. I prefer Celsius. Do you always see cars?"),
        ...result("capture_frame", look(2)),
        user("Count on street"),
        ...result("capture_frame", look(5)),
        ...result("start_pipeline", { effects: [pipelineEffect("started", fakeStatus())] }),
        ...result("stop_pipeline", undefined),
      ],
      ["street"],
    );
    expect(notes).toEqual([
      { category: "preference", content: "I prefer Celsius." },
      observation("Started pipeline street-count on street."),
      observation("street: 5 person."),
    ]);
  });

  it("does not repeat what the agent remembered by itself", () => {
    const remembered = result("remember", { effects: [noteEffect({ path: "USER.md", line: 1 }, "Celsius")] });
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
      context: { budget: { window: 12_000 } },
      flush,
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

function look(people: number) {
  const seen = toSighting("street", fakeResult(Array.from({ length: people }, () => "person")));
  return { camera: "street", seen };
}

/** As the loop keeps it; without data it failed. */
function result(toolName: string, data: object | undefined): Message[] {
  const outcome = data === undefined ? "error" : "ok";
  const kept = data === undefined ? {} : { data: JSON.parse(JSON.stringify(data)) };
  return [message("tool_result", [{ type: "tool_result", callId: "c1", toolName, outcome, content: [], ...kept }])];
}

function message(role: Message["role"], parts: readonly Part[]): Message {
  return { id: "m", role, parts, ts: "2026-01-01T00:00:00.000Z", origin: role === "user" ? "human" : "model" };
}
