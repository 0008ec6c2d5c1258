import {
  createAskUserTool,
  createMemorySessionStore,
  type Json,
  type PauseRecord,
  type Tool,
} from "@vision-agent/agent-core";
import { collectEvents, createTestAgent, type ScriptStep } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import { fakeCameras, fakeContext, fakePipelines, fakeStatus, SPEC } from "../testing/fake-app.ts";
import { type AutonomyLevel, asksFirst, type CallGrade, withAutonomy } from "./graded-tool.ts";
import { stopPipelineTool } from "./pipeline-tools.ts";
import { startPipelineTool } from "./start-pipeline.ts";

describe("levels of autonomy", () => {
  const effects: Readonly<Record<string, CallGrade>> = {
    look: { grade: "look" },
    change: { grade: "change" },
    "grave change": { grade: "change", grave: true },
    tell: { grade: "tell" },
    "grave cost": { grade: "cost", grave: true },
  };

  it.each<[AutonomyLevel, readonly string[]]>([
    ["advisory", ["change", "grave change", "tell", "grave cost"]],
    ["supervised", ["grave change", "grave cost"]],
    ["autonomous", []],
  ])("%s asks before %j", (level, asked) => {
    expect(Object.keys(effects).filter((name) => asksFirst(level, effects[name]!))).toEqual(asked);
  });
});

describe("start_pipeline", () => {
  const tool = startPipelineTool({
    cameras: fakeCameras("street"),
    pipelines: fakePipelines(),
    validate: async ({ steps }) =>
      steps
        .filter(({ type }) => /mistyped/.test(type))
        .map(({ name }) => ({ step: name, property: "type", message: "There is no such block." })),
    loadSaved: async () => ({ spec: withStep("roboflow_core/webhook_sink@v1"), fetchedAt: "2026-01-01T00:00:00.000Z" }),
  });
  const gradeOf = (args: object) => tool.gradeOf({ video_reference: "street", ...args }, fakeContext());

  it("is a change that a pipeline of our own can undo", async () => {
    const { refusal, ...effect } = await gradeOf({ workflow_spec: SPEC });
    expect(effect).toEqual({ grade: "change", question: "Start a pipeline on street?" });
    expect(await refusal?.()).toBeUndefined();
  });

  it("asks nobody about a workflow that cannot run", async () => {
    const args = { video_reference: "street", workflow_spec: withStep("acme/mistyped@v1") };
    const { approval } = withAutonomy(tool, "supervised");
    expect(typeof approval === "function" && (await approval(args, fakeContext()))).toEqual({
      decision: "deny",
      message: expect.stringContaining("Nothing was started. The workflow has a problem:"),
    });
  });

  it("is grave when a step sends data out, also in a saved workflow", async () => {
    const mail = withStep("roboflow_core/email_notification@v2");
    expect(await gradeOf({ workflow_spec: mail })).toMatchObject({ grade: "tell", grave: true });
    const saved = await gradeOf({ workspace_name: "acme", workflow_id: "hook" });
    expect(saved).toMatchObject({ grave: true, question: expect.stringContaining("webhook_sink") });
    expect(await gradeOf({ workflow_spec: withStep("roboflow_core/local_file_sink@v1") })).not.toHaveProperty("grave");
  });

  it("is grave when every frame is paid for", async () => {
    const paid = withStep("roboflow_core/anthropic_claude@v5");
    expect(await gradeOf({ workflow_spec: paid })).toMatchObject({ grade: "cost", grave: true });
  });

  it("leaves it to the call to refuse what cannot be read", async () => {
    expect(await gradeOf({ workflow_spec: { steps: 1 } })).toMatchObject({ grade: "change" });
  });

  function withStep(type: string) {
    return { ...SPEC, steps: [...SPEC.steps, { type, name: "extra" }] };
  }
});

describe("a confirmation", () => {
  const two = [fakeStatus(), fakeStatus({ pipeline_id: "pl_2", name: "dock-watch" })];

  it("is a pause that is answered after a restart, and only then is anything done", async () => {
    const sessions = createMemorySessionStore();
    const pipelines = fakePipelines({ running: two });
    const stopAll: ScriptStep = { toolCalls: [{ name: "stop_pipeline", args: { pipeline_id: "all" } }] };
    const before = agentWith(withAutonomy(stopPipelineTool(pipelines), "supervised"), [stopAll], sessions);
    const pause = pauseOf((await before.talk("Stop everything")).outcome);
    expect(pause.prompt).toBe("Stop all pipelines (street-count, dock-watch)?");
    expect(pipelines.list()).toHaveLength(2);

    const after = agentWith(withAutonomy(stopPipelineTool(pipelines), "supervised"), [{ text: "Done." }], sessions);
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
    const agent = agentWith(withAutonomy(stopPipelineTool(pipelines), "advisory"), script, sessions);
    const pause = pauseOf((await agent.talk("Stop the street")).outcome);
    const run = agent.executor.resume(pause.id, { token: pause.token, kind: "deny" }, { principal: ADA });
    expect(await run.outcome).toMatchObject({ status: "finished" });
    expect(pipelines.list()).toHaveLength(2);
  });

  it("is not asked for what a level allows", async () => {
    const pipelines = fakePipelines({ running: two });
    const script = [{ toolCalls: [{ name: "stop_pipeline", args: { pipeline_id: "all" } }] }, { text: "Done." }];
    const agent = agentWith(
      withAutonomy(stopPipelineTool(pipelines), "autonomous"),
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
