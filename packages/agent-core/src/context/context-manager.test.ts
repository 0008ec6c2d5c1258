import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_VISION_POLICY } from "../artifacts/vision-policy.ts";
import type { LLMRequest, ModelProfile, ToolDefinition } from "../llm/llm-client.ts";
import type { TranscriptEntry } from "../session/session-store.ts";
import { createHistoryMaker, generatedRef, historyFrom } from "../testing/history-generators.ts";
import { AgentError } from "../types/errors.ts";
import { type ImagePart, type Message, NO_USAGE, type Part, type Usage } from "../types/message.ts";
import { limitOf, toContextBudget } from "./context-budget.ts";
import {
  type ContextManager,
  type ContextManagerOptions,
  createContextManager,
  type PreparedContext,
  type PrepareInput,
} from "./context-manager.ts";
import { type ContextLine, callsOf, toMessages } from "./history.ts";
import type { Summarizer } from "./summarizer.ts";
import { createCharCounter, createProviderCounter, createWordCounter } from "./token-counter.ts";

describe("prepare", () => {
  it("AI-10 AF-24 sends the whole conversation while it fits, head first, tools in the order given", async () => {
    const entries = [said("u1", "user", "hi"), said("a1", "assistant", "hello"), said("u2", "user", "more")];
    const prepared = await manager().prepare(inputOf(entries, { tools: [tool("zoom"), tool("ask")] }));
    expect(prepared.request.messages.map((message) => message.id)).toEqual(["u1", "a1", "u2"]);
    expect(prepared.request.tools.map(({ name }) => name)).toEqual(["zoom", "ask"]);
    expect(prepared.request.system.map(({ id }) => id)).toEqual(["rules", "place"]);
    expect(prepared.lines).toEqual([]);
    expect(prepared.events).toEqual([]);
    const { tokens } = prepared.report;
    expect(tokens.tools + tokens.system + tokens.state + tokens.history + tokens.images).toBe(tokens.total);
  });

  it("complaint 20: invariant 2: a request is rendered twice alike, and is a prefix of the next one within an epoch", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(200), { minLength: 2, maxLength: 14 }), async (choices) => {
        const budget = { window: 8_000 };
        const context = manager({ budget });
        const maker = createHistoryMaker();
        const written: TranscriptEntry[] = [...maker.ask(1)];
        let before: LLMRequest | undefined;
        for (const [at, choice] of choices.entries()) {
          const prepared = await prepareOrUndefined(context, written);
          if (!prepared) return;
          written.push(...prepared.lines.map(toEntry));
          const again = await manager({ budget }).prepare(inputOf(written));
          expect(bytesOf(again.request)).toBe(bytesOf(prepared.request));
          if (prepared.lines.length === 0) expectPrefix(before, prepared.request);
          before = prepared.request;
          written.push(...(at % 3 === 2 ? maker.ask(choice) : maker.answer(choice)));
        }
      }),
      { numRuns: 30, seed: 2 },
    );
  });

  it("complaint 6: invariant 4: tokens, bytes and pictures are within their budgets, or it is an overflow", async () => {
    const sizes = fc.record({
      window: fc.integer({ min: 600, max: 12_000 }),
      maxBytes: fc.integer({ min: 20_000, max: 3_000_000 }),
      maxImages: fc.integer({ min: 0, max: 5 }),
    });
    let overflows = 0;
    let reduced = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(500), { maxLength: 40 }), sizes, async (choices, budget) => {
        const input = inputOf(historyFrom(choices));
        const prepared = await createContextManager({ refOf: generatedRef, budget })
          .prepare(input)
          .catch((thrown: unknown) => thrown);
        if (prepared instanceof AgentError) {
          expect(prepared).toMatchObject({ kind: "agent", code: "context_overflow" });
          overflows += 1;
          return;
        }
        const { report, request, lines } = prepared as PreparedContext;
        reduced += lines.length > 0 ? 1 : 0;
        expect(report.tokens.total).toBeLessThanOrEqual(limitOf(toContextBudget(budget, PROFILE)));
        expect(report.bytes).toBeLessThanOrEqual(budget.maxBytes);
        expect(report.images).toBeLessThanOrEqual(budget.maxImages);
        expect(imageIds(request)).toHaveLength(report.images);
        expectPaired(request.messages);
        expect(request.messages).toEqual(toMessages([...input.entries, ...lines.map(toEntry)]));
      }),
      { numRuns: 50, seed: 4 },
    );
    expect(overflows).toBeGreaterThan(0);
    expect(reduced).toBeGreaterThan(10);
  });

  it("complaint 2: answers orphaned calls and drops orphaned results before it sends", async () => {
    const entries = [
      said("u1", "user", "hi"),
      asks("a1", "c1", "c2"),
      result("r2", "c2", "two"),
      result("r9", "c9", "?"),
    ];
    const { request } = await manager().prepare(inputOf(entries));
    expectPaired(request.messages);
    expect(request.messages.map((message) => message.id)).toEqual(["u1", "a1", "a1.c1", "r2"]);
  });
});

