import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelProfile } from "../llm/llm-client.ts";
import type { TranscriptEntry } from "../session/session-store.ts";
import { generatedRef, historyFrom } from "../testing/history-generators.ts";
import type { Message, Part } from "../types/message.ts";
import { callsOf, toMessages } from "./history.ts";
import { createHistory, type History } from "./history-view.ts";
import type { PruningStrategy } from "./pruning.ts";
import { createOutlineSummarizer } from "./summarizer.ts";
import { createCharCounter, createWordCounter } from "./token-counter.ts";

describe("History", () => {
  it("AF-18 gives five kinds of entries, flat and in order", () => {
    const call = { id: "c1", toolName: "look", arguments: { at: "door" }, state: "complete" as const };
    const result: Part = { type: "tool_result", callId: "c1", toolName: "look", outcome: "ok", content: [text("red")] };
    const history = historyOf([
      line("u", "user", [text("Which?"), { type: "image", artifactId: "x", mimeType: "image/png", alt: "door" }]),
      line("a", "assistant", [{ type: "reasoning", text: "hm" }, text("I look."), { type: "tool_call", call }]),
      line("r", "tool_result", [result]),
    ]);
    expect(history.entries()).toEqual([
      { kind: "UserMessage", text: "Which?" },
      { kind: "UserMessage", text: "[picture: door]" },
      { kind: "AgentThinking", text: "hm" },
      { kind: "AgentMessage", text: "I look." },
      { kind: "ToolCall", name: "look", args: { at: "door" }, id: "c1" },
      { kind: "ToolResult", id: "c1", result: "red", toolName: "look" },
    ]);
  });

  it("AF-19 AF-20 counts with the counter it is given", () => {
    const entries = [line("u", "user", [text("one two three four")])];
    const count = (counter: ReturnType<typeof createWordCounter>): number =>
      createHistory(entries, { profile: PROFILE, counter }).tokenCount();
    expect(count(createWordCounter())).toBe(8);
    expect(count(createCharCounter({ charsPerToken: 1 }))).toBe(22);
  });

  it("AF-18 AF-19 AF-20 AF-21 AF-22 needs no model: it counts, renders and prunes with defaults", () => {
    const entries = [line("u", "user", [text("hello ".repeat(100))]), line("a", "assistant", [text("Hi.")])];
    const history = createHistory(entries);
    expect(history.tokenCount()).toBeGreaterThan(150);
    expect(history.render(20).text).toBe("[1 earlier lines left out]\nAgent: Hi.");
    expect(createHistory(entries, { counter: createWordCounter() }).tokenCount()).toBeLessThan(history.tokenCount());
    const more = [line("u0", "user", [text("old ".repeat(100))]), line("a0", "assistant", [text("ok")]), ...entries];
    const pruned = createHistory(more).prune({ name: "drop_oldest_turns" }, history.tokenCount());
    expect(pruned.history.tokenCount()).toBeLessThanOrEqual(history.tokenCount());
  });

  it("AF-22 renders the newest within a limit, whatever the history", () => {
    const counter = createCharCounter();
    fc.assert(
      fc.property(fc.array(fc.nat(500), { maxLength: 20 }), fc.nat(800), (choices, limit) => {
        const { text: words, dropped } = historyOf(historyFrom(choices)).render(limit);
        expect(counter.text(words)).toBeLessThanOrEqual(limit);
        if (dropped > 0 && words !== "") expect(words).toMatch(new RegExp(`^\\[${dropped} earlier lines left out\\]`));
      }),
      { numRuns: 30, seed: 9 },
    );
  });

  it.each<PruningStrategy>([
    { name: "clear_tool_results", keepLast: 1, clearAtLeast: 0 },
    { name: "clear_tool_results", keepLast: 0, clearAtLeast: 0, exclude: ["look"] },
    { name: "clear_images", keepLast: 1 },
    { name: "drop_reasoning" },
    { name: "drop_oldest_turns" },
    { name: "custom", plan: (view) => [{ op: "hide", messageIds: view.originals.slice(1, 3).map(({ id }) => id) }] },
  ])("AF-21 X5 prunes by $name into a new view, paired still, and leaves the old one as it was", (strategy) => {
    fc.assert(
      fc.property(fc.array(fc.nat(500), { maxLength: 25 }), fc.nat(3_000), (choices, max) => {
        const entries = historyFrom(choices);
        const before = historyOf(entries);
        const bytes = JSON.stringify(before.view.messages);
        const { history, line: recorded } = before.prune(strategy, max);
        expect(JSON.stringify(before.view.messages)).toBe(bytes);
        expectPaired(history.view.messages);
        if (!recorded) {
          expect(history.view.messages).toEqual(before.view.messages);
          return;
        }
        expect(history.tokenCount()).toBeLessThanOrEqual(before.tokenCount() + 40);
        expect(history.view.epoch).toBe(before.view.epoch + 1);
        const again = toMessages([...entries, { v: 1, id: "x", ts: TS, ...recorded }]);
        expect(history.view.messages).toEqual(again);
      }),
      { numRuns: 25, seed: 10 },
    );
  });

  it("AF-21 clears the oldest results, keeps the last and the excluded, and does nothing for too little", () => {
    const entries = [line("u", "user", [text("go")]), ...["a", "b", "c"].flatMap((name) => toolTurn(name, 100))];
    const keep = historyOf(entries).prune({ name: "clear_tool_results", keepLast: 1, clearAtLeast: 0 }, 0);
    expect(clearedIn(keep.history)).toEqual(["ra", "rb"]);
    const without = historyOf(entries).prune(
      { name: "clear_tool_results", keepLast: 0, clearAtLeast: 0, exclude: ["tool_a"] },
      0,
    );
    expect(clearedIn(without.history)).toEqual(["rb", "rc"]);
    const little = historyOf(entries).prune({ name: "clear_tool_results", keepLast: 0, clearAtLeast: 9_000 }, 0);
    expect(little.line).toBeUndefined();
    const again = keep.history.prune({ name: "clear_tool_results", keepLast: 1, clearAtLeast: 0 }, 0);
    expect(again.line).toBeUndefined();
  });

  it("clears one picture of a result and leaves the other", () => {
    const image = (id: string): Part => ({ type: "image", artifactId: id, mimeType: "image/png" });
    const entries = [...toolTurn("a", 1, [image("one"), image("two")]), line("u", "user", [text("?")])];
    const { history } = historyOf(entries).prune({ name: "clear_images", keepLast: 1 }, 0);
    const words = JSON.stringify(history.view.messages);
    expect(words).toContain("[picture no longer shown: one]");
    expect(words).toContain('"artifactId":"two"');
  });

  it("AF-21 drops the oldest turns first, never the last words of the person", () => {
    const entries = [
      line("u1", "user", [text("old")]),
      ...toolTurn("a", 100),
      line("u2", "user", [text("new")]),
      ...toolTurn("b", 100),
      ...toolTurn("c", 100),
    ];
    const history = historyOf(entries);
    const some = history.prune({ name: "drop_oldest_turns" }, history.tokenCount() - 20);
    expect(ids(some.history)).toEqual(["u2", "ab", "rb", "ac", "rc"]);
    const most = history.prune({ name: "drop_oldest_turns" }, 0);
    expect(ids(most.history)).toEqual(["u2", "ac", "rc"]);
  });

  it("AF-23 summarises a range", async () => {
    const history = historyOf(["one", "two", "three"].map((word) => line(word, "user", [text(word)])));
    const options = { maxTokens: 100, signal: new AbortController().signal };
    const summary = await history.summarize({ start: 0, end: 2 }, createOutlineSummarizer(), options);
    expect(summary.text).toBe("User: one\nUser: two");
  });
});

