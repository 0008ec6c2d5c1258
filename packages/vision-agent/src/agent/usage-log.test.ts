import { type AgentEvent, NO_USAGE, type Tool } from "@vision-agent/agent-core";
import { createTestAgent, type ScriptStep } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import type { BoundedLog } from "../store/bounded-log.ts";
import { watchEffect } from "../tools/effects.ts";
import { createUsageLog, type UsageEntry, type UsageLog, usageEntrySchema } from "./usage-log.ts";

const USAGE = { ...NO_USAGE, inputTokens: 100, outputTokens: 50 };
const ONE = { turns: 1, calls: 1, inputTokens: 100, outputTokens: 50, costMicroUsd: 0 };

describe("the usage log", () => {
  it("adds up per session and day", async () => {
    const { usageLog, talk, log } = build();
    await talk("s1");
    await talk("s1");
    await talk("s2");
    expect(usageLog.session("s2")).toEqual(ONE);
    expect(usageLog.session("s1")).toMatchObject({ turns: 2, inputTokens: 200 });
    expect(usageLog.day("2026-01-01")).toMatchObject({ turns: 3, calls: 3 });
    expect(usageLog.day("2025-12-31")).toMatchObject({ turns: 0 });
    expect(usageLog.days().map(({ day, turns }) => [day, turns])).toEqual([["2026-01-01", 3]]);
    expect(usageLog.turns(2).map(({ session_id }) => session_id)).toEqual(["s2", "s1"]);
    expect(usageLog.watches()).toEqual([]);
    for (const entry of log.entries()) expect(usageEntrySchema.parse(entry)).toEqual(entry);
  });

  it("counts a turn for the watches that it made, changed or removed, and for no other", async () => {
    const { usageLog, talk } = build({
      script: [
        { toolCalls: [{ name: "create_watch" }] },
        { text: "Done." },
        { toolCalls: [{ name: "list_watches" }] },
        { text: "There is one." },
        { toolCalls: [{ name: "change_watch", args: { watch_id: "watch_1" } }] },
        { toolCalls: [{ name: "change_watch", args: { watch_id: "watch_9" } }] },
        { text: "Done." },
      ],
    });
    for (let turn = 0; turn < 3; turn += 1) await talk("s1");
    expect(usageLog.watch("watch_1")).toMatchObject({ turns: 2, calls: 5, inputTokens: 500 });
    expect(usageLog.watches()).toEqual(["watch_1"]);
  });

  it("adds up today and this month by purpose", async () => {
    const entry = { run_id: "r", session_id: "s", model: "m", calls: 1, input_tokens: 10, output_tokens: 1 };
    const at = (ts: string, purpose: UsageEntry["purpose"], cost_micro_usd: number): UsageEntry => ({
      ...entry,
      ...(purpose && { purpose }),
      ts,
      cost_micro_usd,
    });
    const { usageLog, app } = build({
      timeZone: "Pacific/Auckland",
      entries: [
        at("2025-12-30T10:00:00.000Z", "task", 9),
        at("2025-12-31T12:00:00.000Z", "task", 5),
        at("2025-12-31T22:00:00.000Z", "heartbeat", 3),
      ],
    });
    await app.talk("Hi", { sessionId: "s1", origin: "job" });
    await app.talk("Hi", { sessionId: "s2" });
    const brief = (period: "today" | "month") =>
      usageLog.byPurpose(period).map(({ purpose, calls }) => [purpose, calls]);
    expect(brief("today").toSorted()).toEqual([
      ["conversation", 1],
      ["heartbeat", 1],
      ["task", 2],
    ]);
    expect(brief("month")).toEqual(brief("today"));
  });

  it("counts what was used before a person was asked, also when they answer after a restart", async () => {
    const first = build({ script: [{ toolCalls: [{ name: "remove_watch", args: { watch_id: "watch_1" } }] }] });
    await first.talk("s1");
    expect(first.usageLog.watch("watch_1")).toMatchObject({ turns: 0 });
    const again = build({ script: [{ text: "Removed." }], entries: kept(first.log), app: first.app });
    const [pause] = await again.app.executor.listPaused();
    const principal = { userId: "ada" };
    const resolution = { token: pause?.token ?? "", kind: "approve" } as const;
    await again.app.executor.resume(pause?.id ?? "", resolution, { principal }).outcome;
    expect(again.usageLog.watch("watch_1")).toMatchObject({ turns: 2, calls: 2, inputTokens: 200 });
    expect(build({ entries: kept(again.log) }).usageLog.watch("watch_1")).toMatchObject({ turns: 2, calls: 2 });
  });

  it("counts what a tool asked of a model for the turn that it ran in", async () => {
    const { usageLog, talk } = build({ script: [{ toolCalls: [{ name: "look" }] }, { text: "A ladder." }] });
    await talk("s1");
    expect(usageLog.session("s1")).toEqual({
      turns: 1,
      calls: 3,
      inputTokens: 300,
      outputTokens: 150,
      costMicroUsd: 0,
    });
  });

  it("begins a day in the configured time zone", async () => {
    const { usageLog, talk } = build({ timeZone: "America/New_York" });
    await talk("s1");
    expect(usageLog.day()).toMatchObject({ turns: 1 });
    expect(usageLog.day("2025-12-31")).toMatchObject({ turns: 1 });
  });

  it("tells when it cannot be written, and goes on", async () => {
    const problems: string[] = [];
    const { talk, usageLog } = build({ fails: true, onProblem: (one) => problems.push(one) });
    await talk("s1");
    expect(problems).toEqual(["What a turn used could not be written: The disk is full."]);
    expect(usageLog.session("s1")).toMatchObject({ turns: 1 });
  });
});

