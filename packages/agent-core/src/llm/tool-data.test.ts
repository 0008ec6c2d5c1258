import { describe, expect, it } from "vitest";
import type { Message } from "../types/message.ts";
import { ANTHROPIC_PROFILES } from "./anthropic/profiles.data.ts";
import { toWireRequest } from "./anthropic/to-wire-request.ts";
import type { LLMRequest } from "./llm-client.ts";
import { OPENAI_PROFILES } from "./openai/profiles.data.ts";
import { toChatRequest } from "./openai-chat/answer-by-chat.ts";
import { toResponsesRequest } from "./openai-responses/answer-by-responses.ts";

const TS = "2026-01-01T00:00:00.000Z";
const CALL = { id: "c1", toolName: "look", arguments: {}, state: "complete" } as const;
const ASKED: Message = {
  id: "m1",
  role: "assistant",
  origin: "model",
  ts: TS,
  parts: [{ type: "tool_call", call: CALL }],
};
const ANSWERED: Message = {
  id: "m2",
  role: "tool_result",
  origin: "tool",
  ts: TS,
  parts: [
    {
      type: "tool_result",
      callId: "c1",
      toolName: "look",
      outcome: "ok",
      content: [{ type: "text", text: "Two doors." }],
      data: { marker: "for programs alone" },
    },
  ],
};

describe("the data of a tool result", () => {
  it("is sent to no provider", async () => {
    const images = { bytes: undefined, fitter: undefined };
    const request: LLMRequest = { model: "m", system: [], messages: [ASKED, ANSWERED], tools: [] };
    const context = { images, warn: () => undefined };
    const bodies = await Promise.all([
      toWireRequest(request, { ...context, profile: ANTHROPIC_PROFILES[0]! }),
      toChatRequest(request, { ...context, profile: OPENAI_PROFILES[0]! }),
      toResponsesRequest(request, { ...context, profile: OPENAI_PROFILES[0]! }),
    ]);
    for (const body of bodies) {
      expect(JSON.stringify(body)).toContain("Two doors.");
      expect(JSON.stringify(body)).not.toContain("marker");
    }
  });
});
