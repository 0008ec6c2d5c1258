import { describe, expect, it } from "vitest";
import type { LLMRequest, ModelProfile } from "../llm/llm-client.ts";
import type { TranscriptEntry } from "../session/session-store.ts";
import type { Message, Part } from "../types/message.ts";
import { type CachePlanInput, planCache } from "./cache-plan.ts";
import { createContextManager } from "./context-manager.ts";

describe("planCache", () => {
  it("VA-6 marks the last tool, the last system block and the last message", () => {
    expect(planCache(inputOf({}))).toEqual({
      breakpoints: [
        { after: "tools", ttl: "5m" },
        { after: { system: "place" }, ttl: "5m" },
        { after: { message: "u2" }, ttl: "5m" },
      ],
      reason: "head for five minutes; rolling end",
    });
  });

  it("keeps the head for an hour when the session rests, the longer time first", () => {
    const plan = planCache(inputOf({ idleGaps: true }));
    expect(plan?.breakpoints.map(({ ttl }) => ttl)).toEqual(["1h", "1h", "5m"]);
    expect(plan?.reason).toContain("because the session rests");
  });

  it("marks the end of the request before too, when the provider would not look back so far", () => {
    const many = Array.from({ length: 16 }, (_, at): Part => ({ type: "text", text: String(at) }));
    const messages = [...MESSAGES, message("a2", "assistant", many), message("u3", "user")];
    const plan = planCache(inputOf({ messages }));
    expect(plan?.breakpoints.slice(-2).map(({ after }) => after)).toEqual([{ message: "u2" }, { message: "u3" }]);
    expect(plan?.breakpoints).toHaveLength(4);
    const fewer = planCache(inputOf({ messages, profile: profileOf({ maxBreakpoints: 2 }) }));
    expect(fewer?.breakpoints.map(({ after }) => after)).toEqual([{ message: "u2" }, { message: "u3" }]);
  });

  it.each<[string, Partial<CachePlanInput>, RegExp]>([
    ["too little", { totalTokens: 300 }, /less than the 512/],
    ["an implicit cache", { profile: profileOf({ kind: "implicit" }) }, /implicit/],
    ["no cache", { profile: profileOf({ kind: "none" }) }, /none/],
  ])("marks nothing for %s, and says why", (_, over, reason) => {
    const plan = planCache(inputOf(over));
    expect(plan?.breakpoints).toEqual([]);
    expect(plan?.reason).toMatch(reason);
  });

  it("leaves a short head unmarked, and plans nothing where nothing is known", () => {
    expect(planCache(inputOf({ prefixTokens: 100 }))?.breakpoints).toEqual([{ after: { message: "u2" }, ttl: "5m" }]);
    const { cache: _cache, ...unknown } = PROFILE;
    expect(planCache(inputOf({ profile: unknown }))).toBeUndefined();
  });

  it("complaint 20: reads 90 % of what is cacheable from the cache in a session of 60 turns", async () => {
    const context = createContextManager({ refOf: () => undefined, budget: { window: 20_000, reserveOutput: 1_000 } });
    const cache = createPrefixCache();
    const entries: TranscriptEntry[] = [];
    let read = 0;
    let cacheable = 0;
    let expected = 0;
    let edits = 0;
    for (let turn = 0; turn < 60; turn++) {
      entries.push(...(turn % 3 === 0 ? [entry(message(`u${turn}`, "user"))] : [entry(resultOf(turn - 1))]));
      const prepared = await context.prepare({
        entries,
        system: [{ id: "rules", text: "rule ".repeat(800), stability: "static" }],
        tools: [],
        profile: PROFILE,
        model: "m",
        signal: new AbortController().signal,
        newMessageId: () => `s${turn}`,
        now: () => TS,
      });
      entries.push(...prepared.lines.map((line): TranscriptEntry => ({ v: 1, id: "line", ts: TS, ...line })));
      edits += prepared.lines.length;
      const seen = cache.send(prepared.request);
      read += seen.read;
      cacheable += seen.cacheable;
      expected += prepared.report.expectedCachedTokens;
      const asked = turn % 3 === 2 ? [] : [call(turn + 1)];
      entries.push(entry(message(`a${turn}`, "assistant", [text("word ".repeat(60)), ...asked])));
    }
    expect(read / cacheable).toBeGreaterThan(0.9);
    expect(edits).toBeGreaterThan(0);
    // The report foretells it in tokens, the cache here counts characters.
    expect((expected * 3.5) / read).toBeGreaterThan(0.75);
    expect((expected * 3.5) / read).toBeLessThan(1.1);
  });
});