describe("clearing", () => {
  it("AF-35 clears the oldest results above clearAt, in one batch, and says so", async () => {
    const entries = toolTurns(12, 300);
    const prepared = await manager({ budget: { window: 6_000, reserveOutput: 500 } }).prepare(inputOf(entries));
    const [line] = prepared.lines;
    expect(line).toMatchObject({ type: "view", epoch: 1 });
    expect(prepared.events).toMatchObject([{ type: "context", action: "cleared" }]);
    const [event] = prepared.events;
    expect((event?.before ?? 0) - (event?.after ?? 0)).toBeGreaterThanOrEqual(600);
    const cleared = prepared.request.messages.filter((message) => JSON.stringify(message).includes("result cleared"));
    expect(cleared.map((message) => message.id)).toEqual(["r0", "r1", "r2", "r3", "r4"]);
    expect(prepared.request.messages.at(-1)).toBe(messagesIn(entries).at(-1));
  });

  it("does not clear for less than it is worth", async () => {
    const entries = [...toolTurns(2, 10), said("u9", "user", "word ".repeat(2_700))];
    const prepared = await manager({ budget: { window: 6_000, reserveOutput: 500 } }).prepare(inputOf(entries));
    expect(prepared.report.tokens.total).toBeGreaterThan(3_600);
    expect(prepared.lines).toEqual([]);
  });

  it("complaint 7: VA-17 drops the thinking that an edit voids, keeps what came before it and what comes after", async () => {
    const entries = [
      said("u0", "user", "begin"),
      thought("a0"),
      said("u1", "user", "go on"),
      ...toolTurns(12, 300),
      thought("a9"),
      said("u2", "user", "and?"),
    ];
    const context = manager({ budget: { window: 6_000, reserveOutput: 500 } });
    const bound = inputOf(entries, { profile: { ...PROFILE, reasoning: BOUND } });
    const prepared = await context.prepare(bound);
    expect(prepared.lines).toHaveLength(1);
    expect(thinking(prepared.request)).toEqual(["a0"]);
    const later = [...entries, ...prepared.lines.map(toEntry), thought("a10"), said("u3", "user", "on")];
    const next = await context.prepare({ ...bound, entries: later });
    expect(next.lines).toEqual([]);
    expect(thinking(next.request)).toEqual(["a0", "a10"]);
    const free = await manager({ budget: { window: 6_000, reserveOutput: 500 } }).prepare(inputOf(entries));
    expect(thinking(free.request)).toEqual(["a0", "a9"]);
  });

  it("complaint 7: what is still sent of thinking stands after exactly what it was thought after", async () => {
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(200), { minLength: 5, maxLength: 30 }), async (choices) => {
        const context = manager({ budget: { window: 5_000, maxImages: 2 } });
        const maker = createHistoryMaker();
        const written: TranscriptEntry[] = [...maker.ask(1)];
        const thoughtAfter = new Map<string, string>();
        for (const choice of choices) {
          const profile = { ...PROFILE, reasoning: BOUND };
          const prepared = await prepareOrUndefined(context, written, profile);
          if (!prepared) return;
          const { messages } = prepared.request;
          for (const id of thinking(prepared.request)) {
            const before = messages.slice(
              0,
              messages.findIndex((message) => message.id === id),
            );
            expect(JSON.stringify(before)).toBe(thoughtAfter.get(id));
            kept += 1;
          }
          const answer = maker.answer(choice);
          thoughtAfter.set(messagesIn(answer)[0]?.id ?? "", JSON.stringify(messages));
          written.push(...prepared.lines.map(toEntry), ...answer);
        }
      }),
      { numRuns: 20, seed: 7 },
    );
    expect(kept).toBeGreaterThan(20);
  });

  it("complaint 6: clears pictures in batches when there are too many, never those that are new", async () => {
    const context = manager({ vision: { ...DEFAULT_VISION_POLICY, maxImages: 5 } });
    const entries: TranscriptEntry[] = [];
    const edits: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      entries.push(shows(`u${turn}`, `img_100x100_${turn}`), said(`a${turn}`, "assistant", "seen"));
      const prepared = await context.prepare(inputOf([...entries.slice(0, -1)]));
      entries.splice(-1, 0, ...prepared.lines.map(toEntry));
      if (prepared.lines.length > 0) edits.push(turn);
      expect(imageIds(prepared.request)).toContain(`img_100x100_${turn}`);
      expect(prepared.report.images).toBeLessThanOrEqual(5);
    }
    expect(edits).toEqual([5, 8, 11, 14, 17]);
  });

  it("VI-17 never shows the pictures of a tool that the policy does not name", async () => {
    const vision = { ...DEFAULT_VISION_POLICY, allowedSources: ["other"] };
    const picture: ImagePart = { type: "image", artifactId: "img_10x10_x", mimeType: "image/jpeg", alt: "secret door" };
    const entries = [said("u1", "user", "hi"), asks("a1", "c1"), result("r1", "c1", "see", [picture])];
    const { request } = await manager({ vision }).prepare(inputOf(entries));
    expect(imageIds(request)).toEqual([]);
    expect(JSON.stringify(request)).toContain("[picture no longer shown: secret door]");
  });

  it("complaint 6: clears pictures by their bytes long before the tokens are many", async () => {
    const entries = Array.from({ length: 12 }, (_, at) => [
      shows(`u${at}`, `img_1000x1000_${at}`),
      said(`a${at}`, "assistant", "ok"),
    ]).flat();
    const prepared = await manager({ budget: { maxBytes: 10_000_000 } }).prepare(
      inputOf([...entries, said("u", "user", "?")]),
    );
    expect(prepared.report.bytes).toBeLessThanOrEqual(6_100_000);
    expect(imageIds(prepared.request)).toEqual([8, 9, 10, 11].map((at) => `img_1000x1000_${at}`));
  });

  it("AF-21 lets a custom strategy choose", async () => {
    const entries = toolTurns(12, 300);
    const strategies = [
      {
        name: "custom" as const,
        plan: () => [{ op: "hide" as const, messageIds: ["a0", "r0", "a1", "r1", "a2", "r2"] }],
      },
    ];
    const prepared = await manager({ budget: { window: 6_000, reserveOutput: 500 }, strategies }).prepare(
      inputOf(entries),
    );
    expect(prepared.request.messages.map(({ id }) => id).slice(0, 3)).toEqual(["u", "a3", "r3"]);
  });
});