const TS = "2026-01-01T00:00:00.000Z";
const PROFILE: ModelProfile = {
  id: "m",
  provider: "p",
  contextWindow: 10_000,
  maxOutput: 1_000,
  supportsVision: true,
  supportsTemperature: false,
  reasoning: { modes: ["adaptive"], efforts: [], prefixBound: true },
};

function historyOf(entries: readonly TranscriptEntry[]): History {
  return createHistory(entries, { profile: PROFILE, refOf: generatedRef });
}

function text(words: string): { readonly type: "text"; readonly text: string } {
  return { type: "text", text: words };
}

function line(id: string, role: Message["role"], parts: readonly Part[]): TranscriptEntry {
  const origin = role === "user" ? "human" : "model";
  return { v: 1, id: `l_${id}`, ts: TS, type: "message", message: { id, role, parts, ts: TS, origin } };
}

function toolTurn(name: string, words: number, images: readonly Part[] = []): readonly TranscriptEntry[] {
  const call = { id: `c${name}`, toolName: `tool_${name}`, arguments: {}, state: "complete" as const };
  const content = [...images.filter((part) => part.type === "image"), text("word ".repeat(words))];
  return [
    line(`a${name}`, "assistant", [{ type: "tool_call", call }]),
    line(`r${name}`, "tool_result", [
      { type: "tool_result", callId: call.id, toolName: call.toolName, outcome: "ok", content },
    ]),
  ];
}

function ids(history: History): readonly string[] {
  return history.view.messages.map(({ id }) => id);
}

function clearedIn(history: History): readonly string[] {
  return history.view.messages.filter((one) => JSON.stringify(one).includes("result cleared")).map(({ id }) => id);
}

function expectPaired(messages: readonly Message[]): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool_result") {
      expect(message.parts.flatMap((part) => (part.type === "tool_result" ? [part.callId] : []))).toEqual([
        open.shift(),
      ]);
    } else {
      expect(open).toEqual([]);
      open = callsOf(message).map((call) => call.id);
    }
  }
  expect(open).toEqual([]);
}
