// a workspace and the turn it got to → a day of turns, questions, notes, watches, alerts and jobs, for a test that kills it
import { appendFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type AgentEvent,
  type AgentExecutor,
  type BudgetLedger,
  type ExecutionOutcome,
  type LLMRequest,
  type PauseRecord,
  type Price,
  type Reservation,
  randomIds,
  type Tool,
} from "@vision-agent/agent-core";
import { createFileJobStore, createJobSpec, createJobs, type JobStore, type Jobs } from "@vision-agent/agent-core/jobs";
import { createFileArtifactStore, createFileSessionStore } from "@vision-agent/agent-core/node";
import { createFakeClock, type FakeClock, type ScriptStep, scriptedModel } from "@vision-agent/agent-core/testing";
import { type Alert, alertSchema, changeSchema, type OutputValue } from "@vision-agent/protocol";
import { describeWorkflow, modelsOf, shapesOf } from "@vision-agent/vision-engine";
import { openBudgetView } from "../../agent/budget-view.ts";
import { createUsageLog, usageEntrySchema } from "../../agent/usage-log.ts";
import { createVisionAgent } from "../../agent/vision-agent.ts";
import { alertDecisionSchema } from "../../alerts/alert-decision.ts";
import { type AlertChannel, type AlertRouter, createAlertRouter } from "../../alerts/route-alert.ts";
import type { Memory } from "../../memory/memory.ts";
import { openMarkdownMemory } from "../../memory/open-markdown-memory.ts";
import { createActiveState } from "../../pipelines/active-state.ts";
import { createPipelineRegistry, type PipelineRegistry } from "../../pipelines/pipeline-registry.ts";
import { openScene } from "../../scene/open-scene.ts";
import { openBoundedLog } from "../../store/bounded-log.ts";
import type { PictureStore } from "../../store/event-retention.ts";
import { openSceneEventLog } from "../../store/open-scene-event-log.ts";
import { type ChangeLedger, createChangeLedger, withLedger } from "../../tools/change-ledger.ts";
import { type GradedTool, withApproval } from "../../tools/graded-tool.ts";
import { rememberTool } from "../../tools/memory-tools.ts";
import { sendAlertTool } from "../../tools/send-alert.ts";
import { scheduleTaskTool } from "../../tools/task-tools.ts";
import { watchTool } from "../../tools/watch-tools.ts";
import { storedWatchSchema } from "../../watches/camera-assignments.ts";
import { recordFirings } from "../../watches/record-firings.ts";
import { createWatchRegistry, type WatchRegistry } from "../../watches/watch-registry.ts";
import { quietReason } from "../../watches/watch-times.ts";
import { type CameraRegistry, createCameraRegistry } from "../../workspace/camera-registry.ts";
import type { FilePort } from "../../workspace/file-port.ts";
import { nodeFiles } from "../../workspace/node-files.ts";
import { openWorkspace } from "../../workspace/open-workspace.ts";
import { nodeProcesses } from "../../workspace/process-table.ts";
import { JPEG, NO_DESTINATIONS } from "../fake-app.ts";
import { backendsOn, createFakeEngine, type FakeEngine } from "../fake-engine.ts";
import { fakePlaces } from "../fake-places.ts";
import { type DayRun, isAgreed, type Mark, nextStep, openLedger, SESSIONS, TURN_MS, timeOfTurn } from "./day-plan.ts";

/** Shorter than any patience of the loop: what is under way ends before the next step. */
const STEP_MS = 30_000;
const MOST_WATCHES = 3;
const OWNER = { userId: "owner" } as const;
const CLASSES = ["person", "car"];
const RATES = { input: 1, output: 5, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 };
const PRICE: Price = { tiers: [{ aboveInputTokens: 0, ...RATES }], asOf: "2026-01-01" };

type Tell = (mark: Mark) => void;

interface Day {
  readonly tell: Tell;
  readonly clock: FakeClock;
  readonly engine: FakeEngine;
  readonly pipelines: PipelineRegistry;
  readonly watches: WatchRegistry;
  readonly executor: AgentExecutor;
  readonly jobs: Jobs;
  readonly jobStore: JobStore;
  close(): Promise<void>;
}

