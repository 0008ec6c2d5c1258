// memory, skills, schedule, money: what the agent stands on beside the cameras
import {
  type AgentEvent,
  type AgentExecutor,
  createBudgetLedger,
  createMetrics,
  type Metrics,
  randomIds,
  systemClock,
} from "@vision-agent/agent-core";
import {
  createFileJobStore,
  createJobs,
  type Delivery,
  type Jobs,
  type JobsOptions,
} from "@vision-agent/agent-core/jobs";
import { createFileLedgerStore } from "@vision-agent/agent-core/node";
import { fetchTarballWithNpm } from "@vision-agent/vision-engine";
import { describeBudgetWarning, openPurse } from "./agent/purse.ts";
import { createSpendingNews } from "./agent/spending-news.ts";
import { createUsageBook, type UsageBook, usageEntrySchema } from "./agent/usage-book.ts";
import type { VisionAgentOptions } from "./agent/vision-agent.ts";
import type { AlertRouter } from "./alerts/route-alert.ts";
import { modelFolder } from "./config/environment.ts";
import type { Memory } from "./memory/memory.ts";
import { type OpenMemory, openMarkdownMemory } from "./memory/open-markdown-memory.ts";
import { openTextModel } from "./memory/text-model.ts";
import type { Ground } from "./open-ground.ts";
import { nodeSkillFiles } from "./skills/node-skill-files.ts";
import { createSkillShelf, type SkillShelf } from "./skills/skill-shelf.ts";
import type { StopList } from "./stop-list.ts";
import { openJsonLines } from "./store/json-lines.ts";
import { nodeFiles } from "./workspace/node-files.ts";

const MOST_TURNS = 20_000;

export interface Mind {
  readonly memory: Memory & Pick<OpenMemory, "rollUp">;
  readonly skills: SkillShelf;
  readonly jobs: Jobs;
  readonly usage: UsageBook;
  readonly metrics: Metrics;
  readonly budget: NonNullable<VisionAgentOptions["budget"]>;
  /** To be told every event of every run. */
  readonly note: (event: AgentEvent) => void;
}

export interface MindOptions {
  readonly ground: Ground;
  readonly alerts: Pick<AlertRouter, "tell">;
  /** Who works off the schedule; asked only after the jobs were started. */
  readonly executor: Pick<AgentExecutor, "execute">;
  /** Why a job that is due is left out. */
  readonly skipReason: NonNullable<JobsOptions["skipReason"]>;
  /** Takes out what must never be written down. */
  readonly redact: (text: string) => string;
}

export async function openMind(options: MindOptions, stops: StopList): Promise<Mind> {
  const { ground, alerts, executor, skipReason, redact } = options;
  const { workspace, config, timeZone, pid, onNotice } = ground;
  const budget = await openBudget(ground, stops);
  const log = await openJsonLines({
    files: nodeFiles,
    path: workspace.path("usage.jsonl"),
    schema: usageEntrySchema,
    maxEntries: MOST_TURNS,
  });
  const usage = createUsageBook({ log, now: systemClock.now, timeZone, onProblem: onNotice });
  const metrics = createMetrics();
  const noteSpending = createSpendingNews({ ledger: budget.ledger, tell: (news) => void alerts.tell(news) });
  const store = createFileJobStore({ path: workspace.path("jobs.jsonl"), owner: `process ${pid}` });
  stops.add(() => store.close());
  const jobs = createJobs({
    executor,
    store,
    clock: systemClock,
    ids: randomIds,
    timeZone,
    skipReason,
    deliver: (delivery) => tellAnswer(delivery, alerts),
    config: () => ({ maxTokens: config.llm.maxTokens }),
  });
  stops.add(() => jobs.stop());
  return {
    memory: await openMemory(ground, redact, stops),
    skills: createSkillShelf({ files: nodeSkillFiles, folder: workspace.path("skills"), onProblem: onNotice }),
    jobs,
    usage,
    metrics,
    budget,
    note(event) {
      metrics.record(event);
      usage.note(event);
      noteSpending(event);
    },
  };
}

/** With the last picture that was looked at. */
async function tellAnswer({ text, run }: Delivery, alerts: MindOptions["alerts"]): Promise<void> {
  if (text.trim() === "") return;
  const picture = run.output?.artifacts?.at(-1);
  await alerts.tell({ text, severity: "info", picture });
}

async function openMemory(
  { workspace, env, timeZone, onNotice }: Ground,
  redact: MindOptions["redact"],
  stops: StopList,
): Promise<Mind["memory"]> {
  const model = openTextModel({ folder: modelFolder(env), fetchTarball: fetchTarballWithNpm, onNotice });
  stops.add(() => model.close());
  const memory = await openMarkdownMemory({
    files: nodeFiles,
    folder: workspace.folder,
    now: systemClock.now,
    timeZone,
    onNotice,
    embedder: model.embedder,
    redact,
  });
  stops.add(() => memory.close());
  return {
    store: (note) => memory.store(note),
    search(query, filter) {
      model.want();
      return memory.search(query, filter);
    },
    observations: (request) => memory.observations(request),
    recentObservations: (request) => memory.recentObservations(request),
    rollUp: (events) => memory.rollUp(events),
  };
}

async function openBudget(
  { workspace, config, timeZone, pid, onNotice }: Ground,
  stops: StopList,
): Promise<Mind["budget"]> {
  const ledger = createBudgetLedger({
    limits: { day: Math.round(config.llm.costLimitDailyUsd * 1e6) },
    timeZone,
    clock: systemClock,
    store: createFileLedgerStore({ path: workspace.path("spending.jsonl"), owner: `process ${pid}` }),
    onWarning: (warning) => {
      // Shares are told to a person, in a turn or as an alert.
      if (warning.kind !== "share_used") onNotice(describeBudgetWarning(warning));
    },
  });
  stops.add(() => ledger.close());
  return { ledger, purse: await openPurse({ ledger, clock: systemClock }) };
}
