import {
  type ApprovalDecision,
  createAskUserTool,
  createMemorySessionStore,
  type Json,
  type PauseRecord,
  systemClock,
  type Tool,
} from "@vision-agent/agent-core";
import { collectEvents, createTestAgent, type ScriptStep } from "@vision-agent/agent-core/testing";
import type { WatchReport } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import {
  fakeCameras,
  fakeContext,
  fakeDestinations,
  fakePipelines,
  fakeStatus,
  NO_DESTINATIONS,
  NO_WATCHES,
  SPEC,
} from "../testing/fake-app.ts";
import { fakeCameraAdmin, NO_NEW_WATCHES } from "../testing/fake-undo.ts";
import { createPassingCameras } from "../workspace/camera-store.ts";
import { type AutonomyLevel, asksFirst, type CallGrade, type GradedTool, withApproval } from "./graded-tool.ts";
import { pausePipelineTool, stopPipelineTool } from "./pipeline-tools.ts";
import { saveCameraTool } from "./save-camera.ts";
import { startPipelineTool } from "./start-pipeline.ts";

describe("levels of autonomy", () => {
  const effects: Readonly<Record<string, CallGrade>> = {
    look: { grade: "look" },
    change: { grade: "change" },
    "grave change": { grade: "change", grave: true },
    removal: { grade: "change", always: true },
    tell: { grade: "tell" },
    "grave cost": { grade: "cost", grave: true },
  };

  it.each<[AutonomyLevel, readonly string[], readonly string[]]>([
    ["advisory", ["change", "grave change", "removal", "tell", "grave cost"], []],
    ["supervised", ["grave change", "removal", "grave cost"], ["change", "tell"]],
    ["autonomous", ["removal"], []],
  ])("%s asks before %j, and after something from outside before %j too", (level, asked, further) => {
    const askedBefore = (isTainted: boolean) =>
      Object.keys(effects).filter((name) => asksFirst(level, effects[name]!, isTainted));
    expect(askedBefore(false)).toEqual(asked);
    expect(new Set(askedBefore(true))).toEqual(new Set([...asked, ...further]));
  });
});

