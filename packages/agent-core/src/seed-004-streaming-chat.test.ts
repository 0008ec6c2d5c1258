import { describe, expect, it } from "vitest";
import { createJobSpec, createJobs, createMemoryJobStore, type JobEvent } from "./jobs.ts";
import { encodeSse, readSse, toSimpleSse } from "./protocols.ts";
import { createFakeClock } from "./testing/fake-clock.ts";
import type { ScriptStep } from "./testing/scripted-model.ts";
import { createTestAgent, testTool } from "./testing/test-agent.ts";
import type { Json } from "./types/json.ts";

const MINUTE = 60_000;
const START = Date.parse("2026-06-01T12:00:00Z");
const principal = { userId: "ada" };

describe("streaming chat", () => {
  it("SC-6 SC-7 SC-8 sends token, tool_start, tool_complete, token and done, as the page of the seed reads them", async () => {
    const { talk } = createTestAgent(
      [
        {
          text: "Let me check that action. ",
          toolCalls: [{ name: "get_action_details", args: { actionId: "a1" } }],
          chunks: 2,
        },
        { text: "It is due on Monday.", chunks: 2 },
      ],
      { tools: [testTool("get_action_details", async () => ({ actionId: "a1", state: "scheduled" }))] },
    );
    const { events } = await talk("When is it due?", { config: { maxTokens: 2_048 } });
    const bytes = events.flatMap(toSimpleSse).map(encodeSse).join("");
    const seen: { type: string; [key: string]: Json }[] = [];
    for await (const { data } of readSse(streamOf(bytes))) seen.push(data as (typeof seen)[number]);
    // What `sendMessage` of the seed does with them.
    const appended = seen.flatMap((data) => (data.type === "token" ? [data.text] : [])).join("");
    expect(appended).toBe("Let me check that action. It is due on Monday.");
    expect(seen.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])).toEqual([
      "start",
      "token",
      "tool_start",
      "tool_complete",
      "token",
      "done",
    ]);
    expect(seen.find(({ type }) => type === "tool_start")).toMatchObject({ tool: "get_action_details" });
    expect(seen.at(-1)).toEqual({ type: "done", signals: [], fullResponse: "It is due on Monday." });
  });

  it("SC-4 SC-13 detects the three signals of the seed at the end of the stream", async () => {
    const text = [
      "I will do that.",
      'GENERATE_ACTIONS: [{"name":"Digest","scheduleTime":"2026-06-01T13:00:00Z","taskConfig":{"instructions":"Write the digest."}}]',
      'GENERATE_ASSET: {"title":"Plan"}',
      'STORE_MEASUREMENT: {"name":"weight","value":72}',
    ].join("\n");
    const { talk, llm } = createTestAgent([{ text }]);
    const { events } = await talk("Plan my week.", { config: { maxTokens: 2_048 } });
    const done = events.flatMap(toSimpleSse).at(-1)?.data as { signals: { type: string; data: Json }[] };
    expect(done.signals.map(({ type }) => type)).toEqual(["GENERATE_ACTIONS", "GENERATE_ASSET", "STORE_MEASUREMENT"]);
    expect(llm.requests[0]?.config?.maxTokens).toBe(2_048);
  });
});

describe("actions", () => {
  const digest = {
    name: "Weekly digest",
    state: "scheduled",
    scheduleTime: "2026-06-01T13:00:00Z",
    taskConfig: { instructions: "Write the weekly digest." },
  };

  it("SC-10 SC-11 SC-14 SC-15 runs an action at its scheduleTime with its taskConfig.instructions, not before", async () => {
    const agent = openScheduler([
      { text: `Planned. GENERATE_ACTIONS: ${JSON.stringify([digest])}` },
      { text: "The digest: all is well." },
    ]);
    await agent.jobs.upsert(createJobSpec({ id: "plan", kind: "action", instructions: "Plan the week.", principal }));
    agent.jobs.start();
    await agent.jobs.runNow("plan");
    await agent.advance(15 * MINUTE);
    const [, action] = await agent.jobs.list();
    expect(action).toMatchObject({
      kind: "action",
      trigger: { type: "at", time: "2026-06-01T13:00:00Z" },
      taskConfig: { instructions: "Write the weekly digest." },
      parent: { jobId: "plan" },
    });
    const history = () => agent.jobs.history(action?.id ?? "", 1);
    expect(await history()).toMatchObject([{ state: "scheduled" }]);
    expect(agent.llm.requests).toHaveLength(1);
    await agent.advance(45 * MINUTE);
    expect(await history()).toMatchObject([{ state: "completed", output: { text: "The digest: all is well." } }]);
    expect(JSON.stringify(agent.llm.requests[1]?.messages)).toContain("Write the weekly digest.");
    await agent.jobs.stop();
  });

  it("SC-11 SC-12 a scheduler that wakes every 15 minutes finds what is due, and an action can be run by hand", async () => {
    const agent = openScheduler([{ text: "Once." }, { text: "By hand." }]);
    const trigger = { type: "at", time: "2026-06-01T12:20:00Z" } as const;
    await agent.jobs.upsert(createJobSpec({ id: "a1", kind: "action", instructions: "Research.", principal, trigger }));
    agent.jobs.start();
    await agent.advance(15 * MINUTE);
    expect(agent.llm.requests).toHaveLength(0);
    await agent.advance(15 * MINUTE);
    expect(agent.llm.requests).toHaveLength(1);
    await agent.jobs.runNow("a1");
    await agent.advance(0);
    expect((await agent.jobs.history("a1", 5)).map(({ state, output }) => [state, output?.text])).toEqual([
      ["completed", "By hand."],
      ["completed", "Once."],
    ]);
    await agent.jobs.stop();
  });

  it("SC-14 refuses an action whose time cannot be read, and runs nothing at once", async () => {
    const agent = openScheduler([
      { text: `GENERATE_ACTIONS: ${JSON.stringify([{ ...digest, scheduleTime: "tomorrow 9am" }])}` },
    ]);
    await agent.jobs.upsert(createJobSpec({ id: "plan", kind: "action", instructions: "Plan the week.", principal }));
    agent.jobs.start();
    await agent.jobs.runNow("plan");
    await agent.advance(60 * MINUTE);
    expect(agent.llm.requests).toHaveLength(1);
    expect(agent.events.find(({ type }) => type === "action_refused")).toMatchObject({
      error: { code: "bad_job", message: expect.stringContaining('"tomorrow 9am" is not a time') },
    });
    await agent.jobs.stop();
  });
});

function openScheduler(script: readonly ScriptStep[]) {
  const clock = createFakeClock(START);
  const { executor, options, llm } = createTestAgent(script, { clock });
  const events: JobEvent[] = [];
  const jobs = createJobs({
    executor,
    clock,
    ids: options.ids,
    store: createMemoryJobStore(),
    onEvent: (event) => events.push(event),
  });
  const advance = async (ms: number): Promise<void> => {
    for (let round = 0; round < 20; round++) await clock.advance(0);
    await clock.advance(ms);
    for (let round = 0; round < 20; round++) await clock.advance(0);
  };
  return { jobs, events, llm, advance };
}

function streamOf(text: string): ReadableStream<Uint8Array> {
  return new Blob([text]).stream();
}
