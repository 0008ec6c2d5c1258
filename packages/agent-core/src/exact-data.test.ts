import { createHash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAgentExecutor } from "./agent/executor.ts";
import type { AgentExecutorOptions } from "./agent/options.ts";
import { createMemorySessionStore } from "./session/memory-session-store.ts";
import type { SessionStore, TranscriptEntry } from "./session/session-store.ts";
import { scriptedModel } from "./testing/scripted-model.ts";
import { createTestAgent, type TestAgent, testMessage, testTool } from "./testing/test-agent.ts";
import type { Json } from "./types/json.ts";
import type { PauseRecord } from "./types/message.ts";

const bytes = fc.uint8Array({ minLength: 48, maxLength: 300 }).map((some) => Buffer.from(some));

/** What looks like a secret or a picture, and is a person's own text. */
const lookalike = fc.oneof(
  bytes.map((some) => some.toString("base64")),
  bytes.map((some) => some.toString("base64url")),
  bytes.map((some) => some.toString("hex")),
  bytes.map((some) => some.toString("base64").replace(/.{76}/g, "$&\n")),
  bytes.map((some) => createHash("sha512").update(some).digest("base64")),
  bytes.map((some) => `eyJhbGciOiJIUzI1NiJ9.${some.toString("base64url")}.${some.toString("base64url").slice(0, 43)}`),
  bytes.map((some) => `iVBORw0KGgo${some.toString("base64")}`),
  bytes.map((some) => `data:;base64,${some.toString("base64")}`),
  bytes.map((some) => `data:text/plain,${some.toString("base64url")}`),
  bytes.map((some) => JSON.stringify({ type: "base64", note: some.toString("base64") })),
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom("<secret>", "<secret:0123456789ab>", "<image image/png 12 bytes>"),
);
const text = fc.array(lookalike, { minLength: 1, maxLength: 3 }).map((some) => `The key is ${some.join(" and ")}.`);

describe("what goes through a conversation is exact", () => {
  it("user text, arguments, results and the answer come out as they went in, over an approval and a restart", async () => {
    await fc.assert(
      fc.asyncProperty(text, text, text, text, async (asked, argument, result, answer) => {
        const args = { text: argument, deep: { list: [argument, 1] } };
        const script = [{ toolCalls: [{ name: "work", args }] }, { text: answer }];
        const ran: Json[] = [];
        const work = testTool(
          "work",
          async (given) => {
            ran.push(given);
            return { data: { found: [result] }, text: result };
          },
          { approval: "always" },
        );
        const agent = createTestAgent(script, { tools: [work] });
        const { outcome } = await agent.talk(asked);
        const pause = pauseOf(outcome);
        const sessions = await rewritten(agent.options.sessions);
        const again = restart(agent, { sessions, llm: scriptedModel(script.slice(1)) });
        const resumed = again.executor.resume(
          pause.id,
          { kind: "approve", token: pause.token },
          { principal: { userId: "ada" } },
        );
        expect(await resumed.outcome).toMatchObject({ status: "finished", text: answer });
        expect(ran).toEqual([args]);
        const parts = partsOf(await sessions.read("s1"));
        expect(parts).toContainEqual({ type: "text", text: asked });
        expect(parts).toContainEqual(
          expect.objectContaining({ data: { found: [result] }, content: [{ type: "text", text: result }] }),
        );
        expect(parts).toContainEqual({ type: "text", text: answer });
        const [request] = again.llm.requests;
        expect(request?.messages.flatMap((message) => message.parts)).toContainEqual({ type: "text", text: asked });
      }),
      { numRuns: 40 },
    );
  });

  it("a tool that a crash interrupted runs again with the very arguments", async () => {
    const key = randomBytes(96).toString("base64");
    const begun = Promise.withResolvers<void>();
    const stuck = testTool("work", async () => {
      begun.resolve();
      return new Promise(() => undefined);
    });
    const agent = createTestAgent([{ toolCalls: [{ name: "work", args: { key } }] }], { tools: [stuck] });
    void agent.executor.execute(testMessage("go"));
    await begun.promise;
    const ran: Json[] = [];
    const sessions = await rewritten(agent.options.sessions);
    const note = async (given: Json): Promise<string> => {
      ran.push(given);
      return "done";
    };
    const safe = testTool("work", note, { replay: "safe" });
    await restart(agent, { sessions, tools: [safe] }).executor.recover();
    expect(ran).toEqual([{ key }]);
  });

  it("VI-13 events show a key that was asked for, and no picture", async () => {
    const key = randomBytes(96).toString("base64");
    const picture = `iVBORw0KGgo${randomBytes(96).toString("base64")}`;
    const { events, outcome } = await createTestAgent([{ text: `${key} ${picture}` }]).talk("make a key");
    const shown = JSON.stringify(events);
    expect(shown).toContain(key);
    expect(shown).not.toContain(picture.slice(0, 60));
    expect(outcome).toMatchObject({ text: `${key} ${picture}` });
  });
});

function partsOf(entries: readonly TranscriptEntry[]) {
  return entries.flatMap((entry) => (entry.type === "message" ? entry.message.parts : []));
}

function pauseOf(outcome: object): PauseRecord {
  if ("pause" in outcome) return outcome.pause as PauseRecord;
  throw new Error(`no pause: ${JSON.stringify(outcome)}`);
}

/** What the next process finds: every line as JSON. */
async function rewritten(from: SessionStore): Promise<SessionStore> {
  const to = createMemorySessionStore();
  const key = await from.secret();
  const session = await to.open("s1");
  for (const entry of await from.read("s1")) await session.append(JSON.parse(JSON.stringify(entry)));
  await session.close();
  return { ...to, secret: async () => key };
}

function restart(agent: TestAgent, parts: Partial<AgentExecutorOptions>) {
  const llm = parts.llm ?? agent.llm;
  return {
    executor: createAgentExecutor({ ...agent.options, ...parts }),
    llm: llm as ReturnType<typeof scriptedModel>,
  };
}
