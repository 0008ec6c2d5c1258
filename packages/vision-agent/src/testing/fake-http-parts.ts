// a whole app behind the routes, in memory, for tests
import {
  createMemoryArtifactStore,
  createMemorySessionStore,
  createMetrics,
  type LLMClient,
  type SessionStore,
  systemClock,
  type Tool,
} from "@vision-agent/agent-core";
import { createJobs, createMemoryJobStore } from "@vision-agent/agent-core/jobs";
import type { Alert, PipelineStatus, SceneEvent } from "@vision-agent/protocol";
import { createUsageLog, type UsageEntry, type UsageLog } from "../agent/usage-log.ts";
import { createVisionAgent, type Speaker, type VisionAgentOptions } from "../agent/vision-agent.ts";
import { loadConfig } from "../config/load-config.ts";
import { toConfigView } from "../config/to-config-view.ts";
import type { HttpParts } from "../interfaces/http/http-parts.ts";
import { createConversations } from "../sessions/conversations.ts";
import { createPauses } from "../sessions/pauses.ts";
import { loadUsageReport } from "../sessions/usage-report.ts";
import { createSkillStore } from "../skills/skill-store.ts";
import { DestinationError } from "../store/destination-store.ts";
import { withLedger } from "../tools/change-ledger.ts";
import { captureFrameTool } from "../tools/look-at-camera.ts";
import { listPipelinesTool, stopPipelineTool } from "../tools/pipeline-tools.ts";
import { createUndoKinds } from "../tools/undo/undo-kinds.ts";
import type { PlaceFinder } from "../watches/condition-reading.ts";
import { createWatchRegistry, type WatchRegistry, type WatchRegistryOptions } from "../watches/watch-registry.ts";
import { createPassingCameras } from "../workspace/camera-store.ts";
import { createFakeMemory, type FakeMemory } from "./create-fake-memory.ts";
import { fakeAccess } from "./fake-access.ts";
import { type FakePipelines, fakeCameras, fakePicture, fakePipelines, fakeResult, NO_WATCHES } from "./fake-app.ts";
import { fakeChanges } from "./fake-changes.ts";
import { OPEN_EGRESS } from "./fake-egress.ts";
import { backendsOn, createFakeEngine, type FakeEngine } from "./fake-engine.ts";
import { fakeLimits } from "./fake-limits.ts";
import { fakeModes, fakePlaces } from "./fake-places.ts";
import { QUIET_SCENE } from "./fake-scene.ts";
import { fakeCameraAdmin, fakeUndo } from "./fake-undo.ts";
import { createMemoryEvents } from "./memory-events.ts";
import { roomyAdmission } from "./roomy-admission.ts";

export interface FakeParts extends HttpParts {
  readonly pipelines: FakePipelines;
  readonly memory: FakeMemory;
  /** Runs what the direct backend runs. */
  readonly engine: FakeEngine;
  /** Runs what the http backend runs. */
  readonly server: FakeEngine;
  readonly faults: readonly unknown[];
  happen(event: SceneEvent): void;
  raise(alert: Alert): void;
}

export interface FakePartsOptions {
  readonly running?: readonly PipelineStatus[];
  readonly client?: LLMClient;
  /** Who stands in for the client when money is short. */
  readonly standIns?: Pick<Extract<Speaker, { mode: "model" }>, "smaller" | "offline" | "config" | "price">;
  readonly budget?: VisionAgentOptions["budget"];
  readonly tools?: readonly Tool[];
  /** Of a server before. */
  readonly sessions?: SessionStore;
  readonly over?: Partial<HttpParts>;
}