describe("compaction", () => {
  it("VA-16 AF-23 AF-35 puts a summary for the beginning, keeps the person's words and the last turns", async () => {
    const flushed: string[] = [];
    const prepared = await manager({
      budget: { window: 4_000, reserveOutput: 300 },
      summarizer: summarizerOf("They talked."),
      beforeCompaction: async (messages) => {
        flushed.push(...messages.map(({ id }) => id));
      },
    }).prepare(inputOf(talk(40, 60)));
    const ids = prepared.request.messages.map(({ id }) => id);
    expect(ids[0]).toBe("new1");
    expect(ids.at(-1)).toBe("u39");
    expect(flushed).toContain("u0");
    expect(flushed).not.toContain(ids[1]);
    expect(prepared.request.messages[0]).toMatchObject({ role: "user", origin: "core" });
    expect(JSON.stringify(prepared.request.messages[0])).toContain("They talked.");
    expect(prepared.report.tokens.total).toBeLessThanOrEqual(2_000);
    expect(prepared.lines[0]).toMatchObject({ type: "compaction", firstKeptId: ids[1] });
    expect(prepared.events).toMatchObject([{ action: "compacted", detail: { flush: "ok" } }]);
    expect(prepared.spent).toMatchObject({ outputTokens: 7 });
  });

  it("keeps the task of a long chain of tools, and never cuts between a call and its result", async () => {
    const entries = [said("u", "user", "count the doors"), ...toolTurns(40, 40).slice(1)];
    const context = manager({ budget: { window: 3_000, reserveOutput: 200 }, strategies: [] });
    const { request, lines } = await context.prepare(inputOf(entries));
    expect(request.messages.map(({ id }) => id).slice(0, 2)).toEqual(["new1", "u"]);
    expect(lines.map(({ type }) => type)).toEqual(["compaction", "view"]);
    expectPaired(request.messages);
    expect(request.messages).toEqual(toMessages([...entries, ...lines.map(toEntry)]));
  });

  it("AF-24 keeps pinned turns, and carries a state that would be lost", async () => {
    const noted = said("first", "user", "begin", [{ type: "state_note", text: "door open" }]);
    const entries = [noted, said("second", "assistant", "KEEP ME"), ...talk(40, 60)];
    const pin = (message: Message): boolean => JSON.stringify(message).includes("KEEP ME");
    const { request } = await manager({ budget: { window: 4_000, reserveOutput: 300 }, pin }).prepare(inputOf(entries));
    expect(request.messages[1]?.id).toBe("second");
    expect(request.messages[0]?.parts).toContainEqual({ type: "state_note", text: "door open" });
  });

  it("complaint 7: drops all thinking of the tail, which was bound to the old beginning", async () => {
    const entries = [...talk(40, 60), thought("a98"), said("u99", "user", "?")];
    const input = inputOf(entries, { profile: { ...PROFILE, reasoning: BOUND } });
    const { request } = await manager({ budget: { window: 4_000, reserveOutput: 300 } }).prepare(input);
    expect(request.messages.map(({ id }) => id)).toContain("a98");
    expect(thinking(request)).toEqual([]);
  });

  it("tells the summariser what was summarised before", async () => {
    const previous: (string | undefined)[] = [];
    const summarizer: Summarizer = {
      summarize: async (_, options) => {
        previous.push(options.previous);
        return { text: `summary ${previous.length}`, usage: NO_USAGE };
      },
    };
    const context = manager({ budget: { window: 4_000, reserveOutput: 300 }, summarizer });
    const first = talk(40, 60);
    const one = await context.prepare(inputOf(first));
    const second = [...first, ...one.lines.map(toEntry), ...talk(40, 60, "x")];
    const two = await context.prepare(inputOf(second));
    expect(previous).toEqual([undefined, "summary 1"]);
    expect(JSON.stringify(two.request)).toContain("summary 2");
    expect(JSON.stringify(two.request)).not.toContain("summary 1");
  });

  it("keeps a message that comes while the summary is written, once and in its place", async () => {
    const entries = [...talk(40, 60)];
    const late = said("late", "user", "And one more thing.");
    const summarizer: Summarizer = {
      summarize: async (messages) => {
        expect(messages.some(({ id }) => id === "late")).toBe(false);
        entries.push(late);
        return { text: "They talked.", usage: NO_USAGE };
      },
    };
    const context = manager({ budget: { window: 4_000, reserveOutput: 300 }, summarizer });
    const { request, lines } = await context.prepare(inputOf(entries));
    expect(lines.some((line) => line.type === "compaction")).toBe(true);
    for (const messages of [request.messages, toMessages([...entries, ...lines.map(toEntry)])]) {
      expect(messages.map(({ id }) => id).filter((id) => id === "late" || id === "u39")).toEqual(["u39", "late"]);
      expect(messages.at(-1)?.id).toBe("late");
    }
  });

  it.each<[string, ContextManagerOptions["summarizer"]]>([
    ["fails", { summarize: async () => Promise.reject(new Error("no model")) }],
    ["says nothing", summarizerOf("  ")],
    ["is not given", undefined],
  ])("writes an outline when the summariser %s", async (_, summarizer) => {
    const options = { budget: { window: 4_000, reserveOutput: 300 }, ...(summarizer ? { summarizer } : {}) };
    const { request } = await manager(options).prepare(inputOf(talk(40, 60)));
    expect(JSON.stringify(request.messages[0])).toContain("earlier lines left out");
  });

  it("cuts a summary that is too long", async () => {
    const options = { budget: { window: 4_000, reserveOutput: 300 }, summarizer: summarizerOf("blah ".repeat(5_000)) };
    const { report, request } = await manager(options).prepare(inputOf(talk(40, 60)));
    expect(report.tokens.total).toBeLessThanOrEqual(2_000);
    expect(JSON.stringify(request.messages[0])).toContain("characters left out");
  });

  it("goes on when the flush fails or takes too long, and stops it", async () => {
    let aborted = false;
    const beforeCompaction = (_: unknown, signal: AbortSignal): Promise<void> =>
      new Promise((done) => {
        signal.addEventListener("abort", () => {
          aborted = true;
          done();
        });
      });
    const budget = { window: 4_000, reserveOutput: 300 };
    const late = await manager({ budget, beforeCompaction, flushTimeoutMs: 5 }).prepare(inputOf(talk(40, 60)));
    expect(late.events).toMatchObject([{ detail: { flush: "timeout" } }]);
    expect(aborted).toBe(true);
    const failing = async (): Promise<void> => Promise.reject(new Error("disk full"));
    const failed = await manager({ budget, beforeCompaction: failing }).prepare(inputOf(talk(40, 60)));
    expect(failed.events).toMatchObject([{ detail: { flush: "failed" } }]);
  });

  it("ends at once when the signal fires during the summary", async () => {
    const abort = new AbortController();
    const summarizer: Summarizer = {
      summarize: () => {
        abort.abort(new AgentError({ kind: "cancelled", code: "user", message: "stop" }));
        return new Promise(() => undefined);
      },
    };
    const input = { ...inputOf(talk(40, 60)), signal: abort.signal };
    const preparing = manager({ budget: { window: 4_000, reserveOutput: 300 }, summarizer }).prepare(input);
    await expect(preparing).rejects.toMatchObject({ kind: "cancelled" });
  });

  it("complaint 6: does not compact again within three turns, unless it would overflow", async () => {
    const budget = { window: 4_000, reserveOutput: 300, compactAt: 0.55, clearAt: 0.5 };
    const context = manager({ budget, strategies: [] });
    const first = talk(40, 60);
    const one = await context.prepare(inputOf(first));
    const soon = [
      ...first,
      ...one.lines.map(toEntry),
      said("a98", "assistant", "word ".repeat(900)),
      said("u99", "user", "?"),
    ];
    const two = await context.prepare(inputOf(soon));
    expect(two.report.tokens.total).toBeGreaterThan(2_200);
    expect(two.lines).toEqual([]);
    const three = await context.prepare(
      inputOf([...soon, said("a", "assistant", "word ".repeat(1_000)), said("v", "user", "?")]),
    );
    expect(three.events).toMatchObject([{ action: "compacted" }]);
  });

  it("complaint 6: gives up when even the smallest tail is too long, and does not ask a model for it", async () => {
    let asked = 0;
    const summarizer: Summarizer = {
      summarize: async () => {
        asked += 1;
        return { text: "x", usage: NO_USAGE };
      },
    };
    const entries = [...talk(4, 10), said("u99", "user", "word ".repeat(6_000))];
    const preparing = manager({ budget: { window: 4_000, reserveOutput: 300 }, summarizer }).prepare(inputOf(entries));
    await expect(preparing).rejects.toMatchObject({ kind: "agent", code: "context_overflow" });
    expect(asked).toBe(0);
  });

  it("clears even the newest results before it gives up", async () => {
    const entries = [said("u", "user", "read"), asks("a", "c1"), result("r", "c1", "word ".repeat(6_000))];
    const { request } = await manager({ budget: { window: 4_000, reserveOutput: 300 } }).prepare(inputOf(entries));
    expect(request.messages.map(({ id }) => id)).toEqual(["u", "a", "r"]);
    expect(JSON.stringify(request.messages[2])).toContain("for less if it was long");
  });
});

