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
  type JobDelivery,
  type JobStore,
  type Jobs,
  type JobsOptions,
} from "@vision-agent/agent-core/jobs";
import { createFileLedgerStore } from "@vision-agent/agent-core/node";
import { changeSchema } from "@vision-agent/protocol";
import { fetchTarballWithNpm } from "@vision-agent/vision-engine";
import { describeBudgetWarning, openBudgetView } from "./agent/budget-view.ts";
import { createSpendingLimits, type SpendingLimits, toMicroUsd } from "./agent/spending-limits.ts";
import { createSpendingNews } from "./agent/spending-news.ts";
import { createUsageLog, type UsageLog, usageEntrySchema } from "./agent/usage-log.ts";
import type { VisionAgentOptions } from "./agent/vision-agent.ts";
import type { AlertRouter } from "./alerts/route-alert.ts";
import { modelFolder } from "./config/environment.ts";
import type { Memory } from "./memory/memory.ts";
import { type OpenMemory, openMarkdownMemory } from "./memory/open-markdown-memory.ts";
import { openTextModel } from "./memory/text-model.ts";
import { toJobNews } from "./monitor/job-news.ts";
import type { AppContext } from "./open-app-context.ts";
import { createSkillStore, type SkillStore } from "./skills/skill-store.ts";
import type { StopList } from "./stop-list.ts";
import { openBoundedLog } from "./store/bounded-log.ts";
import { DESTINATIONS_FILE, type DestinationStore, openDestinationStore } from "./store/destination-store.ts";
import { type ChangeLedger, createChangeLedger, receiptLines, toReceipt } from "./tools/change-ledger.ts";
import { nodeFiles } from "./workspace/node-files.ts";

const MOST_TURNS = 20_000;
const MOST_CHANGES = 20_000;

export interface AgentServices {
  readonly memory: Memory & Pick<OpenMemory, "rollUp" | "forget" | "notesIn" | "removeNote">;
  readonly skills: SkillStore;
  readonly jobs: Jobs;
  /** Where the answers of scheduled tasks are. */
  readonly jobStore: JobStore;
  readonly usage: UsageLog;
  /** What the agent did. */
  readonly changes: ChangeLedger;
  /** Where a person let the agent reach. */
  readonly destinations: DestinationStore;
  readonly metrics: Metrics;
  readonly budget: NonNullable<VisionAgentOptions["budget"]>;
  /** What models may cost. */
  readonly spendingLimits: SpendingLimits;
  /** To be told every event of every run. */
  readonly note: (event: AgentEvent) => void;
}

export interface AgentServicesOptions {
  readonly context: AppContext;
  readonly alerts: Pick<AlertRouter, "tell">;
  /** Who works off the schedule; asked only after the jobs were started. */
  readonly executor: Pick<AgentExecutor, "execute">;
  /** Why a job that is due is left out. */
  readonly skipReason: NonNullable<JobsOptions["skipReason"]>;
  /** Takes out what must never be written down. */
  readonly redact: (text: string) => string;
}

export async function openAgentServices(options: AgentServicesOptions, stops: StopList): Promise<AgentServices> {
  const { context, alerts, executor, skipReason, redact } = options;
  const { workspace, config, timeZone, pid, onNotice } = context;
  const budget = await openBudget(context, stops);
  const log = await openBoundedLog({
    files: nodeFiles,
    path: workspace.path("usage.jsonl"),
    schema: usageEntrySchema,
    maxEntries: MOST_TURNS,
  });
  const usage = createUsageLog({ log, now: systemClock.now, timeZone, onProblem: onNotice });
  const changes = await openChanges(context, redact);
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
    deliver: (delivery) => tellAnswer(delivery, { alerts, changes }),
    onEvent: (event) => {
      const news = toJobNews(event);
      if (news !== undefined) void alerts.tell(news);
    },
    config: () => ({ maxTokens: config.llm.maxTokens }),
  });
  stops.add(() => jobs.stop());
  return {
    memory: await openMemory(context, redact, stops),
    skills: createSkillStore({ files: nodeFiles, folder: workspace.path("skills"), onProblem: onNotice }),
    jobs,
    jobStore: store,
    usage,
    changes,
    destinations: await openDestinationStore({
      files: nodeFiles,
      path: workspace.path(DESTINATIONS_FILE),
      now: systemClock.now,
      onNotice,
    }),
    metrics,
    budget,
    spendingLimits: createSpendingLimits({
      ledger: budget.ledger,
      files: nodeFiles,
      path: context.configPath,
      onChange: () => budget.budgetView.refresh(),
    }),
    note(event) {
      metrics.record(event);
      usage.note(event);
      noteSpending(event);
    },
  };
}

async function openChanges(
  { workspace, onNotice: onProblem }: AppContext,
  redact: AgentServicesOptions["redact"],
): Promise<ChangeLedger> {
  const path = workspace.path("changes.jsonl");
  const log = await openBoundedLog({ files: nodeFiles, path, schema: changeSchema, maxEntries: MOST_CHANGES });
  return createChangeLedger({ log, now: systemClock.now, redact, onProblem });
}

interface AnswerParts {
  readonly alerts: AgentServicesOptions["alerts"];
  readonly changes: Pick<ChangeLedger, "list">;
}

/** With what it changed, and the last picture that was looked at. */
async function tellAnswer({ text, run }: JobDelivery, { alerts, changes }: AnswerParts): Promise<void> {
  if (text.trim() === "") return;
  const receipt = run.runId === undefined ? undefined : toReceipt([], changes.list({ run: run.runId }));
  const told = receipt === undefined ? text : `${text}\n\n${receiptLines(receipt).join("\n")}`;
  await alerts.tell({ text: told, severity: "info", picture: run.output?.artifacts?.at(-1) });
}

async function openMemory(
  { workspace, env, timeZone, onNotice }: AppContext,
  redact: AgentServicesOptions["redact"],
  stops: StopList,
): Promise<AgentServices["memory"]> {
  const model = openTextModel({ folder: modelFolder(env), fetchTarball: fetchTarballWithNpm, onNotice });
  stops.add(() => model.close());
  const memory = await openMarkdownMemory({
    files: nodeFiles,
    folder: workspace.folder,
    now: systemClock.now,
    timeZone,
    onNotice,
    embedder: model.embedder,
    onSearch: model.want,
    redact,
  });
  stops.add(() => memory.close());
  return memory;
}

async function openBudget(
  { workspace, config, timeZone, pid, onNotice }: AppContext,
  stops: StopList,
): Promise<AgentServices["budget"]> {
  const { costLimitDaily, costLimitMonthly } = config.llm;
  const ledger = createBudgetLedger({
    limits: { day: toMicroUsd(costLimitDaily) },
    ...(typeof costLimitMonthly === "number" && { monthLimits: { day: toMicroUsd(costLimitMonthly) } }),
    timeZone,
    clock: systemClock,
    store: createFileLedgerStore({ path: workspace.path("spending.jsonl"), owner: `process ${pid}` }),
    onWarning: (warning) => {
      // Shares are told to a person, in a turn or as an alert.
      if (warning.kind !== "share_used") onNotice(describeBudgetWarning(warning));
    },
  });
  stops.add(() => ledger.close());
  return { ledger, budgetView: await openBudgetView({ ledger, clock: systemClock }) };
}
