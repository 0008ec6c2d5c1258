import { createHash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAgentExecutor } from "./agent/executor.ts";
import type { AgentExecutorOptions } from "./agent/options.ts";
import { createMemoryArtifactStore } from "./artifacts/memory-artifact-store.ts";
import { createMemorySessionStore } from "./session/memory-session-store.ts";
import type { SessionStore, TranscriptEntry } from "./session/session-store.ts";
import { PNG_1X1 } from "./testing/sample-images.ts";
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
  fc.constantFrom("<secret>", "<secret:0123456789a>", "<image image/png 12 bytes>"),
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

const DOT = Buffer.from(PNG_1X1).toString("base64");
const DOT_URL = `data:image/png;base64,${DOT}`;

describe("bytes are kept apart from the conversation", () => {
  it("VI-13 VI-5 in a message, a message on the way and an answer", async () => {
    const ask = testTool("ask", async (_, context) => context.pause({ kind: "ask_user", prompt: "Which?" }));
    const agent = createTestAgent([{ toolCalls: [{ name: "ask", args: {} }] }, { text: "ok" }, { text: "ok" }], {
      tools: [ask],
    });
    const { outcome, events } = await agent.talk(`Look at ${DOT_URL}, please.`);
    const pause = pauseOf(outcome);
    const answer = { kind: "answer", value: `this: ${DOT_URL}`, token: pause.token } as const;
    const run = agent.executor.resume(pause.id, answer, { principal: { userId: "ada" } });
    run.steer(`and this ${DOT_URL}`);
    await run.outcome;
    const lines = JSON.stringify(await agent.options.sessions.read("s1"));
    expect(lines).not.toContain(DOT);
    expect(JSON.stringify([events, agent.llm.requests])).not.toContain(DOT);
    const parts = partsOf(await agent.options.sessions.read("s1"));
    const [stored] = await agent.options.artifacts.list({ scope: { userId: "ada" } });
    const image = { type: "image", artifactId: stored?.id, mimeType: "image/png" };
    const named = `[image/png, ${PNG_1X1.length} bytes, kept as ${stored?.id}]`;
    expect(parts.filter(({ type }) => type === "image")).toEqual([image, image, image]);
    expect(parts).toContainEqual({ type: "text", text: `Look at ${named}, please.` });
    expect(parts).toContainEqual({ type: "text", text: `and this ${named}` });
    expect(parts).toContainEqual(expect.objectContaining({ content: [{ type: "text", text: `this: ${named}` }] }));
  });

  it("VI-13 in whatever a tool gives back: the model is shown the picture", async () => {
    const outputs: readonly [unknown, readonly string[]][] = [
      [PNG_1X1, ["image"]],
      [{ type: "image", data: DOT, mimeType: "image/png" }, ["image"]],
      [DOT_URL, ["text", "image"]],
      [{ screenshot: PNG_1X1, title: "Home" }, ["text", "image"]],
      [
        {
          content: [
            { type: "text", text: "Home" },
            { type: "image", data: DOT, mimeType: "image/png" },
          ],
        },
        ["text", "image"],
      ],
      [{ data: { screenshot: DOT_URL }, text: "Home" }, ["text"]],
    ];
    for (const [output, types] of outputs) {
      const look = testTool("look", async () => output as never);
      const agent = createTestAgent([{ toolCalls: [{ name: "look", args: {} }] }, { text: "ok" }], { tools: [look] });
      const { events } = await agent.talk("look");
      const lines = await agent.options.sessions.read("s1");
      expect(JSON.stringify([lines, events, agent.llm.requests])).not.toContain(DOT.slice(0, 40));
      const [result] = partsOf(lines).filter((part) => part.type === "tool_result");
      expect(result?.content.map(({ type }) => type)).toEqual(types);
      expect(result?.outcome).toBe("ok");
      expect(await agent.options.artifacts.list({ scope: { sessionId: "s1" } })).toHaveLength(1);
    }
  });

  it("VI-13 or are named where the store refuses them", async () => {
    const artifacts = { ...createMemoryArtifactStore(), put: async () => Promise.reject(new Error("disk full")) };
    const look = testTool("look", async () => ({ screenshot: PNG_1X1 }) as never);
    const script = [{ toolCalls: [{ name: "look", args: {} }] }, { text: "ok" }];
    const agent = createTestAgent(script, { tools: [look], artifacts });
    await agent.talk(`look at ${DOT_URL}`);
    const lines = JSON.stringify(await agent.options.sessions.read("s1"));
    expect(lines).not.toContain(DOT);
    expect(lines.match(/could not be kept: [^\]]*disk full/g)?.length).toBeGreaterThanOrEqual(3);
  });
});
