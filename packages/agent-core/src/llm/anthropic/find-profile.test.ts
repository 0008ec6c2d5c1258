import { describe, expect, it } from "vitest";
import { findProfile } from "./find-profile.ts";
import { ANTHROPIC_PROFILES } from "./profiles.data.ts";
import { toStopReason } from "./stop-reasons.ts";

describe("findProfile", () => {
  it("VI-7 states what a known model can do", () => {
    expect(findProfile("claude-sonnet-5-5", [])).toMatchObject({
      contextWindow: 1_000_000,
      maxOutput: 128_000,
      supportsVision: true,
      supportsTemperature: false,
    });
  });

  it("has every id once", () => {
    expect(new Set(ANTHROPIC_PROFILES.map(({ id }) => id)).size).toBe(ANTHROPIC_PROFILES.length);
  });

  it("VI-7 is cautious about a model it does not know", () => {
    expect(findProfile("claude-next-9", [])).toMatchObject({
      id: "claude-next-9",
      supportsVision: false,
      thinking: "none",
    });
  });

  it("lets a configured profile win", () => {
    const [first] = ANTHROPIC_PROFILES;
    const own = { ...first!, contextWindow: 5 };
    expect(findProfile(own.id, [own]).contextWindow).toBe(5);
  });

  it("refuses ids of other providers", () => {
    expect(() => findProfile("gpt-6", [])).toThrow(expect.objectContaining({ kind: "invalid", code: "unknown_model" }));
  });
});

describe("toStopReason", () => {
  it.each([
    ["end_turn", "complete"],
    ["tool_use", "tool_use"],
    ["max_tokens", "max_tokens"],
    ["stop_sequence", "stop_sequence"],
    ["pause_turn", "pause"],
    ["refusal", "refusal"],
    ["model_context_window_exceeded", "context_exceeded"],
  ])("AI-8 maps %s to %s", (wire, own) => {
    expect(toStopReason(wire)).toBe(own);
  });

  it.each(["compaction", "toString", ""])("AI-8 fails visibly for %j", (wire) => {
    expect(() => toStopReason(wire)).toThrow(expect.objectContaining({ code: "unknown_stop_reason" }));
  });
});
