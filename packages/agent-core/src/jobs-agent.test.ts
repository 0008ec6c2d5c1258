import { describe, expect, it } from "vitest";
import {
  createActionTool,
  createJobSpec,
  createJobs,
  createMemoryJobStore,
  type JobDelivery,
  type Jobs,
} from "./jobs.ts";
import { createFakeClock, type FakeClock } from "./testing/fake-clock.ts";
import { createTestAgent, type ScriptStep, testTool } from "./testing.ts";
import { createToolRegistry } from "./tools/tool-registry.ts";
import type { PauseRecord } from "./types/message.ts";

const principal = { userId: "ada" };

describe("jobs with the executor itself", () => {
  it("SC-14 a background run plans an action with a tool, and the scheduler has it done", async () => {
    const agent = openJobAgent([
      { toolCalls: [{ name: "create_action", args: { instructions: "Count the parcels." } }] },
      { text: "HEARTBEAT_OK" },
      { text: "Two parcels." },
    ]);
    await agent.jobs.upsert(createJobSpec({ id: "beat", kind: "heartbeat", instructions: "Is all well?", principal }));
    await agent.run("beat");
    agent.jobs.start();
    await agent.settle();
    const [, action] = await agent.jobs.list();
    expect(action).toMatchObject({ parent: { jobId: "beat", depth: 1 }, principal });
    expect(await agent.jobs.history(action?.id ?? "", 1)).toMatchObject([
      { state: "completed", output: { text: "Two parcels." } },
    ]);
    expect(agent.delivered.map(({ text }) => text)).toEqual(["Two parcels."]);
    await agent.jobs.stop();
  });

  it("SC-14 a signal that a tool emits makes an action too", async () => {
    const agent = openJobAgent([{ toolCalls: [{ name: "note", args: {} }] }, { text: "Noted." }]);
    await agent.jobs.upsert(createJobSpec({ id: "job", kind: "action", instructions: "Look.", principal }));
    await agent.run("job");
    expect((await agent.jobs.list()).map(({ taskConfig }) => taskConfig.instructions)).toEqual([
      "Look.",
      "Look again.",
    ]);
  });

  it("a run that asks a person waits as paused and is completed by the answer", async () => {
    const agent = openJobAgent([{ toolCalls: [{ name: "unlock", args: {} }] }, { text: "The door is unlocked." }]);
    await agent.jobs.upsert(createJobSpec({ id: "job", kind: "action", instructions: "Unlock.", principal }));
    await agent.run("job");
    const [waiting] = await agent.jobs.history("job", 1);
    const [pause] = await agent.executor.listPaused();
    expect(waiting).toMatchObject({ state: "paused", pause: { id: pause?.id } });
    const { id, token } = pause as PauseRecord;
    const forged = agent.executor.resume(id, { kind: "approve", token: "no" }, { principal });
    expect(await forged.outcome).toMatchObject({ status: "failed" });
    await agent.settle();
    expect(await agent.jobs.history("job", 1)).toMatchObject([{ state: "paused" }]);
    agent.executor.resume(id, { kind: "approve", token }, { principal });
    await agent.settle();
    expect(await agent.jobs.history("job", 1)).toMatchObject([
      { id: waiting?.id, state: "completed", output: { text: "The door is unlocked." } },
    ]);
    expect(agent.delivered.map(({ text }) => text)).toEqual(["The door is unlocked."]);
  });

  it("a run that another process resumed is completed by the handle that it is given", async () => {
    const agent = openJobAgent([{ toolCalls: [{ name: "unlock", args: {} }] }, { text: "Done." }], { hears: false });
    await agent.jobs.upsert(createJobSpec({ id: "job", kind: "action", instructions: "Unlock.", principal }));
    await agent.run("job");
    const [{ id, token }] = (await agent.executor.listPaused()) as [PauseRecord];
    await agent.jobs.resumed(id, agent.executor.resume(id, { kind: "approve", token }, { principal }));
    await agent.settle();
    expect(await agent.jobs.history("job", 1)).toMatchObject([{ state: "completed", output: { text: "Done." } }]);
  });
});

function openJobAgent(script: readonly ScriptStep[], { hears = true } = {}) {
  const clock: FakeClock = createFakeClock();
  const tools = createToolRegistry();
  const { executor, options } = createTestAgent(script, { clock, tools });
  const delivered: JobDelivery[] = [];
  const deliver = (delivery: JobDelivery): void => void delivered.push(delivery);
  const jobs: Jobs = createJobs({
    executor: hears ? executor : { execute: executor.execute },
    clock,
    ids: options.ids,
    store: createMemoryJobStore(),
    deliver,
  });
  tools.addTool(createActionTool(jobs));
  tools.addTool(testTool("unlock", async () => "unlocked", { approval: "always" }));
  tools.addTool(
    testTool("note", async (_, context) => {
      context.emitSignal("GENERATE_ACTIONS", [{ instructions: "Look again." }]);
      return "noted";
    }),
  );
  /** A few rounds of the event loop: nothing here takes longer. */
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 20; round++) await clock.advance(0);
  };
  const run = async (id: string): Promise<void> => {
    await jobs.runNow(id);
    await settle();
  };
  return { jobs, executor, delivered, settle, run };
}