/** As the provider does it: a mark stores the prefix up to it, and finds one stored up to twenty blocks before it. */
function createPrefixCache(): { send(request: LLMRequest): { read: number; cacheable: number } } {
  const stored = new Set<string>();
  let last: readonly string[] = [];
  return {
    send(request) {
      const blocks = [
        JSON.stringify(request.tools),
        ...request.system.map((block) => block.text),
        ...request.messages.flatMap((one) => one.parts.map((part) => JSON.stringify([one.role, part]))),
      ];
      const ends = marksOf(request);
      let read = 0;
      for (const end of ends) {
        for (let at = end; at > Math.max(0, end - 20); at--) {
          const prefix = blocks.slice(0, at).join("\n");
          if (!stored.has(prefix)) continue;
          read = Math.max(read, prefix.length);
          break;
        }
      }
      for (const end of ends) stored.add(blocks.slice(0, end).join("\n"));
      const cacheable = last.length === 0 ? 0 : last.join("\n").length;
      last = blocks;
      return { read, cacheable };
    },
  };
}

function marksOf(request: LLMRequest): readonly number[] {
  const head = 1 + request.system.length;
  return (request.cache?.breakpoints ?? []).map(({ after }) => {
    if (after === "tools") return 1;
    if ("system" in after) return 2 + request.system.findIndex(({ id }) => id === after.system);
    const upTo = request.messages.findLastIndex(({ id }) => id === after.message);
    return head + request.messages.slice(0, upTo + 1).reduce((sum, one) => sum + one.parts.length, 0);
  });
}

const TS = "2026-01-01T00:00:00.000Z";
const PROFILE = profileOf({});
const MESSAGES = [message("u1", "user"), message("a1", "assistant"), message("u2", "user")];

function inputOf(over: Partial<CachePlanInput>): CachePlanInput {
  return {
    system: [
      { id: "rules", text: "x", stability: "static" },
      { id: "place", text: "y", stability: "session" },
    ],
    tools: [{ name: "look", description: "looks", parameters: {} }],
    messages: MESSAGES,
    profile: PROFILE,
    prefixTokens: 2_000,
    totalTokens: 5_000,
    idleGaps: false,
    ...over,
  };
}

function profileOf(cache: Partial<NonNullable<ModelProfile["cache"]>>): ModelProfile {
  return {
    id: "m",
    provider: "p",
    contextWindow: 200_000,
    maxOutput: 8_000,
    supportsVision: true,
    supportsTemperature: false,
    cache: { kind: "explicit", minTokens: 512, maxBreakpoints: 4, lookbackBlocks: 20, ...cache },
  };
}

function text(words: string): Part {
  return { type: "text", text: words };
}

function message(id: string, role: Message["role"], parts: readonly Part[] = [text("hello there")]): Message {
  return { id, role, parts, ts: TS, origin: role === "user" ? "human" : "model" };
}

function call(turn: number): Part {
  return { type: "tool_call", call: { id: `c${turn}`, toolName: "look", arguments: {}, state: "complete" } };
}

function resultOf(turn: number): Message {
  const content = [{ type: "text" as const, text: "line ".repeat(200) }];
  const part: Part = { type: "tool_result", callId: `c${turn + 1}`, toolName: "look", outcome: "ok", content };
  return { ...message(`r${turn}`, "tool_result", [part]), origin: "tool" };
}

function entry(one: Message): TranscriptEntry {
  return { v: 1, id: `l_${one.id}`, ts: TS, type: "message", message: one };
}
