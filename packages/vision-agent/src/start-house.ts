// config → stores → backends → pipelines → events → alerts → agent → interfaces
import { fileURLToPath } from "node:url";
import {
  type ArtifactStore,
  createRedactor,
  randomIds,
  type SessionStore,
  systemClock,
} from "@vision-agent/agent-core";
import { createFileArtifactStore, createFileSessionStore } from "@vision-agent/agent-core/node";
import { alertSchema } from "@vision-agent/protocol";
import * as engine from "@vision-agent/vision-engine";
import type { Known } from "./agent/offline/intent.ts";
import { openAnthropic } from "./agent/open-model.ts";
import { createSystemPrompt } from "./agent/system-prompt.ts";
import { createVisionAgent, type Speaker, type VisionAgent } from "./agent/vision-agent.ts";
import { watchingWorkflow } from "./agent/watching-workflow.ts";
import { type AlertRouter, createAlertRouter } from "./alerts/route-alert.ts";
import type { InferenceBackend } from "./backends/backend.ts";
import { detectionWorkflow } from "./backends/detection-workflow.ts";
import { createDirectBackend } from "./backends/direct.ts";
import { selectBackend } from "./backends/select-backend.ts";
import { type Config, DEFAULT_CONFIG_TEXT } from "./config/config-schema.ts";
import { type Environment, modelFolder, workspaceFolder } from "./config/environment.ts";
import { loadConfig } from "./config/load-config.ts";
import type { HouseFlags, RunningHouse } from "./interfaces/cli/house-flags.ts";
import { UsageError } from "./interfaces/cli/start-failure.ts";
import { createHttpServer } from "./interfaces/http/create-http-server.ts";
import { listen } from "./interfaces/http/listen.ts";
import { leaveServerNote, SERVER_NOTE } from "./interfaces/http/server-note.ts";
import { type ActiveState, createActiveState } from "./pipelines/active-state.ts";
import { countingWorkflow } from "./pipelines/counting-workflow.ts";
import { createPipelineRegistry } from "./pipelines/create-pipeline-registry.ts";
import { detectorFor } from "./pipelines/detector-for.ts";
import type { PipelineRegistry } from "./pipelines/pipeline-registry.ts";
import { startDemo } from "./pipelines/start-demo.ts";
import { type OpenSceneEventLog, openSceneEventLog } from "./scene-events/open-scene-event-log.ts";
import { recordSceneEvents } from "./scene-events/record-scene-events.ts";
import { createConversations } from "./sessions/conversations.ts";
import { createStopList, type StopList } from "./stop-list.ts";
import { openJsonLines } from "./store/json-lines.ts";
import { CAPTURE_EDGE, createCaptureFrameTool } from "./tools/capture-frame.ts";
import { createGetPipelineResultsTool } from "./tools/get-pipeline-results.ts";
import { createListPipelinesTool } from "./tools/list-pipelines.ts";
import { lookAtCamera } from "./tools/look-at-camera.ts";
import { resizePicture } from "./tools/resize-picture.ts";
import { createStartPipelineTool } from "./tools/start-pipeline.ts";
import { createStopPipelineTool } from "./tools/stop-pipeline.ts";
import { passwordOf } from "./workspace/camera-address.ts";
import type { CameraRegistry } from "./workspace/camera-registry.ts";
import { createCameraRegistry } from "./workspace/create-camera-registry.ts";
import { nodeFiles } from "./workspace/node-files.ts";
import { openWorkspace, type Workspace } from "./workspace/open-workspace.ts";
import { nodeProcesses } from "./workspace/process-table.ts";

export interface HouseOptions {
  readonly flags: HouseFlags;
  readonly env: Environment;
  /** Process id of this process. */
  readonly pid: number;
  readonly version: string;
  /** Told in a sentence what goes wrong without stopping anything. Must not throw. */
  readonly onNotice: (message: string) => void;
}

const STOP_LIMIT_MS = 5000;
const MOST_ALERTS = 5000;
const WEB_FOLDER = fileURLToPath(new URL("../../web/dist", import.meta.url));

/** Starts everything in order, or stops what was started and rejects with the reason. */
export async function startHouse(options: HouseOptions): Promise<RunningHouse> {
  await checkCameras(options.flags.cameras);
  const stops = createStopList({ limitMs: STOP_LIMIT_MS, onProblem: options.onNotice });
  try {
    const ground = await openGround(options, stops);
    const sight = await openSight(ground, stops);
    const agent = await openAgent(ground, sight);
    stops.add(() => agent.executor.close());
    await settleInterrupted(agent, options.onNotice);
    const address = await openServer({ ground, sight, agent, stops });
    const demo = await wake(ground, sight);
    const cameras = ground.cameras.list().map(({ name }) => name);
    const { folder } = ground.workspace;
    return { address, folder, speaker: agent.speaker, cameras, ...(demo && { demo }), stop: () => stops.stop() };
  } catch (error) {
    await stops.stop();
    throw error;
  }
}