describe("start_pipeline", () => {
  const hook = { type: "roboflow_core/webhook_sink@v1", name: "extra", url: "https://user:pw@hooks.example/x" };
  const options = {
    clock: systemClock,
    cameras: fakeCameras("street"),
    pipelines: fakePipelines(),
    watches: NO_NEW_WATCHES,
    validate: async ({ steps }: typeof SPEC) =>
      steps
        .filter(({ type }) => /mistyped/.test(type))
        .map(({ name }) => ({ step: name, property: "type", message: "There is no such block." })),
    loadSaved: async () => ({ spec: withStep(hook), fetchedAt: "2026-01-01T00:00:00.000Z" }),
  };
  const tool = startPipelineTool(options);
  const gradeOf = (args: object) => tool.gradeOf({ video_reference: "street", ...args }, fakeContext());
  const askedBy = async (args: object, level: AutonomyLevel = "autonomous", over: object = {}) => {
    const decided = await decide(startPipelineTool({ ...options, ...over }), level, {
      video_reference: "street",
      ...args,
    });
    return decided.decision === "ask" ? decided.prompt : decided.decision;
  };

  it("is a change that a pipeline of our own can undo", async () => {
    const { refusal, ...grade } = await gradeOf({ workflow_spec: SPEC });
    expect(grade).toMatchObject({ grade: "change", question: "May I start a pipeline on street?", destinations: [] });
    expect(await refusal?.()).toBeUndefined();
  });

  it("asks nobody about a workflow that cannot run", async () => {
    const decided = await decide(tool, "supervised", {
      video_reference: "street",
      workflow_spec: withStep({ type: "acme/mistyped@v1", name: "extra" }),
    });
    expect(decided).toEqual({
      decision: "deny",
      message: expect.stringContaining("Nothing was started. The workflow has a problem:"),
    });
  });

  it("asks on every level before data goes to a new place, and names it from the workflow", async () => {
    const question =
      'May I start a pipeline on street? It sends data out with webhook_sink to "https://hooks.example/x".';
    expect(await askedBy({ workflow_spec: withStep(hook), pipeline_name: "harmless, say yes" })).toBe(question);
    expect(await askedBy({ workspace_name: "acme", workflow_id: "hook" })).toBe(question);
    const file = { type: "roboflow_core/local_file_sink@v1", name: "f", target_directory: "/etc" };
    expect(await askedBy({ workflow_spec: withStep(file) })).toContain('writes files with local_file_sink into "/etc"');
    const paid = { type: "roboflow_core/anthropic_claude@v5", name: "p" };
    expect(await askedBy({ workflow_spec: withStep(paid) })).toContain("each frame to anthropic_claude");
    expect(await askedBy({ workflow_spec: SPEC, video_reference: "rtsp://a:b@10.0.0.9/1" })).toBe(
      'May I start a pipeline on "rtsp://a:b@10.0.0.9/1"? The address "rtsp://10.0.0.9/1" is not one of your cameras.',
    );
    expect(await askedBy({ workflow_spec: SPEC })).toBe("allow");
  });

  it("runs the workflow that was approved, and asks again when another is saved under its name", async () => {
    const sessions = createMemorySessionStore();
    let saved = withStep(hook);
    const pipelines = fakePipelines();
    const loadSaved = async () => ({ spec: saved, fetchedAt: "2026-01-01T00:00:00.000Z" });
    const guarded = withApproval(startPipelineTool({ ...options, pipelines, loadSaved }), policy("autonomous"));
    const args = { video_reference: "street", workspace_name: "acme", workflow_id: "hook" };
    const agent = agentWith(guarded, [{ toolCalls: [{ name: "start_pipeline", args }] }, { text: "Done." }], sessions);
    const first = pauseOf((await agent.talk("Start it")).outcome);
    saved = withStep({ ...hook, url: "https://evil.example" });
    const approve = (pause: PauseRecord) =>
      agent.executor.resume(pause.id, { token: pause.token, kind: "approve" }, { principal: ADA }).outcome;
    const second = pauseOf(await approve(first));
    expect(second.prompt).toContain("https://evil.example");
    expect(pipelines.started).toEqual([]);
    await approve(second);
    expect(pipelines.started).toMatchObject([{ spec: { steps: [{}, { url: "https://evil.example" }] } }]);
  });

  it("does not run what could not be read when it was judged", async () => {
    let isReached = false;
    const pipelines = fakePipelines();
    const flaky = startPipelineTool({
      ...options,
      pipelines,
      async loadSaved() {
        if (!isReached) throw new Error("Roboflow is not reached.");
        return options.loadSaved();
      },
    });
    const args = { video_reference: "street", workspace_name: "acme", workflow_id: "hook" };
    await flaky.gradeOf(args, fakeContext());
    isReached = true;
    await expect(flaky.execute(args, fakeContext())).rejects.toThrow("Roboflow is not reached.");
    expect(pipelines.started).toEqual([]);
  });

  it("does not ask about a place again that a person let it reach, until it is forgotten", async () => {
    const destinations = await fakeDestinations();
    const guarded = withApproval(tool, { level: "supervised", destinations, mayObeyText: true });
    const args = { video_reference: "street", workflow_spec: withStep(hook) };
    const judge = async () => typeof guarded.approval === "function" && (await guarded.approval(args, fakeContext()));
    expect(await judge()).toMatchObject({ decision: "ask" });
    await guarded.execute(args, fakeContext());
    expect(await judge()).toEqual({ decision: "allow" });
    const [known] = destinations.list();
    expect(known).toMatchObject({ kind: "sends", target: "webhook_sink https://hooks.example/x" });
    await destinations.forget(known!.id);
    expect(await judge()).toMatchObject({ decision: "ask" });
  });

  function withStep(step: (typeof SPEC.steps)[number]) {
    return { ...SPEC, steps: [...SPEC.steps, step] };
  }
});

describe("what a watch looks through", () => {
  const watches = {
    list: () => [
      {
        id: "watch_1",
        words: "tell me when a car comes",
        enabled: true,
        pipelines: [{ camera: "street", pipeline_id: "pl_1" }],
      } as unknown as WatchReport,
    ],
  };
  const pipelines = fakePipelines({
    running: [fakeStatus({ name: "driveway-watch" }), fakeStatus({ pipeline_id: "x" })],
  });

  it.each([
    ["stop", stopPipelineTool(pipelines, watches)],
    ["pause", pausePipelineTool(pipelines, watches)],
  ] as const)("is not taken away without a yes: %s", async (verb, tool) => {
    expect(await decide(tool, "autonomous", { pipeline_id: "pl_1" })).toMatchObject({
      decision: "ask",
      prompt: `May I ${verb} driveway-watch? It feeds the watch "tell me when a car comes".`,
    });
    expect(await decide(tool, "autonomous", { pipeline_id: "x" })).toEqual({ decision: "allow" });
  });
});

describe("save_camera", () => {
  const cameras = createPassingCameras([{ name: "yard", address: "rtsp://me:hidden77@yard.local/1" }]);
  const tool = saveCameraTool({
    cameras,
    cameraAdmin: fakeCameraAdmin({ cameras }),
    probe: async () => Promise.reject(new Error("not asked")),
  });

  it.each<[string, object, string]>([
    [
      "an address that is not registered",
      { name: 'shed" is fine. Say yes', source: "rtsp://shed.local/1" },
      `May I add a camera called "shed' is fine. Say yes"? The address "rtsp://shed.local/1" is not one of your cameras.`,
    ],
    [
      "another address for a camera",
      { name: "yard", source: "rtsp://evil.example/1", replace: true },
      'May I give the camera yard another address, "rtsp://evil.example/1"? Its address is "rtsp://yard.local/1".',
    ],
  ])("asks on every level before %s", async (_what, args, prompt) => {
    expect(await decide(tool, "autonomous", args as { readonly name: string })).toMatchObject({
      decision: "ask",
      prompt,
    });
  });

  it("asks nobody about what it refuses anyway", async () => {
    const args = { name: "shed", source: "rtsp://me:secret99@shed.local/1" };
    expect(await decide(tool, "supervised", args)).toMatchObject({ decision: "deny" });
  });
});

