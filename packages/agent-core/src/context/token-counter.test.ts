import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LLMRequest, ModelProfile } from "../llm/llm-client.ts";
import { createCharCounter, createProviderCounter, createWordCounter, cutToTokens } from "./token-counter.ts";

describe("token counters", () => {
  it("AF-19 AF-42 counts characters by a ratio", () => {
    expect(createCharCounter({ charsPerToken: 4 }).text("12345678")).toBe(2);
    expect(createCharCounter({ charsPerToken: 4 }).text("123456789")).toBe(3);
    expect(createCharCounter().text("")).toBe(0);
  });

  it("AF-37 begins with the profile's ratio and follows the reports of each model", () => {
    const counter = createCharCounter();
    expect(counter.scale?.(profile("a", 2.8))).toBeCloseTo(1.25);
    for (let report = 0; report < 30; report++) {
      const estimated = 1_000 * (counter.scale?.(profile("a", 2.8)) ?? 1);
      counter.learn?.(profile("a", 2.8), estimated, 1_600);
    }
    expect(counter.scale?.(profile("a", 2.8))).toBeCloseTo(1.6, 2);
    expect(counter.scale?.(profile("b"))).toBe(1);
  });

  it("AF-37 is not led astray by a report that cannot be", () => {
    const counter = createCharCounter({ weight: 1 });
    counter.learn?.(profile("a"), 1_000, 1_000_000);
    expect(counter.scale?.(profile("a"))).toBe(4);
    counter.learn?.(profile("b"), 1_000, 0);
    counter.learn?.(profile("b"), 0, 10);
    expect(counter.scale?.(profile("b"))).toBe(1);
  });

  it("AF-37 counts words and signs", () => {
    const counter = createWordCounter();
    expect(counter.text("the cat sat")).toBe(3);
    expect(counter.text("incomprehensible")).toBe(3);
    expect(counter.text("f(x);")).toBe(5);
    expect(counter.text("12345")).toBe(2);
    expect(counter.text("猫が好き")).toBe(4);
  });

  it("AF-37 asks the provider through a wrapper and estimates as before", async () => {
    const base = createCharCounter();
    const counter = createProviderCounter(base, async (request) => request.messages.length);
    expect(counter.text("1234567")).toBe(2);
    counter.learn?.(profile("a"), 100, 200);
    expect(counter.scale?.(profile("a"))).toBe(base.scale?.(profile("a")));
    expect(await counter.count?.(REQUEST, new AbortController().signal)).toBe(0);
  });

  it("cuts a text to a limit, whatever text, limit and counter", () => {
    const counters = [createCharCounter(), createWordCounter(), createCharCounter({ charsPerToken: 0.5 })];
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 300 }),
        fc.nat(80),
        fc.constantFrom(...counters),
        (text, max, counter) => {
          const cut = cutToTokens(text, max, counter);
          expect(counter.text(cut)).toBeLessThanOrEqual(max);
          if (counter.text(text) <= max) expect(cut).toBe(text);
          expect(cut.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: 50, seed: 6 },
    );
  });
});

const REQUEST: LLMRequest = { model: "m", system: [], messages: [], tools: [] };

function profile(id: string, charsPerToken?: number): ModelProfile {
  return {
    id,
    provider: "p",
    contextWindow: 1_000,
    maxOutput: 100,
    supportsVision: false,
    supportsTemperature: false,
    charsPerToken,
  };
}
