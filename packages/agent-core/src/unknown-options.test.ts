import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createAgent,
  createBudgetLedger,
  createMemoryLedgerStore,
  createToolRegistry,
  defineTool,
  type ExecuteInput,
  type ResumeMessageOptions,
} from "./index.ts";
import { createJobSpec, createJobs, createMemoryJobStore, type JobInput } from "./jobs.ts";
import { createFakeClock, createTestAgent, scriptedModel, testMessage, testTool } from "./testing.ts";

const look = testTool("look", () => "seen");
const asking = testTool("look", () => "seen", { approval: "always" });
const CALL = { toolCalls: [{ name: "look" }] };
const JOB: JobInput = { id: "j", kind: "action", instructions: "Look.", principal: { userId: "ada" } };
const newModel = () => ({ id: "m", client: scriptedModel([{ text: "ok" }]) });

describe("a misspelt option is refused, not ignored", () => {
  it.each<[string, object, string]>([
    ["tools", { tools: { dny: ["look"] } }, "`tools.deny`"],
    ["config", { config: { maxTokns: 4 } }, "`config.maxTokens`"],
    ["dedupeKey", { dedupekey: "k" }, "`dedupeKey`"],
  ])("in %s of execute, before the model is asked", async (_, given, words) => {
    const agent = createTestAgent([{ text: "ok" }], { tools: [look] });
    const { outcome } = await agent.talk("Hi", given as Partial<ExecuteInput>);
    const error = { code: "bad_options", message: expect.stringContaining(words) };
    expect(outcome).toMatchObject({ status: "failed", error });
    expect(agent.llm.requests).toHaveLength(0);
  });

  it.each<[string, object, string]>([
    ["tools", { tools: { dny: ["look"] } }, "`tools.deny`"],
    ["config", { config: { maxTokns: 4 } }, "`config.maxTokens`"],
  ])("in %s of a run", async (_, given, words) => {
    const asked = createAgent({ model: newModel(), tools: [look] }).run("Hi", given);
    await expect(asked).rejects.toMatchObject({ code: "bad_options", message: expect.stringContaining(words) });
  });

  it.each<[object, string]>([
    [{ context: { sumarizer: {} } }, "`context.summarizer`"],
    [{ context: { budget: { windw: 1 } } }, "`context.budget.window`"],
    [{ budget: { ledgr: {} } }, "`budget.ledger`"],
    [{ environment: { shema: {} } }, "`environment.schema`"],
  ])("in the options of an agent: %j", (given, words) => {
    expect(() => createAgent({ model: newModel(), ...given })).toThrow(words);
  });

  it("in the options of an executor", () => {
    expect(() => createTestAgent([], { secret: ["hunter2!"] } as object)).toThrow("`secrets`");
  });

  it.each<[object, string]>([
    [{ aproval: "always" }, "`approval`"],
    [{ approval: "allways" }, "approval"],
    [{ secretArgument: ["key"] }, "`secretArguments`"],
    [{ annotations: { readonly: true } }, "`annotations.readOnly`"],
    [{ limits: { image: 1 } }, "`limits.images`"],
  ])("in a tool: %j", (given, words) => {
    const bad = { code: "bad_tool", message: expect.stringContaining(words) };
    expect(() => createToolRegistry([{ ...look, ...given }])).toThrow(expect.objectContaining(bad));
    const own = { name: "look", description: "Looks.", parameters: {}, execute: () => "seen", ...given };
    expect(() => createToolRegistry([defineTool(own)])).toThrow(expect.objectContaining(bad));
  });

  it("in secretArguments, which name arguments", () => {
    const parameters = { type: "object" as const, properties: { password: { type: "string" } } };
    const add = (secretArguments: unknown) => () =>
      createToolRegistry([{ ...look, parameters, secretArguments: secretArguments as readonly string[] }]);
    const bad = (words: string) =>
      expect.objectContaining({ code: "bad_tool", message: expect.stringContaining(words) });
    expect(add(["pasword"])).toThrow(bad('did you mean "password"?'));
    expect(add("password")).toThrow(bad("secretArguments is a list"));
    expect(add(["password"])).not.toThrow();
    const zodParameters = z.object({ key: z.string() });
    const own = { name: "look", description: "Looks.", parameters: zodParameters, execute: () => "seen" };
    expect(() => createToolRegistry([defineTool({ ...own, secretArguments: ["keys"] })])).toThrow(bad('"key"'));
  });

  it("in the options of a ledger", () => {
    const store = createMemoryLedgerStore();
    const options = { limits: { day: 1 }, timeZone: "UTC", clock: createFakeClock(), store, alertShares: 0.5 };
    const bad = { code: "bad_budget", message: expect.stringContaining("`alertShare`") };
    expect(() => createBudgetLedger(options)).toThrow(expect.objectContaining(bad));
  });

  it("but a tool may have fields of the program's own", () => {
    class Counter {
      readonly name = "count";
      readonly description = "Counts.";
      readonly parameters = { type: "object" } as const;
      total = 0;
      limit = 3;
      execute() {
        this.total += 1;
        return String(this.total);
      }
    }
    const graded = { ...look, gradeOf: () => "harmless" };
    expect(createToolRegistry([new Counter(), graded]).listTools()).toHaveLength(2);
  });

  it.each<[object, string]>([
    [{ tools: { denny: ["look"] } }, "`tools.deny`"],
    [{ timeoutMS: 5 }, "`timeoutMs`"],
    [{ session: { mode: "isolated", sessionid: "s" } }, "`session.sessionId`"],
    [{ retries: { max: 0, backoffMs: 1, maximum: 2 } }, "`retries.max"],
    [{ misfire: { policy: "skip", graceMs: 0, maxCatchUp: 0, grace: 1 } }, "`misfire.graceMs`"],
    [{ trigger: { type: "every", ms: 60_000, ancor: "x" } }, "`trigger.anchor`"],
  ])("in a job: %j", (given, words) => {
    expect(() => createJobSpec({ ...JOB, ...given })).toThrow(
      expect.objectContaining({ code: "bad_job", message: expect.stringContaining(words) }),
    );
  });

  it("in the options of jobs", () => {
    const { executor, options } = createTestAgent([]);
    const { clock, ids } = options;
    const given = { executor, clock, ids, store: createMemoryJobStore(), skipReasn: async () => "no" };
    expect(() => createJobs(given)).toThrow("`skipReason`");
  });

  it("in the options of resume, and the pause waits on", async () => {
    const agent = createAgent({ model: { id: "m", client: scriptedModel([CALL, { text: "ok" }]) }, tools: [asking] });
    await expect(agent.run("Hi")).rejects.toMatchObject({ code: "paused" });
    const [pause] = await agent.pauses();
    if (!pause) throw new Error("no pause");
    expect(() => agent.resume(pause, true, { usr: "bob" } as ResumeMessageOptions)).toThrow("`user`");
    const how = { principal: { userId: "user" }, imagMode: "add" };
    const run = agent.executor.resume(pause.id, { kind: "approve", token: pause.token }, how);
    const error = { code: "bad_options", message: expect.stringContaining("`imageMode`") };
    expect(await run.outcome).toMatchObject({ status: "failed", error });
    expect(await agent.pauses()).toHaveLength(1);
  });

  it("in an answer to an approval: nothing is approved", async () => {
    let count = 0;
    const tool = testTool("look", () => String(++count), { approval: "always" });
    const agent = createTestAgent([CALL, { text: "ok" }], { tools: [tool] });
    const { outcome } = await agent.talk("Hi");
    if (outcome.status !== "paused") throw new Error(outcome.status);
    const { id, token } = outcome.pause;
    const answer = { kind: "approve", token, calIds: [] } as const;
    const run = agent.executor.resume(id, answer, { principal: testMessage("").principal });
    const error = { code: "bad_resolution", message: expect.stringContaining("`callIds`") };
    expect(await run.outcome).toMatchObject({ status: "failed", error });
    expect(count).toBe(0);
  });
});