export function fakeParts(options: FakePartsOptions = {}): FakeParts {
  const cameras = createPassingCameras(fakeCameras("street", "dock").list());
  const pipelines = fakePipelines({ running: options.running ?? [], results: [fakeResult(["person"])] });
  const artifacts = createMemoryArtifactStore();
  const { sessions = createMemorySessionStore() } = options;
  const ids = countingIds();
  const known = () => ({ cameras: cameras.list(), pipelines: [] });
  const usageLog = fakeUsageLog();
  const changes = fakeChanges(systemClock.now);
  const agent = createVisionAgent({
    speaker:
      options.client === undefined
        ? { mode: "offline", known, modelFor: () => "sim/truth", timeZone: "UTC" }
        : { mode: "model", client: options.client, model: "scripted", ...options.standIns },
    tools: options.tools ?? [
      captureFrameTool({
        ...{ cameras, look, clock: systemClock, timeZone: "UTC" },
        resize: async (bytes) => ({ bytes, mimeType: "image/jpeg" }),
      }),
      listPipelinesTool(pipelines),
      withLedger(stopPipelineTool(pipelines, NO_WATCHES), changes),
    ],
    prompt: { system: async () => [], state: async () => "" },
    sessions,
    artifacts,
    clock: systemClock,
    ids,
    onEvent: usageLog.note,
    ...(options.budget && { budget: options.budget }),
  });
  const [engine, server] = [createFakeEngine(), createFakeEngine()];
  const events = createMemoryEvents();
  const alerts = createLog<Alert>();
  const faults: unknown[] = [];
  const onProblem = (message: string): void => void faults.push(message);
  const memory = createFakeMemory({ now: systemClock.now });
  const pauses = createPauses(agent);
  const admission = roomyAdmission();
  const places = fakePlaces();
  const watches = fakeWatches({ pipelines, cameras, ids, onProblem }, places);
  const rules = OPEN_EGRESS.rules;
  const accounts = options.over?.access?.accounts;
  const cameraAdmin = fakeCameraAdmin({ cameras, pipelines, watches, rules, ...(accounts && { accounts }) });
  const modes = fakeModes();
  const jobs = createJobs({ executor: agent.executor, store: createMemoryJobStore(), clock: systemClock, ids });
  const spendingLimits = fakeLimits();
  const kinds = createUndoKinds({
    spendingLimits,
    watches,
    pipelines,
    cameras,
    cameraAdmin,
    credentials: { complete: (address) => address },
    places,
    modes,
    jobs,
    memory: { ...memory, notesIn: async () => [], removeNote: async () => false },
  });
  const base: HttpParts = {
    version: "0.0.0-test",
    mode: agent.mode,
    speaker: agent.speaker,
    clock: systemClock,
    access: fakeAccess(),
    changes,
    destinations: {
      list: () => [],
      forget: (id) => Promise.reject(new DestinationError("not_found", `There is no destination ${id}.`)),
    },
    admission,
    conversations: createConversations({
      executor: agent.executor,
      sessions,
      artifacts,
      clock: systemClock,
      ids,
      changes,
      admission,
      visionMode: "lenient",
      pauses,
    }),
    pauses,
    executor: agent.executor,
    artifacts,
    egress: OPEN_EGRESS,
    forget: async ({ preview }) => ({
      preview,
      at: new Date(0).toISOString(),
      scope: "",
      removed: [],
      not_covered: [],
    }),
    cameras,
    pipelines,
    backends: backendsOn({ direct: engine, http: server }),
    blocks: { list: async (backend) => ({ backend, source: "a fake", blocks: [] }) },
    servers: async () => [],
    events,
    alerts: {
      list: (limit) => alerts.items.slice(0, limit),
      onAlert: alerts.listen,
    },
    watches,
    recordings: fakeRecordings(),
    replayWatch: () => Promise.reject(new Error("Nobody asks here.")),
    why: {
      explain: async ({ camera, at = "" }) => ({ camera, at, decisions: [], suppressed: 0, watches: [] }),
    },
    testWatch: () => Promise.reject(new Error("Nobody asks here.")),
    cameraAdmin,
    undo: fakeUndo({ kinds, now: systemClock.now }),
    places,
    modes,
    memory,
    skills: createSkillStore({
      files: { folders: async () => ["dock"], readText: async () => SKILL },
      folder: "/skills",
      onProblem,
    }),
    jobs,
    usage: () =>
      loadUsageReport({ usageLog, sessions, watches: [], clock: systemClock, timeZone: "UTC", limitUsd: 10 }),
    settings: async () => toConfigView(loadConfig({ env: { ANTHROPIC_API_KEY: "sk-planted-key" } })),
    spendingLimits,
    metrics: createMetrics().registry,
    validate: async (spec) => (spec.steps.length > 0 ? [] : [{ step: null, property: "steps", message: "No steps." }]),
    probe: async () => ({ ok: false, reason: "refused", message: "Nobody listens there." }),
    resize: async (bytes) => ({ bytes, mimeType: "image/jpeg" }),
    webFolder: "/nowhere",
    credentials: { take: async (value) => value },
    onFault: (error) => faults.push(error),
  };
  return { ...base, ...options.over, pipelines, memory, engine, server, faults, happen: events.add, raise: alerts.add };
}

async function look(camera: string) {
  return { camera, result: fakeResult(["person", "person", "car"]), picture: fakePicture(), models: ["sim/truth"] };
}

/** Nothing is ever on the disk. */
function fakeRecordings(): HttpParts["recordings"] {
  const on = new Set<string>();
  const status = async ({ name }: { readonly name: string }) => ({ camera: name, on: on.has(name), bytes: 0 });
  return {
    status,
    async set(camera, isOn) {
      if (isOn) on.add(camera.name);
      else on.delete(camera.name);
      return status(camera);
    },
    clipOf: async () => undefined,
  };
}

const SKILL = "---\nname: dock\ndescription: Watch a dock.\n---\nLook at the doors.";

/** The real one, kept nowhere. */
function fakeUsageLog(): UsageLog {
  const entries: UsageEntry[] = [];
  const append = async (entry: UsageEntry): Promise<void> => void entries.push(entry);
  const log = { entries: () => entries, append, settled: async () => undefined, unreadable: 0 };
  return createUsageLog({ log, now: systemClock.now, timeZone: "UTC", onProblem: () => undefined });
}

/** The real ones, kept nowhere. */
function fakeWatches(
  options: Pick<WatchRegistryOptions, "pipelines" | "cameras" | "ids" | "onProblem">,
  places: HttpParts["places"],
): WatchRegistry {
  const placeOf = ((camera, _kind, name) => places.find(camera, name)) as PlaceFinder;
  return createWatchRegistry({
    ...options,
    places: { placeOf, onChange: () => () => undefined },
    scene: QUIET_SCENE,
    store: { load: async () => [], save: async () => undefined },
    modelFor: () => "sim/truth",
    classesOf: () => ["person", "car"],
    clock: systemClock,
  });
}

function createLog<T extends { readonly id: string }>() {
  const items: T[] = [];
  const listeners = new Set<(item: T) => void>();
  return {
    items,
    get: (id: string) => items.find((item) => item.id === id),
    listen: (listener: (item: T) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    add: (item: T) => {
      items.unshift(item);
      for (const listener of listeners) listener(item);
    },
  };
}

function countingIds() {
  let count = 0;
  return {
    next(prefix: string) {
      count += 1;
      return `${prefix}_${count}`;
    },
  };
}
