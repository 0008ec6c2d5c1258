import { getEventListeners } from "node:events";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "./anthropic.ts";
import {
  type AgentErrorOptions,
  type AgentEvent,
  type AgentExecutor,
  type Clock,
  createAgentExecutor,
  createMemoryArtifactStore,
  createMemorySessionStore,
  createToolRegistry,
  type Message,
  type RunHandle,
  type SessionStore,
  type StopReason,
  systemClock,
  type Tool,
} from "./index.ts";
import {
  type AnthropicLoopback,
  createCountingIds,
  createTestAgent,
  type LoopbackReply,
  PNG_1X1,
  type ScriptStep,
  startAnthropicLoopback,
  testTool,
  untilEvent,
  type WireRequest,
} from "./testing.ts";

/** Thinks and looks twice when a person spoke, answers when it has looked. */
function reply({ messages }: WireRequest): LoopbackReply {
  const hasLooked = JSON.stringify(messages.at(-1)?.content).includes("tool_result");
  if (hasLooked)
    return {
      blocks: [
        { type: "thinking", text: "I see" },
        { type: "text", text: "All is quiet." },
      ],
    };
  const looks = ["gate", "door"].map((at) => ({ type: "tool_use", name: "look", input: { at } }) as const);
  return { blocks: [{ type: "thinking", text: "Two places" }, { type: "text", text: "Looking." }, ...looks] };
}

describe("against a strict server", () => {
  let server: AnthropicLoopback;
  beforeAll(async () => {
    let asked = 0;
    const unique = (request: WireRequest): LoopbackReply => {
      asked += 1;
      const blocks = reply(request).blocks.map((block, index) =>
        block.type === "tool_use" ? { ...block, id: `toolu_${asked}_${index}` } : block,
      );
      return { blocks };
    };
    server = await startAnthropicLoopback({ script: unique });
  });
  afterAll(() => server.close());

  const build = (sessions: SessionStore, artifacts = createMemoryArtifactStore()): AgentExecutor => {
    return createAgentExecutor({
      llm: createAnthropicClient({ apiKey: server.apiKey, baseURL: server.url }),
      model: DEFAULT_ANTHROPIC_MODEL,
      tools: [look],
      sessions,
      artifacts,
      prompt: {
        system: async () => [{ id: "who", text: "Be brief.", stability: "static" }],
        state: async () => "calm",
      },
      clock: systemClock,
      ids: createCountingIds(),
    });
  };

  it("SC-18 holds a conversation with thinking, two calls a turn, pictures and steering", async () => {
    const executor = build(createMemorySessionStore());
    for (const text of ["Is it quiet?", "And now?", "Still?"]) {
      const images = [{ bytes: PNG_1X1, mediaType: "image/png" }];
      const run = executor.execute({ ...message(text), images });
      run.steer("Be quick");
      const events = await collect(run);
      expect(await run.outcome).toMatchObject({ status: "finished", text: "All is quiet." });
      expect(events.filter(({ type }) => type === "tool_result")).toHaveLength(2);
    }
    expect(server.refusals).toEqual([]);
  });

  it("invariant 1: a session goes on after a cancel at any event", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 26 }), async (seq) => {
        const executor = build(createMemorySessionStore());
        const run = executor.execute(message("Is it quiet?"));
        for await (const event of run) if (event.seq >= seq) break;
        await run.cancel();
        const next = executor.execute(message("And now?"));
        expect(await next.outcome).toMatchObject({ status: "finished" });
        expect(server.refusals).toEqual([]);
      }),
      { numRuns: 26, seed: 1 },
    );
  });

  it("invariant 1: a session goes on after the program died at any line", async () => {
    for (let lines = 0; lines <= 7; lines++) {
      const [sessions, artifacts] = [createMemorySessionStore(), createMemoryArtifactStore()];
      const dying = build(failAfter(sessions, lines), artifacts);
      await dying.execute(message("Is it quiet?")).outcome;
      const next = build(sessions, artifacts).execute(message("And now?"));
      expect(await next.outcome).toMatchObject({ status: "finished" });
      expect(server.refusals).toEqual([]);
    }
  });

  it("VI-11 a session goes on although its pictures were lost and the thinking after them no longer holds", async () => {
    const sessions = createMemorySessionStore();
    await build(sessions).execute(message("Is it quiet?")).outcome;
    const { length: before } = server.refusals;
    const next = build(sessions).execute(message("And now?"));
    const { status, warnings } = await next.outcome;
    expect(status).toBe("finished");
    expect(warnings.map(({ code }) => code).join()).toMatch(/reasoning_dropped.*image_unavailable/);
    const refused = server.refusals.slice(before).map((refusal) => refusal.message);
    expect(refused.filter((text) => !text.includes("signature"))).toEqual([]);
    expect(refused).not.toHaveLength(0);
  });
});