describe("shrink", () => {
  it("gives room after the provider refused what looked small enough, and estimates higher from then on", async () => {
    const counter = createCharCounter();
    const context = manager({ counter, budget: { window: 8_000, reserveOutput: 300 } });
    const input = inputOf(talk(40, 60));
    const before = await context.prepare(input);
    expect(before.lines).toEqual([]);
    const scale = counter.scale?.(PROFILE) ?? 1;
    const after = await context.shrink(input, "overflow");
    expect(after?.events.at(-1)).toMatchObject({ action: "compacted" });
    expect(after?.request.messages.length).toBeLessThan(before.request.messages.length / 2);
    expect(counter.scale?.(PROFILE)).toBeGreaterThan(scale);
  });

  it("clears pictures after the body was refused, and has nothing to give when there is nothing", async () => {
    const entries = Array.from({ length: 4 }, (_, at) => shows(`u${at}`, `img_100x100_${at}`));
    const context = manager();
    const smaller = await context.shrink(inputOf(entries), "too_large");
    expect(smaller && imageIds(smaller.request)).toEqual(["img_100x100_2", "img_100x100_3"]);
    expect(await context.shrink(inputOf([said("u", "user", "hi")]), "too_large")).toBeUndefined();
    expect(await context.shrink(inputOf([said("u", "user", "hi")]), "overflow")).toBeUndefined();
  });
});