async function openDay(folder: string, startMs: number, tell: Tell): Promise<Day> {
  const clock = createFakeClock(startMs);
  const onProblem = (message: string): void => tell({ kind: "problem", message });
  const files = tellingFiles(tell);
  const { path, close } = await openWorkspace({ folder, files, processes: nodeProcesses, pid: process.pid });
  const send = async ({ id, text }: Alert): Promise<void> => tell({ kind: "sent", alertId: id, text });
  const vision = await openVisionServices({ path, files, clock, onProblem, channel: { name: "person", send } });
  const ledger = tellingLedger(openLedger(folder, clock), tell);
  const memory = await openMarkdownMemory({ files, folder, now: clock.now, timeZone: "UTC", onNotice: onProblem });
  const log = await openBoundedLog({ files, path: path("usage.jsonl"), schema: usageEntrySchema, maxEntries: 10_000 });
  const usage = createUsageLog({ log, now: clock.now, timeZone: "UTC", onProblem });
  const written = await openBoundedLog({
    files,
    path: path("changes.jsonl"),
    schema: changeSchema,
    maxEntries: 10_000,
  });
  const changes = createChangeLedger({ log: written, now: clock.now, redact: (text) => text, onProblem });
  const jobStore = createFileJobStore({ path: path("jobs.jsonl"), owner: "day" });
  const jobs = createJobs({
    executor: { execute: (input) => executor.execute(input) },
    store: jobStore,
    clock,
    ids: randomIds,
    onEvent: (event) => event.type === "run_started" && tell({ kind: "job_run", key: event.run.id }),
  });
  const script = (request: LLMRequest): ScriptStep => {
    tell({ kind: "model_asked" });
    return nextStep(request);
  };
  const { executor } = createVisionAgent({
    speaker: { mode: "model", client: scriptedModel(script, { price: PRICE }), model: "scripted-1", price: PRICE },
    tools: createDayTools({ ...vision, changes, memory, jobs, clock, tell }),
    prompt: { system: async () => [], state: async () => "" },
    sessions: createFileSessionStore({ folder: path("sessions"), owner: "day" }),
    artifacts: vision.artifacts,
    clock,
    ids: randomIds,
    budget: { ledger, budgetView: await openBudgetView({ ledger, clock }) },
    onEvent(event) {
      tellEffect(event, tell);
      usage.note(event);
    },
  });
  return {
    ...{ tell, clock, ...vision, executor, jobs, jobStore },
    async close() {
      await jobs.stop();
      await executor.close();
      await vision.close();
      await log.settled();
      await written.settled();
      await memory.close();
      await jobStore.close();
      await ledger.close();
      await close();
    },
  };
}

function createDayTools(parts: {
  readonly changes: ChangeLedger;
  readonly cameras: CameraRegistry;
  readonly watches: WatchRegistry;
  readonly alerts: AlertRouter;
  readonly memory: Memory;
  readonly jobs: Jobs;
  readonly clock: FakeClock;
  readonly tell: Tell;
}): readonly Tool[] {
  const graded: readonly GradedTool[] = [
    rememberTool(parts),
    sendAlertTool(parts),
    scheduleTaskTool({ ...parts, timeZone: "UTC", level: "autonomous", mayObeyText: true }),
    watchTool({ ...parts, places: fakePlaces(), detectorFor: () => "sim/truth", classesOf: () => CLASSES }),
  ];
  // One asks first, so that a kill also comes while a question is open.
  const asked = graded.map((tool) =>
    withApproval(withLedger(tool, parts.changes), {
      level: tool.name === "create_watch" ? "advisory" : "autonomous",
      destinations: NO_DESTINATIONS,
      mayObeyText: false,
    }),
  );
  return asked.map((tool) => tellingTool(tool, parts.tell));
}

/** The tool, telling what it did before anybody can write it down: the worst moment for a kill. */
function tellingTool(tool: Tool, tell: Tell): Tool {
  return {
    ...tool,
    async execute(args, context) {
      const output = await tool.execute(args, context);
      tell({ kind: "done", callId: context.callId });
      return output;
    },
  };
}