const CALLS = [
  { name: "look", args: { at: "gate" } },
  { name: "look", args: {} },
  { name: "fail" },
  { name: "ask" },
  { name: "nobody" },
] as const;

const ERRORS: readonly AgentErrorOptions[] = [
  { kind: "network", code: "reset", message: "gone", retryable: true },
  { kind: "invalid", code: "auth", message: "no" },
  { kind: "agent", code: "context_overflow", message: "long" },
  { kind: "invalid", code: "reasoning_binding", message: "signature" },
];

describe("any script", () => {
  const step: fc.Arbitrary<ScriptStep> = fc.oneof(
    fc.record({ text: fc.string({ maxLength: 12 }), chunks: fc.integer({ min: 1, max: 4 }) }),
    fc.record({
      thinking: fc.constant("Hm"),
      toolCalls: fc.array(fc.constantFrom(...CALLS), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ text: fc.constant("par"), error: fc.constantFrom(...ERRORS) }),
    fc.record({
      text: fc.constant("x"),
      stop: fc.constantFrom<StopReason[]>("max_tokens", "refusal", "pause", "tool_use", "context_exceeded"),
    }),
  );
  const cancelAt = fc.option(fc.integer({ min: 1, max: 30 }));

  it("invariant 6: comes to an outcome, and leaves no timer, no listener and no event behind", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), cancelAt, async (script, seq) => {
        const clock = createCountingClock();
        const { signal } = new AbortController();
        const agent = createTestAgent(script, { clock, tools: REGISTRY, random: () => 0 });
        const run = agent.executor.execute({ ...message("Hi"), signal });
        await cancelAtSeq(run, seq);
        const { status } = await run.outcome;
        expect(["finished", "stopped", "failed", "cancelled", "paused"]).toContain(status);
        expect(getEventListeners(signal, "abort")).toHaveLength(0);
        expect(clock.asleep()).toBe(0);
        const events = await collect(run);
        await new Promise(setImmediate);
        expect(await collect(run)).toEqual(events);
        expect(events.at(-1)?.type).toBe("run_ended");
      }),
      { numRuns: 50, seed: 6 },
    );
  });

  it("invariant 1: leaves a conversation in which every call has exactly one result, next to it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), cancelAt, fc.boolean(), async (script, seq, steers) => {
        const agent = createTestAgent(script, { clock: createCountingClock(), tools: REGISTRY, random: () => 0 });
        const run = agent.executor.execute(message("Hi"));
        if (steers) run.steer("Be quick");
        await cancelAtSeq(run, seq);
        await run.outcome;
        const next = createTestAgent([{ text: "ok" }], { sessions: agent.options.sessions, tools: REGISTRY });
        await next.talk("And now?");
        expect(unpaired(next.llm.requests[0]?.messages ?? [])).toEqual([]);
      }),
      { numRuns: 50, seed: 1 },
    );
  });

  it("invariant 9: numbers its events densely, and what comes after k completes what was seen up to k", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), fc.nat(40), async (script, k) => {
        const agent = createTestAgent(script, { clock: createCountingClock(), tools: REGISTRY, random: () => 0 });
        const run = agent.executor.execute(message("Hi"));
        const live = await collect(run);
        expect(live.map(({ seq }) => seq)).toEqual(live.map((_, index) => index + 1));
        expect([...live.slice(0, k), ...(await collect(run.events({ afterSeq: k })))]).toEqual(live);
      }),
      { numRuns: 30, seed: 9 },
    );
  });
});

