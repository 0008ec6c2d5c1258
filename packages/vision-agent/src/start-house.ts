// config → stores → backends → pipelines → events → alerts → agent → interfaces
import { fileURLToPath } from "node:url";
import { createRedactor, createSecretFilter, type RunHandle, randomIds, systemClock } from "@vision-agent/agent-core";
import type { VisionAgent } from "./agent/vision-agent.ts";
import { endForgotten } from "./backends/end-forgotten.ts";
import { toConfigView } from "./config/to-config-view.ts";
import type { RunningHouse } from "./interfaces/cli/house-flags.ts";
import { createHttpServer } from "./interfaces/http/create-http-server.ts";
import { listen } from "./interfaces/http/listen.ts";
import { leaveServerNote, SERVER_NOTE } from "./interfaces/http/server-note.ts";
import { knownSecrets } from "./known-secrets.ts";
import { createHeartbeat, type Heartbeat } from "./monitor/heartbeat.ts";
import { createHouseNews } from "./monitor/house-news.ts";
import { keepHouse } from "./monitor/keep-house.ts";
import { openAgent } from "./open-agent.ts";
import { type Ground, type GroundOptions, openGround } from "./open-ground.ts";
import { type Mind, openMind } from "./open-mind.ts";
import { openSight, type Sight } from "./open-sight.ts";
import { detectorFor } from "./pipelines/detector-for.ts";
import { startDemo } from "./pipelines/start-demo.ts";
import { createConversations } from "./sessions/conversations.ts";
import { createPauses } from "./sessions/pauses.ts";
import { loadUsageReport } from "./sessions/usage-report.ts";
import { createStopList, type StopList } from "./stop-list.ts";
import { resizePicture } from "./tools/resize-picture.ts";
import { nodeFiles } from "./workspace/node-files.ts";
import { nodeProcesses } from "./workspace/process-table.ts";

export interface HouseOptions extends GroundOptions {
  readonly version: string;
}

const STOP_LIMIT_MS = 5000;
const WEB_FOLDER = fileURLToPath(new URL("../../web/dist", import.meta.url));

/** Starts everything in order, or stops what was started and rejects with the reason. */
export async function startHouse(options: HouseOptions): Promise<RunningHouse> {
  const { version } = options;
  let ground: Ground | undefined;
  // Asked anew each time: cameras come and go while the house runs.
  const secrets = (): readonly string[] => (ground === undefined ? [] : knownSecrets(ground));
  const redactor = createRedactor({ secrets });
  const onNotice = (message: string): void => options.onNotice(redactor.text(message));
  const stops = createStopList({ limitMs: STOP_LIMIT_MS, onProblem: onNotice });
  try {
    ground = await openGround({ ...options, onNotice }, stops);
    const sight = await openSight(ground, redactor, stops);
    const mind = await openMind(
      {
        ground,
        alerts: sight.alerts,
        // Jobs need who answers, and who answers plans jobs; they start last.
        executor: { execute: (input) => agent.executor.execute(input) },
        skipReason: (spec, wanted) => heartbeat.skipReason(spec, wanted),
        redact: (text) => redactor.text(text),
      },
      stops,
    );
    const heartbeat = openHeartbeat({ ground, sight, mind, stops, hasModel: () => agent.mode === "model" });
    const agent = await openAgent({
      ground,
      sight,
      mind,
      redactor,
      secrets: createSecretFilter(secrets),
      news: heartbeat.listNews,
    });
    stops.add(() => agent.executor.close());
    await settleInterrupted(agent, onNotice);
    const address = await openServer({ version, ground, sight, mind, agent, stops, redact: redactor.text });
    const demo = await wake({ ground, sight, mind, agent, heartbeat, stops });
    const cameras = ground.cameras.list().map(({ name }) => name);
    const { folder } = ground.workspace;
    return { address, folder, speaker: agent.speaker, cameras, ...(demo && { demo }), stop: () => stops.stop() };
  } catch (error) {
    await stops.stop();
    throw error;
  }
}

/** What a crash cut off in a conversation is settled before anybody goes on with it. */
async function settleInterrupted({ executor }: VisionAgent, onNotice: (message: string) => void): Promise<void> {
  const { interrupted, repaired } = await executor.recover();
  if (interrupted.length > 0) onNotice(`${interrupted.length} steps were cut off when the program ended last time.`);
  for (const { sessionId } of repaired)
    onNotice(`The transcript of ${sessionId} was damaged at its end and is mended.`);
}