describe("learning", () => {
  it("AF-37 takes the provider's report for what was sent and estimates only what came since", async () => {
    const context = manager();
    const entries = talk(10, 30);
    const first = await context.prepare(inputOf(entries));
    context.learn(first.report, usageOf({ inputTokens: 100, cacheReadTokens: 4_800, cacheWriteTokens: 100 }));
    const again = await context.prepare(inputOf(entries));
    expect(again.report.tokens.total).toBe(5_000);
    const more = await context.prepare(inputOf([...entries, said("a", "assistant", "x".repeat(350))]));
    expect(more.report.tokens.total).toBeGreaterThan(5_050);
    expect(more.report.tokens.total).toBeLessThan(5_400);
  });

  it("does not take a report over for another session, model or epoch, nor a guess for a report", async () => {
    const counter = createWordCounter();
    const context = manager({ counter });
    const entries = talk(10, 30);
    const first = await context.prepare(inputOf(entries));
    context.learn(first.report, { ...usageOf({ inputTokens: 90_000 }), estimated: true });
    expect((await context.prepare(inputOf(entries))).report.tokens.total).toBe(first.report.tokens.total);
    context.learn(first.report, usageOf({ inputTokens: 90_000 }));
    const other = await context.prepare(inputOf(talk(10, 30)));
    expect(other.report.tokens.total).toBe(first.report.tokens.total);
    const model = await context.prepare({ ...inputOf(entries), model: "another" });
    expect(model.report.tokens.total).toBe(first.report.tokens.total);
    const edited = [...entries, toEntry({ type: "view", epoch: 1, edits: [] })];
    expect((await context.prepare(inputOf(edited))).report.tokens.total).toBe(first.report.tokens.total);
  });

  it("AF-37 asks the provider to count only close to a threshold", async () => {
    let asked = 0;
    const counter = createProviderCounter(createCharCounter(), async () => {
      asked += 1;
      return 900;
    });
    const context = manager({ counter, budget: { window: 5_000, reserveOutput: 300 } });
    await context.prepare(inputOf(talk(4, 20)));
    expect(asked).toBe(0);
    const near = await context.prepare(inputOf([said("u", "user", "x".repeat(10_300))]));
    expect(asked).toBe(1);
    expect(near.report).toMatchObject({ source: "counted", tokens: { total: 900 } });
  });

  it("estimates when the provider cannot count", async () => {
    const counter = createProviderCounter(createCharCounter(), async () => Promise.reject(new Error("404")));
    const context = manager({ counter, budget: { window: 5_000, reserveOutput: 300 } });
    const near = await context.prepare(inputOf([said("u", "user", "x".repeat(10_300))]));
    expect(near.report.source).toBe("estimated");
  });
});

