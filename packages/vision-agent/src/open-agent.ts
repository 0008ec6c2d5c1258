// tools + prompt + who speaks → the agent of this app: the ASK road
import { homedir } from "node:os";
import {
  AgentError,
  createPayingClient,
  type LLMClient,
  randomIds,
  type Secrets,
  systemClock,
  type Tool,
} from "@vision-agent/agent-core";
import type { Jobs } from "@vision-agent/agent-core/jobs";
import type { Alert } from "@vision-agent/protocol";
import * as engine from "@vision-agent/vision-engine";
import type { Admission } from "./access/admission.ts";
import { createMemoryFlush } from "./agent/flush-memory.ts";
import type { Known } from "./agent/offline/intent.ts";
import type { OfflineClientOptions } from "./agent/offline/offline-client.ts";
import { modelDestination, openAnthropic, openOpenAI, toSpeakingModel } from "./agent/open-model.ts";
import { createSystemPrompt } from "./agent/system-prompt.ts";
import { createVisionAgent, type Speaker, type VisionAgent } from "./agent/vision-agent.ts";
import type { AlertDecision } from "./alerts/alert-decision.ts";
import type { AlertRouter } from "./alerts/route-alert.ts";
import type { ImageRef, InferenceBackend, InferenceJob } from "./backends/backend.ts";
import { detectionWorkflow } from "./backends/detection-workflow.ts";
import type { BackendNeeds } from "./backends/select-backend.ts";
import type { Config } from "./config/config-schema.ts";
import { toDestination } from "./egress/destination.ts";
import type { AgentServices } from "./open-agent-services.ts";
import type { AppContext } from "./open-app-context.ts";
import type { OpenForget } from "./open-forget.ts";
import type { UndoParts } from "./open-undo.ts";
import type { VisionServices } from "./open-vision-services.ts";
import { classesOfDetector, detectorFor } from "./pipelines/detector-for.ts";
import { createAskServer } from "./tools/ask-about-image.ts";
import { createUnattendedRuns, type EgressQuestions } from "./tools/ask-egress.ts";
import { type CheckWatch, createWatchCheck, storedCheckCostSchema } from "./tools/check-watch.ts";
import { createTools } from "./tools/create-tools.ts";
import { lookAtCamera, takeSnapshot } from "./tools/look-at-camera.ts";
import { createOpenPicture, fetchPicture, readPictureFile } from "./tools/open-picture.ts";
import { hashPicture } from "./tools/picture-hash.ts";
import { resizePicture } from "./tools/resize-picture.ts";
import { formatTask, toTask } from "./tools/task-tools.ts";
import type { ToolParts } from "./tools/tool-parts.ts";
import { createVisionModel, type VisionModel } from "./tools/vision-model.ts";
import { nodeFiles } from "./workspace/node-files.ts";

export interface AgentParts {
  readonly context: AppContext;
  readonly vision: VisionServices;
  readonly services: AgentServices;
  readonly changing: UndoParts;
  readonly forget: OpenForget;
  /** What must not be told to a model, or by one. */
  readonly secrets: Secrets;
  /** Takes out what must never be written down. */
  readonly redact: (text: string) => string;
  /** What happened since the last heartbeat. */
  readonly news: () => Promise<readonly string[]>;
}

export interface OpenedAgent {
  readonly agent: VisionAgent;
  /** Looks at the pictures of a watch before its alert. */
  readonly checkWatch: CheckWatch;
}

/** Throws `AgentError` code `unknown_model` when the provider does not serve the configured model. */
export async function openAgent(parts: AgentParts): Promise<OpenedAgent> {
  const { context, services, forget, secrets } = parts;
  const { artifacts, sessions, cameras } = context;
  const speaker = await chooseSpeaker(parts);
  const unattended = createUnattendedRuns();
  const agent = createVisionAgent({
    speaker,
    tools: openTools(parts, speaker, openEgressQuestions(parts, speaker, unattended.has)),
    prompt: openPrompt(parts, speaker),
    sessions,
    artifacts,
    clock: systemClock,
    ids: randomIds,
    secrets,
    budget: services.budget,
    flush: createMemoryFlush({ memory: services.memory, cameras: () => cameras.list().map(({ name }) => name) }),
    onEvent(event) {
      unattended.note(event);
      parts.changing.orders.note(event);
      if (event.type === "run_ended") forget.retrySoon();
      services.note(event);
    },
  });
  return { agent, checkWatch: await openWatchCheck(parts, speaker) };
}

