import { describe, expect, it } from "vitest";
import { createAgentExecutor } from "./agent/executor.ts";
import { collectEvents, createTestAgent, testTool } from "./testing/test-agent.ts";
import type { Json, JsonSchema } from "./types/json.ts";
import type { PauseRecord } from "./types/message.ts";

const SECRET = "sk-live-abcdef1234567890";
const PARAMETERS: JsonSchema = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] };

describe("where secrets of the host are hidden", () => {
  it.each([
    ..."message assistant tool_result tool_call tool_intent complete content transfer arguments approval callId".split(
      " ",
    ),
    ..."toolName resume run_started settings principal userId secret string object properties amount intent".split(" "),
    ..."status pauseId paused decision finished call_1 type-a text_delta run_ended approve".split(" "),
  ])("a secret that is the word %s changes no line, no event and no tool of ours", async (word) => {
    const ran: Json[] = [];
    const transfer = testTool("transfer", async (args) => void ran.push(args), {
      approval: "always",
      parameters: PARAMETERS,
    });
    const agent = createTestAgent(
      [{ toolCalls: [{ name: "transfer", id: "call_1", args: { amount: 5 } }] }, { text: "Done." }, { text: "Yes." }],
      { tools: [transfer], secrets: [word] },
    );
    const first = await agent.talk("first words", { dedupeKey: `key-${word}`, principal: { userId: `u-${word}` } });
    expect(first.outcome.status).toBe("paused");
    expect(first.events.map(({ type }) => type)).toContain("run_ended");
    const { pause } = first.outcome as unknown as { readonly pause: PauseRecord };
    const again = createAgentExecutor(agent.options);
    const answer = { kind: "approve", token: pause.token } as const;
    const run = again.resume(pause.id, answer, { principal: { userId: `u-${word}` } });
    await collectEvents(run);
    expect(await run.outcome).toMatchObject({ status: "finished" });
    expect(ran).toEqual([{ amount: 5 }]);
    const next = again.execute({ sessionId: "s1", text: "next", principal: { userId: `u-${word}` } });
    expect(await next.outcome).toMatchObject({ status: "finished", text: "Yes." });
    const request = agent.llm.requests.at(-1);
    expect(request?.tools).toMatchObject([{ name: "transfer", parameters: PARAMETERS }]);
    expect(JSON.stringify(request?.messages)).toContain("first words");
  });

  it("a dedupe key and a user id with a secret in them are found again after a restart", async () => {
    const agent = createTestAgent([{ text: "Once." }, { text: "Twice." }], { secrets: [SECRET] });
    const message = { dedupeKey: `k-${SECRET}`, principal: { userId: `u-${SECRET}` } };
    await agent.talk("pay", message);
    const again = createAgentExecutor(agent.options).execute({ sessionId: "s1", text: "pay", ...message });
    expect(await again.outcome).toMatchObject({ status: "finished", text: "Once." });
    expect(agent.llm.requests).toHaveLength(1);
  });

  it("a call whose secret is no longer known is refused, after a restart too", async () => {
    const ran: Json[] = [];
    const tools = [
      testTool("login", async (args) => void ran.push(args), { approval: "always", secretArguments: ["password"] }),
    ];
    const agent = createTestAgent([{ toolCalls: [{ name: "login", args: { password: SECRET } }] }, { text: "Oh." }], {
      tools,
      secrets: [SECRET],
    });
    const { outcome } = await agent.talk(`use ${SECRET}`);
    const { pause } = outcome as unknown as { readonly pause: PauseRecord };
    const again = createAgentExecutor({ ...agent.options, secrets: ["another-secret"] });
    const answer = { kind: "approve", token: pause.token } as const;
    await again.resume(pause.id, answer, { principal: { userId: "ada" } }).outcome;
    expect(ran).toEqual([]);
    expect(JSON.stringify(agent.llm.requests.at(-1))).toMatch(
      /The secret for <secret:[0-9a-f]{12}> is no longer known\./,
    );
  });

  it("arguments of any depth reach the tool as they were", async () => {
    let deep: Json = SECRET;
    for (let depth = 0; depth < 3_000; depth++) deep = [deep];
    const ran: Json[] = [];
    const tools = [testTool("take", async (args) => void ran.push(args), { secretArguments: ["deep"] })];
    const agent = createTestAgent([{ toolCalls: [{ name: "take", args: { deep } }] }, { text: "Done." }], {
      tools,
      secrets: [SECRET],
    });
    await agent.talk("go");
    let inner: unknown = (ran[0] as { readonly deep: Json }).deep;
    while (Array.isArray(inner)) inner = inner[0];
    expect(inner).toBe(SECRET);
    expect(JSON.stringify(await agent.options.sessions.read("s1"))).not.toContain(SECRET);
  });

  it("options for the provider have the secret before and after a pause, and the disk has a token", async () => {
    const tools = [testTool("act", async () => "done", { approval: "always" })];
    const agent = createTestAgent([{ toolCalls: [{ name: "act" }] }, { text: "Done." }], { tools, secrets: [SECRET] });
    const providerOptions = { mcp_servers: [{ url: "https://tools.example", authorization_token: SECRET }] };
    const { outcome } = await agent.talk("go", { config: { providerOptions } });
    const { pause } = outcome as unknown as { readonly pause: PauseRecord };
    const again = createAgentExecutor(agent.options);
    await again.resume(pause.id, { kind: "approve", token: pause.token }, { principal: { userId: "ada" } }).outcome;
    expect(agent.llm.requests.map(({ config }) => config?.providerOptions)).toEqual([providerOptions, providerOptions]);
    expect(JSON.stringify(await agent.options.sessions.read("s1"))).not.toContain(SECRET);
  });

  it("the path of an environment change and the pattern of a schema are on disk with a token", async () => {
    const path = `/extensions/${SECRET}`;
    const env = [
      { op: "set", path, value: 1 },
      { op: "remove", path },
    ] as const;
    const tools = [testTool("act", async () => ({ data: 1, text: "x", env }))];
    const agent = createTestAgent([{ toolCalls: [{ name: "act" }] }, { text: '{"a":""}' }], {
      tools,
      secrets: [SECRET],
    });
    const schema = { type: "object", properties: { a: { type: "string", pattern: `^(${SECRET})?` } } };
    await agent.talk("go", { config: { output: { name: "o", schema } } });
    const lines = JSON.stringify(await agent.options.sessions.read("s1"));
    expect(lines).toMatch(/"path":"\/extensions\/<secret:[0-9a-f]{12}>"/);
    expect(lines).toMatch(/"pattern":"\^\(<secret:[0-9a-f]{12}>\)\?"/);
    expect(lines).not.toContain(SECRET);
  });

  it("tools, schemas and what was said before a secret was known go to the model without it", async () => {
    let secrets: readonly string[] = [];
    const parameters = {
      type: "object",
      properties: { description: { type: "string", default: SECRET, description: `like ${SECRET}` } },
    } as const;
    const tools = [testTool("look", async () => "ok", { description: `uses ${SECRET}`, parameters })];
    const agent = createTestAgent([{ text: "Yes." }, { text: '{"a":1}' }], { tools, secrets: () => secrets });
    await agent.talk(`keep ${SECRET}`);
    secrets = [SECRET];
    const schema = { type: "object", properties: { a: { type: "number", description: SECRET } } } as const;
    await agent.talk("again", { config: { output: { name: "answer", schema } } });
    secrets = [];
    await agent.talk("and again");
    for (const request of agent.llm.requests.slice(1)) expect(JSON.stringify(request)).not.toContain(SECRET);
    expect(agent.llm.requests[1]?.tools[0]?.parameters).toMatchObject({
      properties: { description: { type: "string" } },
    });
  });

  it("a secret that is no longer named stays one while an answer streams", async () => {
    let secrets: readonly string[] = [SECRET];
    const agent = createTestAgent(
      (_, call) => {
        if (call === 2) secrets = [];
        return { text: `It is ${SECRET}.`, chunks: 20 };
      },
      { secrets: () => secrets },
    );
    await agent.talk("one");
    const { events } = await agent.talk("two");
    const shown = events.flatMap((event) => (event.type === "text_delta" ? [event.text] : [])).join("");
    expect(shown).toMatch(/^It is <secret:[0-9a-f]{12}>\.$/);
  });

  it("provider data with a secret in it is left out with a warning, and lookalikes in tool data are hidden", async () => {
    const opaque = { provider: "scripted", data: { thought: `hm ${SECRET}` } };
    const lookalike = { type: "provider", opaque: { key: SECRET } };
    const agent = createTestAgent([{ toolCalls: [{ name: "look" }] }, { text: "Done." }, { text: "Yes." }], {
      tools: [testTool("look", async () => ({ found: lookalike }))],
      secrets: [SECRET],
    });
    const { llm } = agent.options;
    const signing: typeof llm = {
      ...llm,
      stream: (request, context) => {
        const stream = llm.stream(request, context);
        const result = async () => {
          const response = await stream.result();
          const parts = [{ type: "reasoning", text: "hm", opaque } as const, ...response.message.parts];
          return { ...response, message: { ...response.message, parts } };
        };
        return { [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](), result };
      },
    };
    const executor = createAgentExecutor({ ...agent.options, llm: signing });
    const run = executor.execute({ sessionId: "s1", text: "go", principal: { userId: "ada" } });
    const events = await collectEvents(run);
    const lines = await agent.options.sessions.read("s1");
    for (const told of [lines, events, agent.llm.requests, await run.outcome]) {
      expect(JSON.stringify(told)).not.toContain(SECRET);
    }
    expect(JSON.stringify(lines)).toContain('"opaque":{"key":"<secret:');
    expect((await run.outcome).warnings).toMatchObject([{ code: "reasoning_dropped" }, { code: "reasoning_dropped" }]);
  });
});