describe("VI-16 pictures", () => {
  it.each<[string, Partial<ModelProfile>, string, number]>([
    ["by the profile's formula", { imageTokens: (width, height) => width + height }, "img_100x50_a", 150],
    ["by their area without one", {}, "img_280x280_a", 4_096],
    ["by their area without a formula", {}, "img_281x281_a", 121],
    ["as the most without a size", {}, "unknown", 4_096],
    ["as a few words where the model cannot see", { supportsVision: false }, "img_100x50_a", 30],
  ])("count %s", async (_, profile, id, tokens) => {
    const input = inputOf([shows("u", id)], { profile: { ...PROFILE, ...profile } });
    expect((await manager().prepare(input)).report.tokens.images).toBe(tokens);
  });
});

const TS = "2026-01-01T00:00:00.000Z";
const BOUND = { modes: ["adaptive" as const], efforts: [], prefixBound: true };
const PROFILE: ModelProfile = {
  id: "m",
  provider: "p",
  contextWindow: 1_000_000,
  maxOutput: 16_000,
  supportsVision: true,
  supportsTemperature: false,
  cache: { kind: "explicit", minTokens: 512, maxBreakpoints: 4, lookbackBlocks: 20 },
};

function manager(options: Partial<ContextManagerOptions> = {}): ContextManager {
  return createContextManager({ refOf: generatedRef, ...options });
}

