// config → stores → backends → pipelines → events → alerts → agent → interfaces
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createRedactor, type RunHandle, randomIds, systemClock } from "@vision-agent/agent-core";
import { createRedactingLogger } from "@vision-agent/agent-core/observability";
import { type Access, openAccess } from "./access/open-access.ts";
import type { VisionAgent } from "./agent/vision-agent.ts";
import { endForgotten } from "./backends/pipeline-ledger.ts";
import { settingsWithoutUse } from "./config/config-schema.ts";
import { toConfigView } from "./config/to-config-view.ts";
import type { RunningApp } from "./interfaces/cli/app-flags.ts";
import { createHttpServer } from "./interfaces/http/create-http-server.ts";
import { listen } from "./interfaces/http/listen.ts";
import { openReach, publicAddress } from "./interfaces/http/open-reach.ts";
import { leaveServerNote, SERVER_NOTE } from "./interfaces/http/server-note.ts";
import { knownSecrets } from "./known-secrets.ts";
import { createHeartbeat, type Heartbeat } from "./monitor/heartbeat.ts";
import { createNewsLog } from "./monitor/news-log.ts";
import { runMaintenance } from "./monitor/run-maintenance.ts";
import { openAgent } from "./open-agent.ts";
import { type AgentServices, openAgentServices } from "./open-agent-services.ts";
import { type AppContext, type AppContextOptions, openAppContext } from "./open-app-context.ts";
import { type OpenForget, openForget } from "./open-forget.ts";
import { openUndo, type UndoParts } from "./open-undo.ts";
import { openVisionServices, type VisionServices } from "./open-vision-services.ts";
import { detectorFor } from "./pipelines/detector-for.ts";
import { startDemo } from "./pipelines/start-demo.ts";
import { createConversations } from "./sessions/conversations.ts";
import { createPauses } from "./sessions/pauses.ts";
import { loadUsageReport } from "./sessions/usage-report.ts";
import { createStopList, type StopList } from "./stop-list.ts";
import { type OpenLog, openLog } from "./store/open-log.ts";
import { type FaultSource, takeFaults } from "./take-faults.ts";
import { denyEgress } from "./tools/ask-egress.ts";
import { resizePicture } from "./tools/resize-picture.ts";
import { withoutAddressSecrets } from "./workspace/camera-address.ts";
import { reasonOf } from "./workspace/kinded-error.ts";
import { nodeFiles } from "./workspace/node-files.ts";
import { nodeProcesses } from "./workspace/process-table.ts";

export interface AppOptions extends AppContextOptions {
  readonly version: string;
  /** The process, where it is the app's own: what nobody caught is told, and ends it in order. */
  readonly faults?: FaultSource;
}

const STOP_LIMIT_MS = 5000;
/** Of watches, for a command that looks at what is stored. */
const NOT_RUNNING = "nothing is watched, because Vision Agent is not running; vision-agent serve starts it.";
const WEB_FOLDER = fileURLToPath(new URL("../../web/dist", import.meta.url));

