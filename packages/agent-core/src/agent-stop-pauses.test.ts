import { describe, expect, it } from "vitest";
import {
  type AgentExecutorOptions,
  createAgent,
  createMemorySessionStore,
  type ExecutionOutcome,
  type ResumeOptions,
  randomIds,
  type StopPolicy,
} from "./index.ts";
import { createTestAgent, type ScriptStep, scriptedModel, testTool } from "./testing.ts";

type Script = (number: number) => ScriptStep;

const SAME: Script = () => ({ toolCalls: [{ name: "act" }] });
const OTHERS: Script = (number) => ({ toolCalls: [{ name: "act", args: { number } }] });

describe("the stop policy over pauses", () => {
  it.each<[string, Partial<StopPolicy>, Script, { reason: string; ran: number }]>([
    ["tool calls", { maxToolCalls: 2 }, OTHERS, { reason: "max_tool_calls", ran: 2 }],
    ["repeats", { maxRepeats: 3 }, SAME, { reason: "loop", ran: 3 }],
    ["model calls", { maxIterations: 4 }, OTHERS, { reason: "max_iterations", ran: 4 }],
  ])("AF-36 counts %s on, in one process and when each answer comes from another", async (_, stop, script, end) => {
    for (const isNewProcess of [false, true]) {
      const { outcome, ran } = await answerAll(script, { stop, isNewProcess });
      expect(outcome).toMatchObject({ status: "stopped", reason: end.reason });
      expect(ran).toBe(end.ran);
    }
  });

  it("AF-36 counts tool errors in a row on, and does not take a person's no for one", async () => {
    const fail = async (): Promise<string> => {
      throw new Error("no");
    };
    const { outcome, ran } = await answerAll(OTHERS, { stop: { maxConsecutiveToolErrors: 3 }, fail });
    expect([outcome, ran]).toMatchObject([{ status: "stopped", reason: "tool_errors" }, 3]);
    const denied = await answerAll(OTHERS, {
      stop: { maxConsecutiveToolErrors: 3, maxIterations: 6 },
      kind: "deny",
    });
    expect(denied.outcome).toMatchObject({ status: "stopped", reason: "max_iterations" });
  });

  it("begins anew with the next message", async () => {
    const sessions = createMemorySessionStore();
    const stop = { maxToolCalls: 2 };
    await answerAll(OTHERS, { stop, sessions });
    const { outcome, ran } = await answerAll(OTHERS, { stop, sessions });
    expect([outcome, ran]).toMatchObject([{ reason: "max_tool_calls" }, 2]);
  });

  it("says how many steps it were in all", async () => {
    const { outcome } = await answerAll(OTHERS, { stop: { maxIterations: 3 } });
    expect(outcome).toMatchObject({ message: "Stopped after 3 steps. Send a message to go on." });
    const one = await answerAll(OTHERS, { stop: { maxIterations: 1 } });
    expect(one.outcome).toMatchObject({ message: "Stopped after 1 step. Send a message to go on." });
  });

  it("asks the rules of the agent, and those that come with the answer, with the totals of all runs", async () => {
    const seen: [number, number, number][] = [];
    const rule: NonNullable<StopPolicy["custom"]>[number] = ({ turn, metrics: { invocations, toolCalls } }) => {
      seen.push([turn, invocations, toolCalls]);
      return turn >= 3 ? "Enough." : undefined;
    };
    const ofAgent = await answerAll(OTHERS, { stop: { custom: [rule] } });
    expect(ofAgent).toMatchObject({ outcome: { reason: "stop_condition", message: "Enough." }, ran: 2 });
    expect(seen.splice(0)).toEqual([
      [1, 1, 0],
      [2, 2, 1],
      [3, 3, 2],
    ]);
    const ofAnswer = await answerAll(OTHERS, { stop: {}, resumeStop: { custom: [rule] } });
    expect(ofAnswer).toMatchObject({ outcome: { reason: "stop_condition", message: "Enough." }, ran: 2 });
  });
});

it("a rule of the run's own holds when onPause answers", async () => {
  const client = scriptedModel((_, number) => OTHERS(number));
  const act = testTool("act", async () => "done", { approval: "always" });
  const agent = createAgent({ model: { id: "scripted-1", client }, tools: [act] });
  const stop = { custom: [({ turn }: { turn: number }) => (turn >= 3 ? "Enough." : undefined)] };
  await expect(agent.run("Go", { stop, onPause: () => true })).rejects.toMatchObject({ code: "stop_condition" });
  expect(client.requests).toHaveLength(3);
  await agent.close();
});

interface Answering {
  readonly stop: Partial<StopPolicy>;
  readonly sessions?: AgentExecutorOptions["sessions"];
  readonly fail?: () => Promise<string>;
  readonly kind?: "approve" | "deny";
  readonly isNewProcess?: boolean;
  readonly resumeStop?: ResumeOptions["stop"];
}

/** One message, and the same answer to every pause until the run ends. */
async function answerAll(script: Script, how: Answering): Promise<{ outcome: ExecutionOutcome; ran: number }> {
  const { stop, sessions = createMemorySessionStore(), kind = "approve", resumeStop } = how;
  let [ran, asked] = [0, 0];
  const act = testTool(
    "act",
    async () => {
      ran += 1;
      return how.fail ? how.fail() : "same";
    },
    { approval: "always" },
  );
  const build = () => createTestAgent(() => script(++asked), { tools: [act], sessions, stop, ids: randomIds });
  let agent = build();
  let { outcome } = await agent.talk("Go");
  while (outcome.status === "paused") {
    const { id, token } = outcome.pause;
    if (how.isNewProcess) agent = build();
    const options = { principal: { userId: "ada" }, ...(resumeStop && { stop: resumeStop }) };
    outcome = await agent.executor.resume(id, { kind, token }, options).outcome;
  }
  return { outcome, ran };
}