function inputOf(
  entries: readonly TranscriptEntry[],
  over: Partial<Pick<PrepareInput, "profile" | "tools">> = {},
): PrepareInput {
  let id = 0;
  return {
    entries,
    system: [
      { id: "place", text: "You are at home.", stability: "session" },
      { id: "rules", text: "Be brief.", stability: "static" },
    ],
    tools: [],
    profile: PROFILE,
    model: "m",
    signal: new AbortController().signal,
    newMessageId: () => `new${++id}`,
    now: () => TS,
    ...over,
  };
}

async function prepareOrUndefined(
  context: ContextManager,
  entries: readonly TranscriptEntry[],
  profile: ModelProfile = PROFILE,
): Promise<PreparedContext | undefined> {
  try {
    return await context.prepare(inputOf(entries, { profile }));
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: "context_overflow" });
    return undefined;
  }
}

function bytesOf({ cache: _cache, ...request }: LLMRequest): string {
  return JSON.stringify(request);
}

function expectPrefix(before: LLMRequest | undefined, after: LLMRequest): void {
  if (!before) return;
  expect(JSON.stringify([after.tools, after.system])).toBe(JSON.stringify([before.tools, before.system]));
  expect(JSON.stringify(after.messages).startsWith(JSON.stringify(before.messages).slice(0, -1))).toBe(true);
}