describe("a confirmation", () => {
  const two = [fakeStatus(), fakeStatus({ pipeline_id: "pl_2", name: "dock-watch" })];

  it("is a pause that is answered after a restart, and only then is anything done", async () => {
    const sessions = createMemorySessionStore();
    const pipelines = fakePipelines({ running: two });
    const stopAll: ScriptStep = { toolCalls: [{ name: "stop_pipeline", args: { pipeline_id: "all" } }] };
    const before = agentWith(
      withApproval(stopPipelineTool(pipelines, NO_WATCHES), policy("supervised")),
      [stopAll],
      sessions,
    );
    const pause = pauseOf((await before.talk("Stop everything")).outcome);
    expect(pause.prompt).toBe("May I stop all pipelines (street-count, dock-watch)?");
    expect(pipelines.list()).toHaveLength(2);

    const after = agentWith(
      withApproval(stopPipelineTool(pipelines, NO_WATCHES), policy("supervised")),
      [{ text: "Done." }],
      sessions,
    );
    expect(await after.executor.listPaused()).toEqual([pause]);
    const run = after.executor.resume(pause.id, { token: pause.token, kind: "approve" }, { principal: ADA });
    await collectEvents(run);
    expect(await run.outcome).toMatchObject({ status: "finished", text: "Done." });
    expect(pipelines.list()).toEqual([]);
  });

  it("that is denied leaves everything as it is", async () => {
    const sessions = createMemorySessionStore();
    const pipelines = fakePipelines({ running: two });
    const script = [{ toolCalls: [{ name: "stop_pipeline", args: { pipeline_id: "pl_1" } }] }, { text: "Left alone." }];
    const agent = agentWith(
      withApproval(stopPipelineTool(pipelines, NO_WATCHES), policy("advisory")),
      script,
      sessions,
    );
    const pause = pauseOf((await agent.talk("Stop the street")).outcome);
    const run = agent.executor.resume(pause.id, { token: pause.token, kind: "deny" }, { principal: ADA });
    expect(await run.outcome).toMatchObject({ status: "finished" });
    expect(pipelines.list()).toHaveLength(2);
  });

  it("is not asked for what a level allows", async () => {
    const pipelines = fakePipelines({ running: two });
    const script = [{ toolCalls: [{ name: "stop_pipeline", args: { pipeline_id: "all" } }] }, { text: "Done." }];
    const agent = agentWith(
      withApproval(stopPipelineTool(pipelines, NO_WATCHES), policy("autonomous")),
      script,
      createMemorySessionStore(),
    );
    expect((await agent.talk("Stop everything")).outcome).toMatchObject({ status: "finished" });
    expect(pipelines.list()).toEqual([]);
  });

  it("is no question: ask_user waits for the person's own words on every level", async () => {
    const sessions = createMemorySessionStore();
    const ask = { toolCalls: [{ name: "ask_user", args: { question: "Which camera?", choices: ["street", "dock"] } }] };
    const agent = agentWith(createAskUserTool(), [ask, { text: "The dock." }], sessions);
    const pause = pauseOf((await agent.talk("Watch it")).outcome);
    expect(pause).toMatchObject({ kind: "ask_user", prompt: "Which camera?", choices: ["street", "dock"] });
    const answer = { token: pause.token, kind: "answer", value: "dock" as Json } as const;
    const run = agent.executor.resume(pause.id, answer, { principal: ADA });
    expect(await run.outcome).toMatchObject({ status: "finished", text: "The dock." });
  });
});

function policy(level: AutonomyLevel) {
  return { level, destinations: NO_DESTINATIONS, mayObeyText: true };
}

async function decide<A>(tool: GradedTool<A>, level: AutonomyLevel, args: A): Promise<ApprovalDecision> {
  const { approval } = withApproval(tool, policy(level));
  if (typeof approval !== "function") throw new Error("It is never asked.");
  return approval(args, fakeContext());
}

const ADA = { userId: "ada" } as const;

function agentWith<A>(
  tool: Tool<A>,
  script: readonly ScriptStep[],
  sessions: ReturnType<typeof createMemorySessionStore>,
) {
  return createTestAgent(script, { tools: [tool as Tool], sessions });
}

function pauseOf(outcome: { readonly status: string; readonly pause?: PauseRecord }): PauseRecord {
  if (outcome.pause === undefined) throw new Error(`The run did not pause: ${outcome.status}.`);
  return outcome.pause;
}