interface Wanted {
  readonly timeZone?: string;
  readonly fails?: boolean;
  readonly onProblem?: (message: string) => void;
  /** Default: says ok to everything. */
  readonly script?: readonly ScriptStep[];
  /** What was written before. */
  readonly entries?: readonly UsageEntry[];
  /** Whose sessions are gone on with. */
  readonly app?: ReturnType<typeof createTestAgent>;
}

function build(wanted: Wanted = {}) {
  const { timeZone = "UTC", fails = false, onProblem = () => undefined, script } = wanted;
  const entries: UsageEntry[] = [...(wanted.entries ?? [])];
  const log: Pick<BoundedLog<UsageEntry>, "entries" | "append"> = {
    entries: () => entries,
    async append(entry) {
      entries.push(entry);
      if (fails) throw new Error("The disk is full.");
    },
  };
  const usageLog = createUsageLog({ log, now: () => Date.UTC(2026, 0, 1), timeZone, onProblem });
  const note = (event: AgentEvent): void => usageLog.note(event);
  const steps = script?.map((step) => ({ ...step, usage: USAGE }));
  const app = createTestAgent(steps ?? (() => ({ text: "ok", usage: USAGE })), {
    onEvent: note,
    tools: [...TOOLS, lookTool(usageLog)],
    ...(wanted.app && { sessions: wanted.app.options.sessions }),
  });
  const talk = async (sessionId: string): Promise<string> => (await app.talk("Hi", { sessionId })).run.runId;
  return { usageLog, talk, log, app };
}

/** As the disk gives it back. */
function kept({ entries }: Pick<BoundedLog<UsageEntry>, "entries">): readonly UsageEntry[] {
  return entries().map((entry) => usageEntrySchema.parse(JSON.parse(JSON.stringify(entry))));
}

const TOOLS: readonly Tool[] = [
  watchTool("create_watch", () => ({
    data: { effects: [watchEffect("created", { id: "watch_1", words: "a cat", cameras: ["street"] })] },
    text: 'Watching.\nwatch_7 "a cat": cat appears on street; always.',
  })),
  watchTool("list_watches", () => 'watch_1 "a cat": cat appears on street; always.'),
  watchTool("change_watch", ({ watch_id }) => {
    if (watch_id === "watch_9") throw new Error("There is no watch watch_9. There are: watch_1.");
    return "Changed.";
  }),
  {
    ...watchTool("remove_watch", () => 'Removed watch_1 "a cat". Still watching: watch_2 "a dog".'),
    approval: async () => ({ decision: "ask", prompt: "Remove it?" }),
  },
];

function lookTool(usageLog: UsageLog): Tool {
  return {
    name: "look",
    description: "look",
    parameters: { type: "object" },
    async execute(_args, { runId }) {
      usageLog.noteLook({ runId, usage: USAGE });
      return "A ladder.";
    },
  };
}

function watchTool(name: string, execute: (args: { readonly watch_id?: string }) => unknown): Tool {
  return { name, description: name, parameters: { type: "object" }, execute: async (args) => execute(args) };
}