function expectPaired(messages: readonly Message[]): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool_result") {
      expect(message.parts.map((part) => (part.type === "tool_result" ? part.callId : part.type))).toEqual([
        open.shift(),
      ]);
    } else {
      expect(open).toEqual([]);
      open = callsOf(message).map((call) => call.id);
    }
  }
  expect(open).toEqual([]);
}

function toEntry(line: ContextLine): TranscriptEntry {
  return { v: 1, id: "line", ts: TS, ...line };
}

function entry(message: Message): TranscriptEntry {
  return { v: 1, id: `l_${message.id}`, ts: TS, type: "message", message };
}

function said(id: string, role: "user" | "assistant", text: string, more: readonly Part[] = []): TranscriptEntry {
  const origin = role === "user" ? "human" : "model";
  return entry({ id, role, parts: [{ type: "text", text }, ...more], ts: TS, origin });
}

function thought(id: string): TranscriptEntry {
  const opaque = { provider: "p", model: "m", data: { signature: id } };
  return said(id, "assistant", "so be it", [{ type: "reasoning", text: "hm", opaque }]);
}

function shows(id: string, artifactId: string): TranscriptEntry {
  return said(id, "user", "look", [{ type: "image", artifactId, mimeType: "image/jpeg" }]);
}

function asks(id: string, ...callIds: string[]): TranscriptEntry {
  const calls = callIds.map((callId) => ({ id: callId, toolName: "look", arguments: {}, state: "complete" as const }));
  return entry({
    id,
    role: "assistant",
    parts: calls.map((call) => ({ type: "tool_call", call })),
    ts: TS,
    origin: "model",
  });
}

function result(id: string, callId: string, text: string, images: readonly ImagePart[] = []): TranscriptEntry {
  const content = [{ type: "text" as const, text }, ...images];
  const part = { type: "tool_result" as const, callId, toolName: "look", outcome: "ok" as const, content };
  return entry({ id, role: "tool_result", parts: [part], ts: TS, origin: "tool" });
}

function toolTurns(count: number, words: number): readonly TranscriptEntry[] {
  const turns = Array.from({ length: count }, (_, at) => [
    asks(`a${at}`, `c${at}`),
    result(`r${at}`, `c${at}`, "word ".repeat(words)),
  ]);
  return [said("u", "user", "work"), ...turns.flat()];
}

function talk(turns: number, words: number, prefix = ""): readonly TranscriptEntry[] {
  return Array.from({ length: turns }, (_, at) => [
    said(`${prefix}u${at}`, "user", `question ${at} ${"word ".repeat(words)}`),
    ...(at === turns - 1 && turns < 1_000 ? [] : [said(`${prefix}a${at}`, "assistant", `answer ${at}`)]),
  ]).flat();
}

function messagesIn(entries: readonly TranscriptEntry[]): readonly Message[] {
  return entries.flatMap((one) => (one.type === "message" ? [one.message] : []));
}

function thinking(request: LLMRequest): readonly string[] {
  return request.messages.filter(({ parts }) => parts.some((part) => part.type === "reasoning")).map(({ id }) => id);
}

function imageIds(request: LLMRequest): readonly string[] {
  return request.messages.flatMap(({ parts }) => parts.flatMap(imagesIn));
}

function imagesIn(part: Part): readonly string[] {
  if (part.type === "tool_result") return part.content.flatMap(imagesIn);
  return part.type === "image" ? [part.artifactId] : [];
}

function tool(name: string): ToolDefinition {
  return { name, description: `does ${name}`, parameters: { type: "object" } };
}

function summarizerOf(text: string): Summarizer {
  return { summarize: async () => ({ text, usage: usageOf({ outputTokens: 7 }) }) };
}

function usageOf(usage: Partial<Usage>): Usage {
  return { ...NO_USAGE, ...usage };
}