/** Config and stores: what everything stands on. */
interface Ground {
  readonly options: HouseOptions;
  readonly workspace: Workspace;
  readonly config: Config;
  readonly cameras: CameraRegistry;
  readonly artifacts: ArtifactStore;
  readonly sessions: SessionStore;
}

async function openGround(options: HouseOptions, stops: StopList): Promise<Ground> {
  const { flags, env, pid, onNotice } = options;
  const folder = workspaceFolder({ flag: flags.workspace, env });
  const workspace = await openWorkspace({
    folder,
    files: nodeFiles,
    processes: nodeProcesses,
    pid,
    configText: DEFAULT_CONFIG_TEXT,
  });
  stops.add(() => workspace.close());
  const read = (name: string): Promise<string | undefined> => nodeFiles.readText(workspace.path(name));
  const written = { env, configText: await read("config.yaml"), envText: await read(".env") };
  // Read alone first: a mistake in the file is told even while a flag stands in for it.
  loadConfig(written);
  const config = loadConfig({ ...written, flags });
  const replaced = flags.cameras.length > 0;
  const cameras = createCameraRegistry({
    markdown: replaced ? "" : ((await read("CAMERAS.md")) ?? ""),
    extra: flags.cameras,
  });
  for (const { line, message } of cameras.warnings) onNotice(`CAMERAS.md line ${line}: ${message}`);
  return {
    options,
    workspace,
    config,
    cameras,
    artifacts: createFileArtifactStore({ folder: workspace.path("artifacts") }),
    sessions: createFileSessionStore({ folder: workspace.path("sessions"), owner: `process ${pid}` }),
  };
}

/** The SEE road: backends, pipelines, events, alerts. */
interface Sight {
  readonly backend: InferenceBackend;
  readonly state: ActiveState;
  readonly pipelines: PipelineRegistry;
  readonly events: OpenSceneEventLog;
  readonly alerts: AlertRouter;
}

async function openSight(ground: Ground, stops: StopList): Promise<Sight> {
  const { workspace, config, cameras, artifacts } = ground;
  const common = { clock: systemClock, ids: randomIds, onProblem: ground.options.onNotice };
  const vision = engine.createEngine({ modelFolder: modelFolder(ground.options.env) });
  stops.add(() => vision.close());
  const direct = createDirectBackend({ engine: { ...vision, validateWorkflow: engine.validateWorkflow } });
  const { backend } = selectBackend({ mode: config.inference.mode, backends: { direct } });
  stops.add(() => backend.close());
  const state = createActiveState({
    files: nodeFiles,
    path: workspace.path("active_state.json"),
    now: systemClock.now,
  });
  const pipelines = createPipelineRegistry({ ...common, backend, cameras, state, workflows: engine });
  stops.add(() => pipelines.close());
  const events = await openSceneEventLog({
    ...common,
    keepDays: config.events.keepDays,
    maxBytes: config.events.maxMegabytes * 1e6,
    files: nodeFiles,
    folder: workspace.path("events"),
    pictures: artifacts,
  });
  stops.add(() => events.close());
  const log = await openJsonLines({
    files: nodeFiles,
    path: workspace.path("events", "alerts.jsonl"),
    schema: alertSchema,
    maxEntries: MOST_ALERTS,
  });
  const alerts = createAlertRouter({ ...common, pipelines, events, channels: [], log });
  stops.add(() => alerts.close());
  stops.add(recordSceneEvents({ pipelines, log: events, clock: systemClock }));
  return { backend, state, pipelines, events, alerts };
}

/** The ASK road: tools, who speaks, the loop. */
async function openAgent(ground: Ground, sight: Sight): Promise<VisionAgent> {
  const { workspace, cameras, artifacts, sessions } = ground;
  const { backend, pipelines } = sight;
  const look = (camera: string, signal: AbortSignal) =>
    lookAtCamera(
      {
        cameras,
        pipelines,
        backend,
        detectionFor: ({ address }) => {
          const modelId = detectorFor(address);
          return { modelId, spec: detectionWorkflow({ modelId }) };
        },
        maxEdge: CAPTURE_EDGE,
      },
      camera,
      signal,
    );
  return createVisionAgent({
    speaker: await chooseSpeaker(ground, pipelines),
    tools: [
      createStartPipelineTool({
        cameras,
        pipelines,
        validate: (spec) => backend.validate(spec),
        modelSpec: (modelId) => watchingWorkflow({ modelId }),
      }),
      createListPipelinesTool({ pipelines }),
      createGetPipelineResultsTool({ pipelines }),
      createStopPipelineTool({ pipelines }),
      createCaptureFrameTool({ look, resize: resizePicture }),
    ],
    prompt: createSystemPrompt({
      cameras,
      pipelines,
      readFile: (name) => nodeFiles.readText(workspace.path(name)),
      modelFor: ({ address }) => detectorFor(address),
    }),
    sessions,
    artifacts,
    clock: systemClock,
    ids: randomIds,
    redactor: createRedactor({ secrets: secretsOf(ground) }),
  });
}

