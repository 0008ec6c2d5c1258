import { type LLMClient, type LLMDelta, type Message, systemClock } from "@vision-agent/agent-core";
import { createTestAgent, type ScriptStep, scriptedModel, testTool } from "@vision-agent/agent-core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AppState } from "./app-state.ts";
import { FALSE_CLAIMS, HONEST_WORDS } from "./claims.data.ts";
import { createTruthfulClient } from "./truthful-client.ts";

const EMPTY: AppState = { cameras: ["street"], pipelines: [], watches: [], tasks: [] };
const COUNTING: AppState = {
  ...EMPTY,
  pipelines: [{ id: "pl_1", name: "street-count", camera: "street", status: "running" }],
};
const NOT_STARTED = "Correction: nothing was started in this turn. No pipeline is running.";

describe("a false claim", () => {
  it("is corrected before it is shown, and so it is kept", async () => {
    const app = build([{ text: "I've started counting on street. There are 3 people.", chunks: 9 }], EMPTY);
    const { events, outcome } = await app.talk("Count people on street");
    const expected = `${NOT_STARTED} There are 3 people.`;
    expect(outcome).toMatchObject({ status: "finished", summary: expected });
    expect(events.flatMap((event) => (event.type === "text_delta" ? [event.text] : [])).join("")).toBe(expected);
    expect(JSON.stringify(await app.options.sessions.read("s1"))).not.toContain("I've started");
    expect(outcome.warnings).toEqual([expect.objectContaining({ code: "claim_corrected" })]);
  });

  it("is corrected once, however often it is made", async () => {
    const text = "I've started it. The pipeline has been started. Anything else?";
    const { outcome } = await build([{ text }], EMPTY).talk("Count people on street");
    expect(outcome).toMatchObject({ summary: `${NOT_STARTED} Anything else?` });
  });

  it("does not disturb a list", async () => {
    const { outcome } = await build([{ text: "So far:\n- I stopped street-count.\n- I see a car.\n" }], COUNTING).talk(
      "Go",
    );
    expect(outcome).toMatchObject({
      summary:
        "So far:\n- Correction: nothing was stopped in this turn. Pipelines now: street-count on street (running).\n- I see a car.\n",
    });
  });

  it.each(FALSE_CLAIMS.filter((_, at) => at % 3 === 0))("is found however the text is cut: %s", async (sentence) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (chunks) => {
        const answer = await say(
          [{ text: `Two cars are in view. ${sentence}`, chunks }],
          /stop|paus|gone|off/i.test(sentence) ? COUNTING : EMPTY,
        );
        expect(answer).toMatch(/^Two cars are in view. (?:- |✅ )?Correction: /);
      }),
      { numRuns: 5 },
    );
  });
});

describe("an honest answer", () => {
  it("passes unchanged after the tool did it", async () => {
    const app = build(
      [{ toolCalls: [{ name: "start_pipeline", args: { video_reference: "street" } }] }, { text: "I've started it." }],
      COUNTING,
    );
    const { outcome } = await app.talk("Count people on street");
    expect(outcome).toMatchObject({ summary: "I've started it.", warnings: [] });
  });

  it("passes unchanged, whatever it describes and however it is cut", async () => {
    const text = HONEST_WORDS.join(" ");
    for (const chunks of [1, 7, 400]) expect(await say([{ text, chunks }], COUNTING, "What is going on?")).toBe(text);
  });

  it("may announce what a call of the same answer does", async () => {
    const step: ScriptStep = { text: "I'm starting the pipeline now.", toolCalls: [{ name: "start_pipeline" }] };
    expect(await say([step], EMPTY)).toBe("I'm starting the pipeline now.");
  });

  it("may show a workflow as it is", async () => {
    const text = "Here it is:\n```json\nI've started it.\n```\nShall I start it?";
    expect(await say([{ text }], EMPTY)).toBe(text);
  });
});

describe("what is said to be over while its call is still to be made", () => {
  it("is marked", async () => {
    const step: ScriptStep = { text: "I've started the pipeline.", toolCalls: [{ name: "start_pipeline" }] };
    expect(await say([step], EMPTY)).toBe("I've started the pipeline. (Not confirmed yet.)");
  });
});

describe("streaming", () => {
  it("shows words as they come where nothing is claimed, and waits for the end of a sentence that claims", async () => {
    const text = "Two red cars near a tree. I've started it. One dog.";
    const deltas = await collect(wrap([{ text, chunks: text.length }], EMPTY));
    const shown = deltas.flatMap((delta) => (delta.type === "text" ? [delta.text] : []));
    expect(shown.slice(0, 3)).toEqual(["Two red cars near ", "a ", "tree. "]);
    expect(shown.join("")).toBe(`Two red cars near a tree. ${NOT_STARTED} One dog.`);
  });

  it("passes on a failure of the model", async () => {
    const client = wrap([{ text: "Two ", error: { kind: "network", code: "reset", message: "gone" } }], EMPTY);
    await expect(client.run(REQUEST, context())).rejects.toMatchObject({ code: "reset" });
  });
});

const REQUEST = { model: "scripted-1", system: [], tools: [], messages: [user("Watch street and tell me when")] };

function build(script: readonly ScriptStep[], app: AppState) {
  const llm = createTruthfulClient({ client: scriptedModel(script), readAppState: async () => app });
  const answer = "Started.\nstreet-count (pl_1) on street: running";
  return createTestAgent(script, { llm, tools: [testTool("start_pipeline", async () => answer)] });
}

function wrap(script: readonly ScriptStep[], app: AppState): LLMClient {
  return createTruthfulClient({ client: scriptedModel(script), readAppState: async () => app });
}

async function say(script: readonly ScriptStep[], app: AppState, asked?: string): Promise<string> {
  const request = asked === undefined ? REQUEST : { ...REQUEST, messages: [user(asked)] };
  return (await wrap(script, app).run(request, context())).content;
}

async function collect(client: LLMClient): Promise<readonly LLMDelta[]> {
  const deltas: LLMDelta[] = [];
  for await (const delta of client.stream(REQUEST, context())) deltas.push(delta);
  return deltas;
}

function context() {
  const timers = { firstEventMs: 1000, idleMs: 1000, attemptMs: 1000 };
  return { signal: new AbortController().signal, clock: systemClock, messageId: "m1", timers };
}

function user(text: string): Message {
  return { id: "u1", role: "user", parts: [{ type: "text", text }], ts: "2026-01-01T00:00:00.000Z", origin: "human" };
}