/** Paid out of the day's money, with the right of alerts to the last of it. */
function openWatchCheck({ context, vision, services }: AgentParts, speaker: Speaker): Promise<CheckWatch> {
  const { artifacts, egress, config, timeZone } = context;
  const to = modelDestination(config.llm);
  return createWatchCheck({
    visionModel: openVisionModel({ context, services }, speaker),
    refusal: (camera) =>
      egress.ruleFor(camera, to) === "allow" ? undefined : `pictures of ${camera} may not go to ${to.host}.`,
    payingFor: (client, onCost) =>
      createPayingClient({
        client,
        budget: { ledger: services.budget.ledger },
        priority: "alert",
        onPaid: ({ costMicroUsd }) => onCost(costMicroUsd),
      }),
    pictureOf: (id) => artifacts.get(id),
    hash: hashPicture,
    events: vision.events,
    store: vision.state.section("watch_checks", storedCheckCostSchema),
    timeZone,
    clock: systemClock,
  });
}

function openVisionModel(
  { context, services }: Pick<AgentParts, "context" | "services">,
  speaker: Speaker,
): VisionModel | undefined {
  if (speaker.mode !== "model") return undefined;
  return createVisionModel({
    llm: speaker.client,
    model: speaker.model,
    artifacts: context.artifacts,
    clock: systemClock,
    ids: randomIds,
    onPaid: services.usage.noteLook,
  });
}

/** Jobs as the agent makes them. */
function withTaskLimit(jobs: Jobs, { keep }: Admission): ToolParts["jobs"] {
  return {
    list: () => jobs.list(),
    history: (id, limit) => jobs.history(id, limit),
    remove: (id) => jobs.remove(id),
    async upsert(spec) {
      const others = (await jobs.list()).filter(({ id }) => id !== spec.id);
      keep("task", others.length);
      await jobs.upsert(spec);
    },
  };
}

/** Who receives pictures: the model, where it sees, and the servers, where they run what is asked. */
function openEgressQuestions(
  { context, vision: { seeing } }: AgentParts,
  speaker: Speaker,
  isUnattended: (runId: string) => boolean,
): EgressQuestions {
  const { egress, cameras, config } = context;
  const servers = seeing.fleet.labels.flatMap((label) => seeing.fleet.client(label)?.url ?? []);
  return {
    egress,
    cameras,
    isUnattended,
    async destinations(to) {
      if (to === "server")
        return seeing.backends.configured === "direct" ? [] : servers.map((url) => toDestination("server", url));
      const sees = speaker.mode === "model" && (await speaker.client.profile(speaker.model)).supportsVision;
      return sees ? [modelDestination(config.llm)] : [];
    },
  };
}

function openTools(
  { context, vision, services, changing, forget: { forget }, redact }: AgentParts,
  speaker: Speaker,
  egressQuestions: EgressQuestions,
): readonly Tool[] {
  const { cameras, places, config, timeZone } = context;
  const { seeing, pipelines } = vision;
  const { backends, capture } = seeing;
  const visionModel = openVisionModel({ context, services }, speaker);
  const { maxResultsPerConsume: maxResults, resultImageMaxDimension: maxEdge } = config.monitoring;
  const run: InferenceBackend["run"] = (job, image, signal) =>
    backends.choose(needsOf(job, image)).backend.run(job, image, signal);
  return createTools({
    ...vision,
    ...services,
    ...changing,
    ledger: services.budget.ledger,
    storedPicture: (id) => context.artifacts.get(id),
    jobs: withTaskLimit(services.jobs, context.admission),
    level: config.agent.autonomy,
    egressQuestions,
    forget,
    mayObeyText: speaker.mode === "model",
    redact,
    clock: systemClock,
    timeZone,
    cameras,
    places,
    run,
    validate: (spec) => backends.choose({ task: "pipeline", spec }).backend.validate(spec),
    loadSaved: seeing.savedWorkflows.load,
    listBlocks: (signal) => seeing.blocks.list(backends.configured, signal),
    listKnownBlocks: engine.listKnownBlocks,
    detectorFor,
    classesOf: classesOfDetector,
    probe: seeing.probe,
    look: (camera, signal) =>
      lookAtCamera(
        {
          cameras,
          events: vision.events,
          pipelines,
          backend: { run },
          detectionFor: ({ address }) => {
            const modelId = detectorFor(address);
            return { modelId, spec: detectionWorkflow({ modelId }) };
          },
          maxEdge,
        },
        camera,
        signal,
      ),
    openPicture: createOpenPicture({
      cameras,
      snapshot: (camera, signal) => takeSnapshot({ pipelines, capture, maxEdge }, camera, signal),
      readFile: readPictureFile,
      fetch: fetchPicture,
      complete: context.credentials.complete,
      resize: resizePicture,
      maxEdge,
      folder: process.cwd(),
      home: homedir(),
    }),
    resize: resizePicture,
    maxEdge,
    maxResults,
    ...(visionModel && { visionModel }),
    ...(backends.configured !== "direct" && { askServer: createAskServer(seeing.fleet, context.egress) }),
  });
}