/** What must never reach an event, a transcript or an error. */
function secretsOf({ config, cameras }: Ground): readonly string[] {
  const passwords = cameras.list().map(({ address }) => passwordOf(address));
  return [config.llm.apiKey?.reveal(), ...passwords].filter((secret) => secret !== undefined);
}

/** What a crash cut off in a conversation is settled before anybody goes on with it. */
async function settleInterrupted({ executor }: VisionAgent, onNotice: (message: string) => void): Promise<void> {
  const { interrupted, repaired } = await executor.recover();
  if (interrupted.length > 0) onNotice(`${interrupted.length} steps were cut off when the program ended last time.`);
  for (const { sessionId } of repaired)
    onNotice(`The transcript of ${sessionId} was damaged at its end and is mended.`);
}

/** A key decides; without one the offline interpreter answers and says so. */
async function chooseSpeaker({ config, artifacts, cameras }: Ground, pipelines: PipelineRegistry): Promise<Speaker> {
  const { provider, model, apiKey, baseUrl } = config.llm;
  if (provider === "anthropic" && apiKey !== undefined) {
    const client = await openAnthropic({
      apiKey: apiKey.reveal(),
      artifacts,
      ...(baseUrl !== undefined && { baseURL: baseUrl }),
    });
    return { mode: "model", client, model };
  }
  const known = (): Known => ({
    cameras: cameras.list().map(({ name }) => name),
    pipelines: pipelines.list().map(({ name, video_reference, shapes }) => ({
      name,
      camera: video_reference,
      counts: shapes.some(({ kind }) => kind === "line"),
    })),
  });
  const modelOf = (camera: string): string => detectorFor(cameras.find(camera)?.address ?? "");
  return {
    mode: "offline",
    known,
    specs: {
      counting: ({ camera, classes, line }) => countingWorkflow({ modelId: modelOf(camera), classes, line }),
      watching: ({ camera, classes }) => watchingWorkflow({ modelId: modelOf(camera), classes }),
    },
  };
}

interface ServerParts {
  readonly ground: Ground;
  readonly sight: Sight;
  readonly agent: VisionAgent;
  readonly stops: StopList;
}

async function openServer({ ground, sight, agent, stops }: ServerParts): Promise<string> {
  const { options, workspace, config, cameras, artifacts, sessions } = ground;
  const { mode, speaker, executor } = agent;
  const server = await createHttpServer({
    version: options.version,
    mode,
    speaker,
    clock: systemClock,
    conversations: createConversations({
      executor,
      sessions,
      artifacts,
      clock: systemClock,
      ids: randomIds,
      visionMode: mode === "offline" ? "lenient" : "strict",
    }),
    executor,
    artifacts,
    cameras,
    pipelines: sight.pipelines,
    events: sight.events,
    alerts: sight.alerts,
    validate: (spec) => sight.backend.validate(spec),
    probe: (source, signal) => engine.probeSource(source, { sourceId: "probe", clock: systemClock, signal }),
    resize: resizePicture,
    webFolder: WEB_FOLDER,
    onFault: (error) => options.onNotice(`Something broke inside: ${error instanceof Error ? error.stack : error}`),
  });
  stops.add(async () => {
    await server.close();
  });
  const address = await listen(server, config.server);
  const note = { files: nodeFiles, processes: nodeProcesses, path: workspace.path(SERVER_NOTE) };
  stops.add(await leaveServerNote(note, { pid: options.pid, address }));
  return address;
}

/** Runs again what was running, or the demo where nothing ever ran; nobody waits for cameras that are slow to open. */
async function wake({ options, config, cameras }: Ground, sight: Sight): Promise<string | undefined> {
  const { flags, onNotice } = options;
  const { pipelines, state } = sight;
  const isDemoScene = /^sim:\/\/street\b/i.test(cameras.find("street")?.address ?? "");
  const demo = config.demo && flags.demo && isDemoScene && !(await state.exists());
  const started = demo ? startDemo({ pipelines, state, modelId: detectorFor("sim://street") }) : pipelines.restore();
  started.catch((error: unknown) => onNotice(error instanceof Error ? error.message : String(error)));
  return demo ? "street-count counts what crosses the middle of the street" : undefined;
}

/** Cameras of the command line are checked before anything starts. */
async function checkCameras(extra: readonly string[]): Promise<void> {
  const { warnings, list } = createCameraRegistry({ markdown: "", extra });
  const [warning] = warnings;
  if (warning !== undefined) throw new UsageError(`--camera: ${warning.message}`);
  for (const { name, address } of list()) {
    if (!/^sim:/i.test(address)) continue;
    try {
      const source = await engine.openSource(address, { sourceId: name, clock: systemClock });
      await source.close();
    } catch (cause) {
      throw new UsageError(`--camera ${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  }
}
