import type { CallContext, LLMRequest, LLMResponse, Message, Tool, ToolContext } from "@vision-agent/agent-core";
import type { PipelineStatus } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { createCaptureFrameTool } from "../../tools/capture-frame.ts";
import { fakeCameras, fakePicture, fakePipelines, fakeResult, fakeStatus, SPEC } from "../../tools/fake-house.ts";
import { createGetPipelineResultsTool } from "../../tools/get-pipeline-results.ts";
import { createListPipelinesTool } from "../../tools/list-pipelines.ts";
import { createStartPipelineTool } from "../../tools/start-pipeline.ts";
import { createStopPipelineTool } from "../../tools/stop-pipeline.ts";
import { composeStarted } from "./compose-answer.ts";
import { createOfflineClient, OFFLINE_MODEL } from "./offline-client.ts";

describe("the offline interpreter", () => {
  it("says what it sees with the right counts, and that the scene is simulated", async () => {
    const { ask } = house();
    expect(await ask("What do you see on street?")).toBe(
      "On street I see 3 people and 1 car. (Simulated: sim/truth reads the scene's script, no detector looked.)",
    );
  });

  it("answers a question about one thing with yes or no", async () => {
    const { ask } = house();
    expect(await ask("Is there a car on street?")).toMatch(/^Yes, 1 car\. On street I see/);
    expect(await ask("Are there any dogs on street?")).toMatch(/^No dogs on street at this moment\./);
  });

  it("answers a question for a figure with the figure", async () => {
    const { ask } = house();
    expect(await ask("How many people are on street?")).toMatch(/^3 people on street at this moment\. On street I see/);
    expect(await ask("How many dogs are on street?")).toMatch(/^No dogs on street at this moment\./);
  });

  it("names the cameras", async () => {
    expect(await house().ask("which cameras do you have?")).toBe("There are 2 cameras: street and dock.");
  });

  it("promises no more alerts than come", () => {
    const text = "Started.\nstreet-person-count (pl_1) on street: starting, 0.0 fps, 0 frames, 0 left out.";
    const started = composeStarted(
      { kind: "count", camera: "street", classes: ["person"], line: "vertical", alert: true },
      { tool: "start_pipeline", ok: true, text },
    );
    expect(started).toMatch(/as street-person-count\. I will tell you when one crosses; crossings close together/);
  });

  it("promises of a model and of itself only what is so", async () => {
    const { ask } = house();
    expect(await ask("pause street")).toMatch(/^I cannot pause or resume by words\. Stopping and starting/);
    expect(await ask("how many crossed on dock?")).toMatch(/^Nothing counts on dock at the moment\. Say "count/);
  });

  it("counts across the middle, in pixels of the camera's own frame", async () => {
    const { ask, pipelines, calls } = house();
    const answer = await ask("count people crossing the middle of the street camera");
    expect(answer).toMatch(
      /^I am counting people crossing a vertical line through the middle .* on street now, as street-person-count\./,
    );
    expect(calls).toEqual(["capture_frame", "start_pipeline"]);
    expect(pipelines.started[0]?.spec).toMatchObject({
      steps: [
        {
          type: "count",
          classes: ["person"],
          line: [
            [640, 0],
            [640, 720],
          ],
        },
      ],
    });
  });

  it("watches and has a person told", async () => {
    const { ask, pipelines } = house();
    expect(await ask("watch dock for people")).toContain("I am watching dock for people now, as dock-person-watch");
    expect(pipelines.started[0]).toMatchObject({ name: "dock-person-watch", alertOn: ["appeared"] });
  });

  it("does not start twice what runs already, and says how it stands", async () => {
    const { ask, pipelines, calls } = house({ running: [counting] });
    expect(await ask("count everything on street")).toMatch(
      /^That runs already, as street-count\. street-count: 6 crossed the line since it started/,
    );
    expect(calls).toEqual(["get_pipeline_results"]);
    expect(pipelines.started).toEqual([]);
    expect(await ask("count cars crossing the top of street")).toContain("as street-top-car-count.");
  });

  it("gives the totals of what counts", async () => {
    const { ask } = house({ running: [counting] });
    expect(await ask("How many people crossed?")).toMatch(
      /^street-count: 6 crossed the line since it started, 4 in and 2 out\. In view now: 3 people and 1 car\./,
    );
  });

  it("lists what runs", async () => {
    const { ask } = house({ running: [counting] });
    expect(await ask("What is running?")).toBe("1 pipeline:\n- street-count on street: running");
    expect(await house().ask("What is running?")).toBe("No pipeline is running.");
  });

  it("stops everything with calls side by side and says what is left", async () => {
    const { ask, pipelines, calls } = house({ running: [counting, watching] });
    expect(await ask("stop everything")).toBe("Stopped street-count and dock-watch. No pipeline is running.");
    expect(calls).toEqual(["list_pipelines", "stop_pipeline", "stop_pipeline"]);
    expect(pipelines.list()).toEqual([]);
  });

  it("stops the one that is named and no other", async () => {
    const { ask, pipelines } = house({ running: [counting, watching] });
    expect(await ask("stop street-count")).toBe("Stopped street-count. Still running: dock-watch.");
    expect(pipelines.list().map(({ name }) => name)).toEqual(["dock-watch"]);
  });

  it("asks which one when the words fit none", async () => {
    const { ask } = house({ running: [counting, watching] });
    expect(await ask("stop it")).toContain("Running: street-count and dock-watch.");
    expect(await house().ask("stop it")).toContain("nothing to stop");
  });

  it("completes an instruction with the answer to its own question", async () => {
    const { ask, pipelines } = house();
    expect(await ask("count cars")).toBe("Which camera do you mean: street, dock?");
    expect(await ask("the dock")).toContain("counting cars");
    expect(pipelines.started[0]?.videoReference).toBe("dock");
    expect(await ask("what do you see on garage?")).toContain('"garage"');
    expect(await ask("street")).toContain("On street I see");
  });

  it("says plainly what it cannot do and what a key would add", async () => {
    const { ask } = house();
    for (const text of ["is everyone on street wearing a helmet?", "write me a poem"]) {
      expect(await ask(text)).toContain("ANTHROPIC_API_KEY");
    }
    expect(await ask("help")).toContain("What do you see on street?");
  });

  it("tells the tool's reason when it fails", async () => {
    const { ask } = house({ broken: "street gives no picture: refused." });
    expect(await ask("what do you see on street?")).toBe("I could not look: street gives no picture: refused.");
    expect(await ask("count people on street")).toContain("I could not start that. street gives no picture");
  });

  it("streams its text in small pieces that make the whole", async () => {
    const client = house().client;
    const stream = client.stream(request([user("help")]), callContext("m1"));
    const pieces: string[] = [];
    for await (const delta of stream) if (delta.type === "text") pieces.push(delta.text);
    const { content, stopReason, usage } = await stream.result();
    expect(pieces.length).toBeGreaterThan(20);
    expect(pieces.join("")).toBe(content);
    expect(stopReason).toBe("complete");
    expect(usage).toMatchObject({ inputTokens: 0, outputTokens: 0, estimated: false });
  });

  it("serves no other model", async () => {
    const { client } = house();
    await expect(client.profile("claude")).rejects.toMatchObject({ kind: "invalid", code: "unknown_model" });
    await expect(client.stream({ ...request([]), model: "x" }, callContext("m")).result()).rejects.toThrow();
    expect(await client.profile(OFFLINE_MODEL)).toMatchObject({ provider: "offline", supportsVision: false });
  });
});

const counting = fakeStatus({
  shapes: [
    {
      kind: "line",
      step: "line",
      points: [
        [0, 0],
        [0, 1],
      ],
    },
  ],
});
const watching = fakeStatus({ pipeline_id: "pl_2", name: "dock-watch", video_reference: "dock" });

/** A conversation with the interpreter in which its tool calls are really made. */
function house(options: { readonly running?: readonly PipelineStatus[]; readonly broken?: string } = {}) {
  const cameras = fakeCameras("street", "dock");
  const results = [fakeResult(["person", "person", "person", "car"], { count_in: 4, count_out: 2 })];
  const pipelines = fakePipelines({ running: options.running ?? [], results });
  const look = async (camera: string) => {
    if (options.broken !== undefined) throw new Error(options.broken);
    return {
      camera,
      result: fakeResult(["person", "person", "person", "car"]),
      picture: fakePicture(),
      models: ["sim/truth"],
    };
  };
  const tools = [
    createCaptureFrameTool({ look, resize: async (bytes) => ({ bytes, mimeType: "image/jpeg" }) }),
    createStartPipelineTool({ cameras, pipelines, validate: async () => [], modelSpec: () => SPEC }),
    createGetPipelineResultsTool({ pipelines }),
    createListPipelinesTool({ pipelines }),
    createStopPipelineTool({ pipelines }),
  ] as unknown as readonly Tool[];
  const client = createOfflineClient({
    known: () => ({
      cameras: cameras.list().map(({ name }) => name),
      pipelines: pipelines.list().map(({ name, video_reference, shapes }) => ({
        name,
        camera: video_reference,
        counts: shapes.some(({ kind }) => kind === "line"),
      })),
    }),
    specs: {
      counting: ({ classes, line }) => ({ ...SPEC, steps: [{ type: "count", name: "count", classes, line }] }),
      watching: ({ classes }) => ({ ...SPEC, steps: [{ type: "tracker", name: "track", classes }] }),
    },
  });
  const messages: Message[] = [];
  const calls: string[] = [];
  const ask = async (text: string): Promise<string> => {
    messages.push(user(text));
    for (let turn = 0; turn < 5; turn += 1) {
      const response = await client.run(request(messages), callContext(`m${messages.length}`));
      messages.push(response.message);
      if (response.toolCalls.length === 0) return response.content;
      calls.push(...response.toolCalls.map(({ toolName }) => toolName));
      messages.push(await execute(tools, response));
    }
    throw new Error("no answer after five turns");
  };
  return { ask, pipelines, calls, client };
}

async function execute(tools: readonly Tool[], response: LLMResponse): Promise<Message> {
  const parts: Message["parts"][number][] = [];
  for (const call of response.toolCalls) {
    const tool = tools.find(({ name }) => name === call.toolName);
    const outcome = await tool?.execute(call.arguments, toolContext).then(
      (output) => ({ outcome: "ok" as const, output }),
      (error: Error) => ({ outcome: "error" as const, output: error.message }),
    );
    const output = outcome?.output;
    const content =
      typeof output === "string"
        ? [{ type: "text" as const, text: output }]
        : (output as { content: readonly { type: "text"; text: string }[] }).content;
    parts.push({
      type: "tool_result",
      callId: call.id,
      toolName: call.toolName,
      outcome: outcome?.outcome ?? "error",
      content,
    });
  }
  return { id: "r", role: "tool_result", parts, ts: "2026-01-01T00:00:00.000Z", origin: "tool" };
}

const toolContext = {
  signal: new AbortController().signal,
  putImage: async () => ({ type: "image", artifactId: "art_1", mimeType: "image/jpeg" }),
} as unknown as ToolContext;

function user(text: string): Message {
  return { id: "u", role: "user", parts: [{ type: "text", text }], ts: "2026-01-01T00:00:00.000Z", origin: "human" };
}

function request(messages: readonly Message[]): LLMRequest {
  return { model: OFFLINE_MODEL, system: [], messages, tools: [] };
}

function callContext(messageId: string): CallContext {
  return {
    signal: new AbortController().signal,
    clock: { now: () => 0, monotonic: () => 0, sleep: async () => undefined },
    messageId,
    timers: { firstEventMs: 1000, idleMs: 1000, attemptMs: 1000 },
  };
}
