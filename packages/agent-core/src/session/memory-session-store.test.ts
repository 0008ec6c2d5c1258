import { describe, expect, it } from "vitest";
import { createTestAgent, testTool } from "../testing.ts";
import { createMemorySessionStore } from "./memory-session-store.ts";

describe("the memory session store with a most number of sessions", () => {
  it("drops the session that was not written to for longest", async () => {
    const sessions = createMemorySessionStore({ maxSessions: 2 });
    const { talk } = createTestAgent(() => ({ text: "ok" }), { sessions });
    for (const sessionId of ["a", "b", "a", "c"]) await talk("Hi", { sessionId });
    expect((await sessions.list()).map(({ id }) => id)).toEqual(["c", "a"]);
  });

  it("keeps what waits for an answer while another can go, and no longer than that", async () => {
    const sessions = createMemorySessionStore({ maxSessions: 2 });
    const pay = testTool("pay", async () => "paid", { approval: "always" });
    const { talk, executor } = createTestAgent(
      (_, number) => (number === 1 ? { toolCalls: [{ name: "pay" }] } : { text: "ok" }),
      { sessions, tools: [pay] },
    );
    await talk("Pay", { sessionId: "waits" });
    for (const sessionId of ["a", "b", "c"]) await talk("Hi", { sessionId });
    const [pause] = await executor.listPaused();
    if (!pause) throw new Error("The pause is gone.");
    const answer = { kind: "approve", token: pause.token } as const;
    const { outcome } = executor.resume(pause.id, answer, { principal: { userId: "ada" } });
    expect(await outcome).toMatchObject({ status: "finished" });
    for (const sessionId of ["d", "e"]) await talk("Hi", { sessionId });
    expect((await sessions.list()).map(({ id }) => id)).toEqual(["e", "d"]);
  });
});
