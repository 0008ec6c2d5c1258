import { getEventListeners } from "node:events";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "./anthropic.ts";
import {
  type AgentEvent,
  type AgentExecutor,
  createAgentExecutor,
  createMemoryArtifactStore,
  createMemorySessionStore,
  type SessionStore,
  systemClock,
  type Tool,
} from "./index.ts";
import {
  type AnthropicLoopback,
  createCountingIds,
  createFakeClock,
  type LoopbackReply,
  PNG_1X1,
  scriptedModel,
  startAnthropicLoopback,
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
      llm: createAnthropicClient({ apiKey: server.apiKey, baseURL: server.url, artifacts }),
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
      expect(await run.outcome).toMatchObject({ status: "finished", summary: "All is quiet." });
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
    expect(warnings.join("\n")).toMatch(/reasoning_dropped.*image_unavailable/s);
    expect(server.refusals.slice(before)).toMatchObject([{ message: expect.stringContaining("signature") }]);
  });
});

describe("after a run", () => {
  it("invariant 6: no listener and no timer is left", async () => {
    const clock = createFakeClock();
    const { signal } = new AbortController();
    const executor = createAgentExecutor({
      llm: scriptedModel([{ toolCalls: [{ name: "look", args: { at: "gate" } }] }, { text: "ok" }]),
      model: "scripted-1",
      tools: [look],
      sessions: createMemorySessionStore(),
      artifacts: createMemoryArtifactStore(),
      prompt: { system: async () => [], state: async () => "" },
      clock,
      ids: createCountingIds(),
    });
    await executor.execute({ ...message("Hi"), signal }).outcome;
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(clock.sleepers).toBe(0);
  });
});

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