interface HouseParts {
  readonly ground: Ground;
  readonly sight: Sight;
  readonly mind: Mind;
  readonly agent: VisionAgent;
  readonly stops: StopList;
}

interface ServerParts extends HouseParts {
  readonly version: string;
  readonly redact: (text: string) => string;
}

async function openServer(parts: ServerParts): Promise<string> {
  const { version, redact, ground, sight, mind, agent, stops } = parts;
  const { workspace, config, cameras, credentials, artifacts, sessions, timeZone, pid, onNotice } = ground;
  const { mode, speaker, executor } = agent;
  const onResumed = (pauseId: string, run: RunHandle): void => {
    mind.jobs.resumed(pauseId, run).catch((error: unknown) => onNotice(`A job does not know: ${String(error)}`));
  };
  const pauses = createPauses({ executor, onResumed });
  const conversations = createConversations({
    executor,
    sessions,
    artifacts,
    clock: systemClock,
    ids: randomIds,
    visionMode: mode === "offline" ? "lenient" : "strict",
    pauses,
  });
  const server = await createHttpServer({
    ...sight,
    ...mind,
    ...sight.seeing,
    version,
    redact,
    mode,
    speaker,
    clock: systemClock,
    conversations,
    pauses,
    executor,
    artifacts,
    cameras,
    credentials,
    usage: () =>
      loadUsageReport({
        book: mind.usage,
        sessions,
        watches: sight.watches.list(),
        clock: systemClock,
        timeZone,
        limitUsd: config.llm.costLimitDailyUsd,
      }),
    settings: toConfigView(config),
    metrics: mind.metrics.registry,
    validate: (spec) => sight.seeing.backends.choose({ task: "pipeline", spec }).backend.validate(spec),
    resize: resizePicture,
    webFolder: WEB_FOLDER,
    onFault: (error) => onNotice(`Something broke inside: ${error instanceof Error ? error.stack : error}`),
  });
  stops.add(async () => {
    await server.close();
  });
  const address = await listen(server, config.server);
  const note = { files: nodeFiles, processes: nodeProcesses, path: workspace.path(SERVER_NOTE) };
  stops.add(await leaveServerNote(note, { pid, address }));
  return address;
}

function openHeartbeat(parts: Omit<HouseParts, "agent"> & { readonly hasModel: () => boolean }): Heartbeat {
  const { ground, sight, mind, stops, hasModel } = parts;
  const { config, cameras, workspace } = ground;
  const { escalationConfidence } = config.monitoring;
  const news = createHouseNews({ ...sight, cameras, clock: systemClock, escalationConfidence });
  stops.add(() => news.close());
  return createHeartbeat({
    config: config.heartbeat,
    jobs: mind.jobs,
    news,
    purse: mind.budget.purse,
    readChecklist: () => nodeFiles.readText(workspace.path("HEARTBEAT.md")),
    hasModel,
    clock: systemClock,
  });
}

/** Runs again what was running, or the demo where nothing ever ran; nobody waits for cameras that are slow to open. */
async function wake(parts: HouseParts & { readonly heartbeat: Heartbeat }): Promise<string | undefined> {
  const { ground, sight, mind, agent, heartbeat, stops } = parts;
  const { flags, config, cameras, onNotice } = ground;
  if (flags.asleep) return undefined;
  const { pipelines, watches, events, state, seeing, ledger } = sight;
  const tell = (error: unknown): void => onNotice(error instanceof Error ? error.message : String(error));
  const isDemoScene = /^sim:\/\/street\b/i.test(cameras.find("street")?.address ?? "");
  const demo = config.demo && flags.demo && isDemoScene && !(await state.exists());
  const wanted = async () => new Set((await state.load()).pipelines.map(({ id }) => id));
  const { ended } = await endForgotten({ ...seeing, ledger, wanted, clock: systemClock, onProblem: onNotice });
  ended.catch(tell);
  const started = demo ? startDemo({ pipelines, state, modelId: detectorFor("sim://street") }) : pipelines.restore();
  started.then(() => watches.restore()).catch(tell);
  await heartbeat.schedule().catch(tell);
  mind.jobs.start();
  stops.add(
    keepHouse({ executor: agent.executor, memory: mind.memory, events, clock: systemClock, onProblem: onNotice }),
  );
  return demo ? "street-count counts what crosses the middle of the street" : undefined;
}