/** Starts everything in order, or stops what was started and rejects with the reason. */
export async function startApp(options: AppOptions): Promise<RunningApp> {
  const { version } = options;
  let context: AppContext | undefined;
  let access: Access | undefined;
  // Asked anew each time: cameras come and go while the app runs.
  const secrets = (): readonly string[] => [
    ...(context === undefined ? [] : knownSecrets(context)),
    ...(access === undefined ? [] : [access.token]),
  ];
  const redactor = createRedactor({ secrets, alsoHide: withoutAddressSecrets });
  let log: OpenLog | undefined;
  const onNotice = (message: string): void => {
    const shown = redactor.text(message);
    log?.warn(shown);
    options.onNotice(shown);
  };
  const stops = createStopList({ limitMs: STOP_LIMIT_MS, onProblem: onNotice });
  if (options.faults) stops.add(takeFaults(options.faults, { onNotice, stop: () => stops.stop() }));
  try {
    context = await openAppContext({ ...options, onNotice }, stops);
    log = openLog(context.workspace.path("logs", "vision-agent.log"));
    stops.add(() => {
      log?.info("stopped");
      log?.close();
    });
    const { folder } = context.workspace;
    access = await openAccess({ files: nodeFiles, folder, clock: systemClock, ids: randomIds, onNotice });
    for (const key of settingsWithoutUse(context.config)) onNotice(`${key} is set, but nothing uses it yet.`);
    const vision = await openVisionServices(
      context,
      { redact: redactor.display, check: (watch, event) => checkWatch(watch, event) },
      stops,
    );
    const services = await openAgentServices(
      {
        context,
        alerts: vision.alerts,
        // Jobs need who answers, and who answers plans jobs; they start last.
        executor: { execute: (input) => agent.executor.execute(input) },
        skipReason: (spec, wanted) => heartbeat.skipReason(spec, wanted),
        redact: redactor.display,
      },
      stops,
    );
    const heartbeat = openHeartbeat({ context, vision, services, stops, hasModel: () => agent.mode === "model" });
    const changing = await openUndo({ context, access, vision, services, redact: redactor.display });
    const forget = openForget(context, vision, { ...services, undo: changing.undo });
    stops.add(() => forget.close());
    const { agent, checkWatch } = await openAgent({
      context,
      vision,
      services,
      changing,
      forget,
      secrets,
      redact: redactor.display,
      news: heartbeat.listNews,
    });
    stops.add(async () => {
      const { failed } = await agent.executor.close();
      for (const { sessionId, error } of failed) onNotice(`Not kept of ${sessionId}: ${error.message}`);
    });
    await settleInterrupted(agent, onNotice);
    forget.retrySoon();
    const { display: redact } = redactor;
    const { address, others } = await openServer({
      version,
      context,
      access,
      vision,
      services,
      changing,
      forget,
      agent,
      stops,
      redact,
    });
    const demo = await wake({ context, vision, services, changing, agent, heartbeat, stops });
    const cameras = context.cameras.list().map(({ name }) => name);
    createRedactingLogger(log, redactor).info("started", {
      version,
      address,
      mode: agent.mode,
      cameras,
      pid: options.pid,
    });
    return {
      address,
      ...(others && { others }),
      link: `${address}/login?token=${access.createCode().code}`,
      token: access.token,
      folder,
      speaker: agent.speaker,
      cameras,
      ...(demo && { demo }),
      stop: () => stops.stop(),
    };
  } catch (error) {
    log?.error(redactor.text(`did not start: ${reasonOf(error)}`));
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

interface AppParts {
  readonly context: AppContext;
  readonly vision: VisionServices;
  readonly services: AgentServices;
  readonly agent: VisionAgent;
  readonly stops: StopList;
}

interface ServerParts extends AppParts {
  readonly changing: UndoParts;
  readonly forget: OpenForget;
  readonly version: string;
  readonly access: Access;
  readonly redact: <T>(value: T) => T;
}

async function openServer(parts: ServerParts): Promise<Pick<RunningApp, "address" | "others">> {
  const { version, redact, access, context, vision, services, agent, stops } = parts;
  const { workspace, config, cameras, credentials, artifacts, sessions, timeZone, pid, onNotice } = context;
  const { mode, speaker, executor } = agent;
  const onResumed = (pauseId: string, run: RunHandle): void => {
    services.jobs.resumed(pauseId, run).catch((error: unknown) => onNotice(`A job does not know: ${String(error)}`));
  };
  const pauses = createPauses({
    executor,
    onEvent: agent.onEvent,
    onResumed,
    async onDenied(calls) {
      for (const call of calls) await denyEgress(context.egress.rules, call);
    },
  });
  const conversations = createConversations({
    executor,
    sessions,
    artifacts,
    clock: systemClock,
    ids: randomIds,
    changes: services.changes,
    admission: context.admission,
    visionMode: mode === "offline" ? "lenient" : "strict",
    pauses,
  });
  const { accounts } = access;
  const { folder } = workspace;
  const reach = await openReach({ config: config.server, accounts, files: nodeFiles, folder, now: systemClock.now });
  const server = await createHttpServer({
    ...vision,
    ...services,
    ...vision.seeing,
    ...parts.changing,
    version,
    redact,
    access,
    reach,
    mode,
    speaker,
    clock: systemClock,
    conversations,
    admission: context.admission,
    pauses,
    executor,
    artifacts,
    egress: context.egress,
    forget: parts.forget.forget,
    cameras,
    places: context.places,
    credentials,
    usage: async () =>
      loadUsageReport({
        usageLog: services.usage,
        sessions,
        watches: vision.watches.list(),
        clock: systemClock,
        timeZone,
        limitUsd: (await services.spendingLimits.current()).daily_usd,
      }),
    settings: async () => {
      const { daily_usd: costLimitDaily, monthly_usd: costLimitMonthly } = await services.spendingLimits.current();
      return toConfigView({ ...config, llm: { ...config.llm, costLimitDaily, costLimitMonthly } });
    },
    metrics: services.metrics.registry,
    validate: (spec) => vision.seeing.backends.choose({ task: "pipeline", spec }).backend.validate(spec),
    resize: resizePicture,
    webFolder: WEB_FOLDER,
    onFault: (error) => onNotice(`Something broke inside: ${error instanceof Error ? error.stack : error}`),
  });
  stops.add(async () => {
    await server.close();
  });
  const address = await listen(server, { ...config.server, reach });
  const note = { files: nodeFiles, processes: nodeProcesses, path: workspace.path(SERVER_NOTE) };
  stops.add(await leaveServerNote(note, { pid, address, token: access.token }));
  const { port } = server.server.address() as AddressInfo;
  return { address, others: publicAddress(reach, { host: config.server.host, port }) };
}

function openHeartbeat(parts: Omit<AppParts, "agent"> & { readonly hasModel: () => boolean }): Heartbeat {
  const { context, vision, services, stops, hasModel } = parts;
  const { config, cameras, workspace } = context;
  const { escalationConfidence } = config.monitoring;
  const news = createNewsLog({ ...vision, cameras, clock: systemClock, escalationConfidence });
  stops.add(() => news.close());
  return createHeartbeat({
    config: config.heartbeat,
    jobs: services.jobs,
    news,
    budgetView: services.budget.budgetView,
    readChecklist: () => nodeFiles.readText(workspace.path("HEARTBEAT.md")),
    hasModel,
    clock: systemClock,
    timeZone: context.timeZone,
  });
}

/** Runs again what was running, or the demo where nothing ever ran; nobody waits for cameras that are slow to open. */
async function wake(
  parts: AppParts & { readonly heartbeat: Heartbeat; readonly changing: UndoParts },
): Promise<string | undefined> {
  const { context, vision, services, changing, agent, heartbeat, stops } = parts;
  const { flags, config, cameras, onNotice } = context;
  const { pipelines, watches, events, state, seeing, ledger } = vision;
  if (flags.asleep) {
    await watches.load(NOT_RUNNING);
    return undefined;
  }
  const tell = (error: unknown): void => onNotice(reasonOf(error));
  const isDemoScene = /^sim:\/\/street\b/i.test(cameras.find("street")?.address ?? "");
  const demo = config.demo && flags.demo && isDemoScene && !(await state.exists());
  const wanted = async () => new Set((await state.load()).pipelines.map(({ id }) => id));
  const { ended } = await endForgotten({ ...seeing, ledger, wanted, clock: systemClock, onProblem: onNotice });
  ended.catch(tell);
  const started = demo ? startDemo(pipelines, detectorFor("sim://street")) : pipelines.restore();
  await watches.load();
  await pipelines.loaded();
  await changing.cameraAdmin.resume().catch(tell);
  await changing.undo.recover();
  watches.restore(started).catch(tell);
  await heartbeat.schedule().catch(tell);
  services.jobs.start();
  stops.add(
    runMaintenance({
      executor: agent.executor,
      memory: services.memory,
      events,
      clock: systemClock,
      onProblem: onNotice,
    }),
  );
  return demo ? "street-count counts what crosses the middle of the street" : undefined;
}
