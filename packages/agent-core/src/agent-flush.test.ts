import { describe, expect, it } from "vitest";
import { createMemorySessionStore, type Flush, randomIds, type SessionStore } from "./index.ts";
import { createFakeClock, createTestAgent, scriptedModel } from "./testing.ts";
import { textOf } from "./types/message.ts";

describe("VA-4 flush on close", () => {
  it("shows what was said in every session that was used, once, and closes twice safely", async () => {
    const { flush, shown } = recorder();
    const agent = createTestAgent(() => ({ text: "ok" }), { flush });
    await agent.talk("one", { sessionId: "a" });
    await agent.talk("two", { sessionId: "b" });
    const [first, second] = await Promise.all([agent.executor.close(), agent.executor.close()]);
    expect(first).toEqual({ flushed: ["a", "b"], failed: [] });
    expect(second).toEqual(first);
    expect(await agent.executor.close()).toEqual({ flushed: [], failed: [] });
    expect(shown).toEqual([
      ["a", "close", ["one", "ok"]],
      ["b", "close", ["two", "ok"]],
    ]);
  });

  it("shows after a restart what came since, and to a compaction nothing that was shown before", async () => {
    const sessions = createMemorySessionStore();
    const before = recorder();
    await open(sessions, before.flush).close(["one"]);
    const after = recorder();
    await open(sessions, after.flush).close(["two"]);
    expect(after.shown).toEqual([["s1", "close", ["two", "ok"]]]);
    const third = recorder();
    const words = "word ".repeat(150);
    const long = Array.from({ length: 12 }, (_, index) => `${index} ${words}`);
    await open(sessions, third.flush, { contextWindow: 3_000, maxOutput: 500 }).close(long);
    expect(third.shown.some(([, reason]) => reason === "compaction")).toBe(true);
    const all = third.shown.flatMap(([, , texts]) => texts);
    expect(all.filter((text) => text !== "ok")).toEqual(long);
  });

  it("of one session, when it ends", async () => {
    const { flush, shown } = recorder();
    const agent = createTestAgent(() => ({ text: "ok" }), { flush });
    await agent.talk("one", { sessionId: "a" });
    await agent.talk("two", { sessionId: "b" });
    expect(await agent.executor.flush("b")).toEqual({ flushed: ["b"], failed: [] });
    expect(shown.map(([sessionId]) => sessionId)).toEqual(["b"]);
  });

  it("takes no longer than it may, says what failed, and leaves every session free", async () => {
    const clock = createFakeClock();
    let begin = (): void => undefined;
    const flush: Flush = (_, { sessionId }) => {
      if (sessionId === "a") throw new TypeError("x is not a function");
      begin();
      return new Promise(() => undefined);
    };
    const agent = createTestAgent(() => ({ text: "ok" }), { flush, clock });
    for (const sessionId of ["a", "b", "c"]) await agent.talk("Hi", { sessionId });
    const begun = Promise.withResolvers<void>();
    begin = begun.resolve;
    const closing = agent.executor.close();
    await begun.promise;
    await clock.advance(20_000);
    const { flushed, failed } = await closing;
    expect(flushed).toEqual([]);
    expect(failed.map(({ sessionId, error }) => [sessionId, error.code])).toEqual([
      ["a", "host_callback"],
      ["b", "flush"],
      ["c", "flush"],
    ]);
    for (const id of ["a", "b", "c"]) await (await agent.options.sessions.open(id)).close();
    expect(clock.sleepers).toBe(0);
  });
});

type Shown = [sessionId: string, reason: string, texts: readonly string[]];

function recorder(): { readonly flush: Flush; readonly shown: readonly Shown[] } {
  const shown: Shown[] = [];
  const flush: Flush = async (messages, { sessionId, reason }) => {
    shown.push([sessionId, reason, messages.map(({ parts }) => textOf(parts))]);
  };
  return { flush, shown };
}

/** A program over these sessions. */
function open(sessions: SessionStore, flush: Flush, profile: Parameters<typeof scriptedModel>[1] = {}) {
  const llm = scriptedModel(
    ({ messages }) => ({ text: "ok", usage: { inputTokens: Math.ceil(JSON.stringify(messages).length / 4) } }),
    profile,
  );
  const agent = createTestAgent([], { sessions, flush, llm, ids: randomIds });
  return {
    /** After these were said. */
    async close(texts: readonly string[]): Promise<void> {
      for (const text of texts) await agent.talk(text);
      await agent.executor.close();
    },
  };
}