/** Pipelines on an engine without pixels, with everything behind them as the app has it. */
async function openVisionServices(context: {
  readonly path: (...parts: readonly string[]) => string;
  readonly files: FilePort;
  readonly clock: FakeClock;
  readonly onProblem: (message: string) => void;
  readonly channel: AlertChannel;
}) {
  const { path, files, clock, onProblem, channel } = context;
  const common = { clock, ids: randomIds, onProblem };
  const engine = createFakeEngine();
  const cameras = createCameraRegistry({ markdown: "", extra: ["street=sim://street"] });
  const artifacts = createFileArtifactStore({ folder: path("artifacts") });
  const state = createActiveState({ files, path: path("active_state.json"), now: clock.now });
  const workflows = { describeWorkflow, shapesOf, modelsOf };
  const pipelines = createPipelineRegistry({
    admit: () => undefined,
    ...common,
    backends: backendsOn({ direct: engine }),
    cameras,
    state,
    workflows,
  });
  const pictures: PictureStore = {
    // The engine without pixels gives no real pictures, and the store takes no others.
    put: (bytes, about) => artifacts.put(Buffer.concat([JPEG, bytes]), about),
    list: (filter) => artifacts.list(filter),
    ref: (id) => artifacts.ref(id),
    remove: (id) => artifacts.remove(id),
  };
  const kept = { files, folder: path("events"), pictures, keepDays: 14, maxBytes: 1e9, timeZone: "UTC" };
  const index = { indexPath: path(".index", "events.sqlite"), alertPictures: () => new Set<string>() };
  const events = await openSceneEventLog({ ...common, ...kept, ...index });
  const log = await openBoundedLog({
    files,
    path: path("events", "alerts.jsonl"),
    schema: alertSchema,
    maxEntries: 10_000,
  });
  const scene = openScene({ pipelines, log: events, clock });
  const watches = createWatchRegistry({
    ...common,
    pipelines,
    scene,
    cameras,
    store: state.section("watches", storedWatchSchema),
    modelFor: () => "sim/truth",
    classesOf: () => CLASSES,
  });
  const findWatch = (id: string) => watches.list().find((watch) => watch.id === id);
  const alerts: AlertRouter = createAlertRouter({
    ...common,
    quiet: (watch, ms) => quietReason(watch, ms, { timeZone: "UTC", mode: "home" }),
    decisions: await openBoundedLog({
      files,
      path: path("events", "decisions.jsonl"),
      schema: alertDecisionSchema,
      maxEntries: 10_000,
    }),
    pipelines,
    findWatch,
    events,
    channels: [channel],
    log,
  });
  recordFirings({ watches, pipelines, log: events, clock });
  return {
    ...{ engine, cameras, artifacts, pipelines, watches, alerts },
    async close() {
      await pipelines.close();
      await watches.close();
      await events.close();
      await alerts.close();
    },
  };
}

/** The disk, telling which file it is about to write anew and each line that it took. */
function tellingFiles(tell: Tell): FilePort {
  return {
    ...nodeFiles,
    writeAtomic(path, text) {
      tell({ kind: "writing", path });
      return nodeFiles.writeAtomic(path, text);
    },
    async append(path, text) {
      await nodeFiles.append(path, text);
      for (const line of text.split("\n")) if (line !== "") tell({ kind: "line", path, line });
    },
  };
}

/** The ledger, telling what is asked for before, and what was paid after. */
function tellingLedger(ledger: BudgetLedger, tell: Tell): BudgetLedger {
  let count = 0;
  return {
    async reserve(request) {
      const key = `${process.pid}-${++count}`;
      tell({ kind: "reserving", key, microUsd: request.worstMicroUsd });
      const reservation: Reservation = await ledger.reserve(request);
      return {
        id: reservation.id,
        async settle(microUsd) {
          await reservation.settle(microUsd);
          tell({ kind: "settled", key, microUsd });
        },
        async release() {
          await reservation.release();
          tell({ kind: "settled", key, microUsd: 0 });
        },
      };
    },
    state: (scope) => ledger.state(scope),
    setLimit: (scope, change) => ledger.setLimit(scope, change),
    takePassed: (scopes) => ledger.takePassed(scopes),
    close: () => ledger.close(),
  };
}

function tellEffect(event: AgentEvent, tell: Tell): void {
  if (event.type !== "tool_result") return;
  const { callId, outcome } = event.result;
  if (outcome === "ok") tell({ kind: "effect", callId });
  else if (outcome !== "interrupted" && outcome !== "not_executed" && outcome !== "denied") {
    tell({ kind: "problem", message: `${callId}: ${JSON.stringify(event.result)}` });
  }
}