function needsOf(job: InferenceJob, image: ImageRef): BackendNeeds {
  const source = image.kind === "source" && { address: image.address };
  return { task: "single", ...source, ...(job.kind === "workflow" && { spec: job.spec }) };
}

function openPrompt({ context, vision, services, news }: AgentParts, speaker: Speaker) {
  const { workspace, cameras, timeZone, onNotice } = context;
  const { pipelines, watches, seeing } = vision;
  const { skills, memory, jobs, budget } = services;
  return createSystemPrompt({
    cameras,
    places: context.places,
    mode: () => vision.modes.current().mode,
    pipelines,
    watches,
    skills,
    memory,
    news,
    timeZone,
    onNotice,
    now: systemClock.now,
    readFile: (name) => nodeFiles.readText(workspace.path(name)),
    modelFor: ({ address }) => detectorFor(address),
    classesOf: classesOfDetector,
    channels: vision.alerts.channelNames(),
    ...(speaker.mode === "model" && { money: () => budget.ledger.state("day") }),
    settings: settingsInWords(context.config),
    blocks: async () => (await seeing.blocks.list(seeing.backends.configured)).blocks,
    async tasks() {
      const specs = (await jobs.list()).filter(({ kind }) => kind !== "heartbeat");
      const nowMs = systemClock.now();
      return specs.map((spec) => formatTask(toTask(spec, nowMs), { nowMs, timeZone: context.timeZone }));
    },
  });
}

/** What people ask about most; the page Settings has all of them. */
function settingsInWords({ agent, egress, events, heartbeat, location }: Config): readonly string[] {
  return [
    `autonomy ${agent.autonomy}`,
    `pictures to other machines: ${egress.images}`,
    `events are kept for ${events.keepDays} days or ${events.maxMegabytes} MB`,
    heartbeat.enabled ? `heartbeat every ${heartbeat.intervalMinutes} minutes` : "heartbeat off",
    location === undefined ? "location not set (needed for sunrise and sunset)" : "location set",
    "all in config.yaml",
  ];
}

const MOST_ALERTS = 20;

function failuresOf({ id, camera, timestamp }: Alert, alerts: Pick<AlertRouter, "why">): AlertDecision["failures"] {
  return alerts.why(camera, timestamp).find(({ alert_id }) => alert_id === id)?.failures ?? [];
}

/** A key decides; without one the offline interpreter answers and says so. */
async function chooseSpeaker({ context, vision, services }: AgentParts): Promise<Speaker> {
  const offline = toOfflineOptions({ context, vision, services });
  const client = await openClient(context);
  if (client === undefined) return { mode: "offline", ...offline };
  const { model, fallbackModel, maxTokens, thinking } = context.config.llm;
  const settings = { maxTokens, thinking };
  const smaller = await toSpeakingModel(client, fallbackModel, settings).catch((error: unknown) => {
    // A provider that serves another set of models has no such step on the ladder.
    if (error instanceof AgentError && error.code === "unknown_model") return undefined;
    throw error;
  });
  return {
    mode: "model",
    client,
    offline,
    ...(await toSpeakingModel(client, model, settings)),
    ...(smaller && { smaller }),
  };
}

async function openClient({ config, egress, artifacts }: AppContext): Promise<LLMClient | undefined> {
  const { provider, apiKey, baseUrl } = config.llm;
  if (provider === "offline" || apiKey === undefined) return undefined;
  const options = { apiKey: apiKey.reveal(), baseURL: baseUrl };
  const guard = { egress, artifacts };
  return provider === "openai" ? openOpenAI(options, guard) : openAnthropic(options, guard);
}

function toOfflineOptions(parts: Pick<AgentParts, "context" | "vision" | "services">): OfflineClientOptions {
  const { cameras, places, timeZone } = parts.context;
  const { pipelines, alerts, modes } = parts.vision;
  const { usage, budget } = parts.services;
  const known = (): Known => ({
    mode: modes.current(),
    usage: { days: usage.days(), limitMicroUsd: budget.budgetView.state().limitMicroUsd },
    alerts: alerts.list(MOST_ALERTS).map((alert) => ({ ...alert, failures: failuresOf(alert, alerts) })),
    cameras: cameras.list().map(({ name, address, location, notes }) => {
      const classes = classesOfDetector(detectorFor(address));
      return { name, about: `${location} ${notes}`, places: places.list(name), ...(classes && { classes }) };
    }),
    pipelines: pipelines.list().map(({ name, video_reference, shapes }) => ({
      name,
      camera: video_reference,
      counts: shapes.some(({ kind }) => kind === "line"),
    })),
  });
  const modelFor = (camera: string): string => detectorFor(cameras.find(camera)?.address ?? camera);
  return { known, modelFor, timeZone };
}