describe("cancelling", () => {
  it("invariant 7: a stalled server", async () => {
    const server = await startAnthropicLoopback({
      script: [{ blocks: [{ type: "text", text: "Hello there" }] }],
      faults: [{ kind: "stall", afterEvent: 3 }],
    });
    const artifacts = createMemoryArtifactStore();
    const llm = createAnthropicClient({ apiKey: server.apiKey, baseURL: server.url });
    const agent = createTestAgent([], { llm, model: DEFAULT_ANTHROPIC_MODEL, artifacts, clock: systemClock });
    const run = agent.executor.execute(message("Hi"));
    await untilEvent(run, "request");
    expect(await cancelMs(run)).toBeLessThanOrEqual(50);
    await server.close();
  });

  it("invariant 7: a wait between attempts", async () => {
    const retry = { baseMs: 60_000, capMs: 60_000 };
    const agent = createTestAgent([{ error: ERRORS[0] }], { clock: systemClock, random: () => 0.9, retry });
    const run = agent.executor.execute(message("Hi"));
    await untilEvent(run, "retry");
    expect(await cancelMs(run)).toBeLessThanOrEqual(50);
  });

  it("invariant 7: a tool that listens", async () => {
    const agent = createTestAgent([{ toolCalls: [{ name: "listen" }] }], { clock: systemClock, tools: REGISTRY });
    const run = agent.executor.execute(message("Hi"));
    await untilEvent(run, "tool_call");
    expect(await cancelMs(run)).toBeLessThanOrEqual(50);
  });

  it("invariant 7: a tool that does not listen is left behind after a while, and that is written down", async () => {
    const deaf = testTool("deaf", () => new Promise(() => undefined));
    const agent = createTestAgent([{ toolCalls: [{ name: "deaf" }] }], { clock: systemClock, tools: [deaf] });
    const run = agent.executor.execute(message("Hi"));
    await untilEvent(run, "tool_call");
    expect(await cancelMs(run)).toBeLessThan(1_000);
    expect((await run.outcome).warnings).toEqual([expect.objectContaining({ code: "tool_abandoned" })]);
    expect(JSON.stringify(await agent.options.sessions.read("s1"))).toContain("may still be running");
  });
});

/** Cancels in the middle, unless it is null or the run is quicker. */
async function cancelAtSeq(run: RunHandle, seq: number | null): Promise<void> {
  if (seq === null) return;
  for await (const event of run) if (event.seq >= seq) break;
  await run.cancel();
}

/** From the word to the outcome. */
async function cancelMs(run: RunHandle): Promise<number> {
  const started = performance.now();
  await run.cancel();
  return performance.now() - started;
}

/** The machine's clock, which knows who sleeps. */
function createCountingClock(): Clock & { asleep(): number } {
  let count = 0;
  return {
    ...systemClock,
    asleep: () => count,
    async sleep(ms, signal) {
      count += 1;
      try {
        await systemClock.sleep(ms, signal);
      } finally {
        count -= 1;
      }
    },
  };
}

/** Ids of messages whose calls are not answered by the next messages, in their order. */
function unpaired(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((sent, index) => {
    const asked = sent.parts.flatMap((part) => (part.type === "tool_call" ? [part.call.id] : []));
    const next = messages.slice(index + 1, index + 1 + asked.length).flatMap(({ parts }) => parts);
    const answered = next.flatMap((part) => (part.type === "tool_result" ? [part.callId] : []));
    return asked.join() === answered.join() ? [] : [sent.id];
  });
}

const look: Tool<{ readonly at: string }> = {
  name: "look",
  description: "Looks at a place.",
  parameters: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
  annotations: { readOnly: true },
  execute: async ({ at }, context) => ({
    content: [
      { type: "text", text: `${at}: quiet` },
      await context.putImage(PNG_1X1, { mimeType: "image/png", alt: at }),
    ],
  }),
};

const TOOLS: readonly Tool[] = [
  look,
  testTool("fail", () => Promise.reject(new Error("broken"))),
  testTool("ask", async (_, context) => context.pause({ kind: "ask_user", prompt: "?" })),
  testTool("listen", (_, { signal }) => new Promise((_done, fail) => signal.addEventListener("abort", fail))),
];

/** Shared: compiling schemas takes longer than a whole run. */
const REGISTRY = createToolRegistry(TOOLS);

function message(text: string) {
  return { sessionId: "s1", text, principal: { userId: "ada" } };
}

async function collect(run: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

/** Writes so many lines and then no more, like a program that was killed. */
function failAfter(sessions: SessionStore, lines: number): SessionStore {
  let written = 0;
  return {
    ...sessions,
    open: async (id) => {
      const session = await sessions.open(id);
      const append: typeof session.append = async (entry) => {
        if (written++ >= lines) throw new Error("killed");
        return session.append(entry);
      };
      return { ...session, append };
    },
  };
}