/** Goes on at `first` until `last`, or until it is killed. */
async function live(day: Day, first: number, last: number): Promise<void> {
  await day.executor.recover();
  await day.pipelines.restore();
  await day.watches.load();
  await day.watches.restore();
  const retries = { max: 0, backoffMs: 0 };
  const instructions = "Is all well?";
  await day.jobs.upsert(createJobSpec({ id: "heartbeat", kind: "heartbeat", principal: OWNER, instructions, retries }));
  day.jobs.start();
  for (let turn = first; turn <= last; turn++) {
    day.tell({ kind: "turn", turn });
    await removeOldest(day);
    await takeTurn(day, turn);
    day.tell({ kind: "turn_over", turn });
    showPerson(day, turn);
    await passTime(day);
  }
}

/** The same message after a kill is the same turn: what was done is not done again. */
async function takeTurn(day: Day, turn: number): Promise<void> {
  const input = { sessionId: SESSIONS[turn % 3]!, text: `Turn ${turn}`, principal: OWNER, dedupeKey: `turn-${turn}` };
  const said = await day.executor.execute(input).outcome;
  const outcome = said.status === "paused" ? await answer(day, turn, said.pause) : said;
  if (outcome.status !== "finished") {
    day.tell({ kind: "problem", message: `Turn ${turn}: ${JSON.stringify(outcome)}` });
  }
}

/** The person answers the question, and then once more, which must not count. */
async function answer({ executor, tell }: Day, turn: number, { id, token }: PauseRecord): Promise<ExecutionOutcome> {
  const say = (): Promise<ExecutionOutcome> =>
    executor.resume(id, { token, kind: isAgreed(turn) ? "approve" : "deny" }, { principal: OWNER }).outcome;
  tell({ kind: "asked", pauseId: id });
  await new Promise(setImmediate);
  tell({ kind: "answering", pauseId: id });
  const outcome = await say();
  tell({ kind: "answered", pauseId: id });
  const again = await say();
  if (again.status !== "failed" || again.error.code !== "pause_used") {
    tell({ kind: "problem", message: `Turn ${turn}, answered twice: ${JSON.stringify(again)}` });
  }
  return outcome;
}

async function removeOldest({ watches, tell }: Day): Promise<void> {
  const [oldest] = watches.list();
  if (oldest === undefined || watches.list().length <= MOST_WATCHES) return;
  const { id, words } = oldest;
  tell({ kind: "removing", words });
  await watches.remove(id);
  tell({ kind: "removed", words });
}

/** Somebody new walks into every picture: long enough in view for each watch to fire. */
function showPerson({ engine, clock }: Day, turn: number): void {
  const seen: OutputValue = {
    kind: "detections",
    detections: {
      image: { width: 960, height: 540 },
      xyxy: [100, 100, 200, 400],
      confidence: [0.9],
      class_id: [0],
      class_name: ["person"],
      tracker_id: [turn],
    },
  };
  for (const pipeline of engine.pipelines) {
    if (pipeline.stopped) continue;
    for (let frame = 0; frame < 3; frame++) pipeline.emit({ tracked_detections: seen }, clock.now() + frame * 100);
  }
}

async function passTime({ clock, jobStore }: Day): Promise<void> {
  for (let passed = 0; passed < TURN_MS; passed += STEP_MS) {
    await clock.advance(STEP_MS);
    // The disk is slower than this clock: a heartbeat under way must not run out of time.
    while ((await jobStore.runs({ states: ["claimed", "running"] })).length > 0) {
      await new Promise((wake) => setTimeout(wake, 1));
    }
  }
}

/** Kills this process after so many turns of its event loop: wherever it is then, also in the middle of a write. */
function dieAfter(ticks: number): void {
  if (ticks === 0) process.kill(process.pid, "SIGKILL");
  else setImmediate(() => dieAfter(ticks - 1));
}

/** With `death` it dies so many marks and ticks from now; 0 marks: while it opens. */
async function run(folder: string, path: string, options: DayRun): Promise<void> {
  const { first, last, death } = options;
  let told = 0;
  const tell: Tell = (mark) => {
    appendFileSync(path, `${JSON.stringify(mark)}\n`);
    if (death?.kind !== undefined && mark.kind !== death.kind) return;
    told += 1;
    if (told === death?.marks) dieAfter(death.ticks);
  };
  if (death?.marks === 0) dieAfter(death.ticks);
  const day = await openDay(folder, timeOfTurn(first), tell);
  await live(day, first, last);
  await day.close();
}

const [, script, folder, marks, options] = process.argv;
if (script === fileURLToPath(import.meta.url) && folder && marks && options) {
  await run(folder, marks, JSON.parse(options) as DayRun);
}
