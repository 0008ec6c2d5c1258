// a conversation with the interpreter in which its calls are really made, for tests
import {
  type CallContext,
  type Clock,
  type Json,
  type JsonArguments,
  type LLMRequest,
  type LLMResponse,
  type Message,
  type Tool,
  type ToolResultPart,
  toDataBlock,
} from "@vision-agent/agent-core";
import type { JobSpec } from "@vision-agent/agent-core/jobs";
import { createCountingIds } from "@vision-agent/agent-core/testing";
import {
  type Alert,
  type CameraPlace,
  type Change,
  type PipelineStatus,
  type SceneEvent,
  toolDataSchemas,
  type WatchReplay,
  type Why,
  type WorkflowSpec,
} from "@vision-agent/protocol";
import { createOfflineClient, OFFLINE_MODEL } from "../agent/offline/offline-client.ts";
import type { AlertDecision } from "../alerts/alert-decision.ts";
import type { WhyQuestion } from "../alerts/explain-camera.ts";
import { classesOfDetector } from "../pipelines/detector-for.ts";
import { GIVEN } from "../store/picture-origin.ts";
import { createTools } from "../tools/create-tools.ts";
import type { Look } from "../tools/look-at-camera.ts";
import type { ToolParts } from "../tools/tool-parts.ts";
import { createWatchRegistry, type WatchRegistry } from "../watches/watch-registry.ts";
import { createFakeMemory, type FakeMemory } from "./create-fake-memory.ts";
import {
  type FakePipelines,
  fakeCameras,
  fakeContext,
  fakePicture,
  fakePipelines,
  fakeResult,
  fakeStatus,
  JPEG,
  textOf,
} from "./fake-app.ts";
import { fakeChanges } from "./fake-changes.ts";
import { NO_EGRESS_QUESTIONS } from "./fake-egress.ts";
import { fakeMoney } from "./fake-limits.ts";
import { fakeModes, fakePlaces } from "./fake-places.ts";
import { QUIET_SCENE } from "./fake-scene.ts";
import { fakeCameraAdmin, fakeOrders, fakeUndo } from "./fake-undo.ts";
import { createMemoryEvents, type MemoryEvents } from "./memory-events.ts";

/** A Tuesday afternoon. */
export const NOW = Date.parse("2026-03-10T15:30:00.000Z");
export const PICTURE_ID = `art_${"0".repeat(32)}`;

export interface OfflineApp {
  /** Says something and gives the answer. */
  readonly ask: (text: string, options?: { readonly withPicture?: boolean }) => Promise<string>;
  /** Every call so far, in order. */
  readonly calls: readonly { readonly tool: string; readonly args: { readonly [key: string]: unknown } }[];
  readonly tools: () => readonly string[];
  readonly pipelines: FakePipelines;
  readonly watches: WatchRegistry;
  readonly memory: FakeMemory;
  readonly jobs: readonly JobSpec[];
  readonly client: ReturnType<typeof createOfflineClient>;
}

export interface OfflineAppOptions {
  readonly cameras?: readonly string[];
  readonly running?: readonly PipelineStatus[];
  readonly events?: readonly SceneEvent[];
  /** Every look fails with this. */
  readonly broken?: string;
  /** Saved workflows by `workspace/id`. */
  readonly saved?: Readonly<Record<string, WorkflowSpec>>;
  /** Where cameras hang, by their names. */
  readonly about?: Readonly<Record<string, string>>;
  /** Named zones and lines, by their cameras. */
  readonly places?: Readonly<Record<string, readonly CameraPlace[]>>;
  /** What stands in the prompt, such as the text of USER.md. */
  readonly prompt?: string;
  /** Newest first, as the router lists them. */
  readonly alerts?: readonly Alert[];
  readonly decisions?: readonly AlertDecision[];
  /** What each look finds wrong with the camera. */
  readonly trouble?: Look["trouble"];
  /** Answers "why?"; the question is among the calls. */
  readonly why?: (question: WhyQuestion) => Partial<Why>;
  readonly replayed?: Partial<WatchReplay>;
  readonly changes?: readonly Change[];
}

/** It stands still, so nobody wakes. */
const clock: Clock = { now: () => NOW, monotonic: () => NOW, sleep: () => new Promise(() => undefined) };

export function createOfflineApp(options: OfflineAppOptions = {}): OfflineApp {
  const cameras = fakeCameras(...(options.cameras ?? ["street", "dock", "yard"]));
  const results = [fakeResult(["person", "person", "person", "car"], { count_in: 4, count_out: 2 })];
  const pipelines = fakePipelines({ running: options.running ?? [], results });
  const memory = createFakeMemory({ now: clock.now });
  const byCamera = new Map(
    cameras.list().map(({ name }) => [name, fakePlaces(...(options.places?.[name] ?? []))] as const),
  );
  const placesOn = (camera: string): ToolParts["places"] => byCamera.get(camera) ?? fakePlaces();
  const places: ToolParts["places"] = {
    list: (camera) => placesOn(camera).list(camera),
    find: (camera, name) => placesOn(camera).find(camera, name),
    set: (camera, place) => placesOn(camera).set(camera, place),
  };
  const watches = createWatchRegistry({
    pipelines,
    scene: QUIET_SCENE,
    places: {
      placeOf: <K extends CameraPlace["kind"]>(camera: string, kind: K, name: string) =>
        places
          .list(camera)
          .find((place): place is Extract<CameraPlace, { kind: K }> => place.kind === kind && place.name === name),
      onChange: () => () => undefined,
    },
    cameras,
    store: { load: async () => [], save: async () => undefined },
    modelFor: () => "vision-agent/default",
    classesOf: classesOfDetector,
    clock,
    ids: createCountingIds(),
    onProblem: () => undefined,
  });
  const modes = fakeModes();
  const jobs: JobSpec[] = [];
  const tools = createTools(
    toParts({ options, cameras, pipelines, watches, memory, modes, places, jobs }),
  ) as unknown as readonly Tool<JsonArguments>[];
  const client = createOfflineClient({
    known: () => ({
      mode: modes.current(),
      cameras: cameras.list().map(({ name }) => ({
        name,
        about: options.about?.[name] ?? "",
        places: places.list(name),
        classes: classesOfDetector("vision-agent/default") ?? [],
      })),
      pipelines: pipelines.list().map(({ name, video_reference, shapes }) => ({
        name,
        camera: video_reference,
        counts: shapes.some(({ kind }) => kind === "line"),
      })),
    }),
    modelFor: () => "vision-agent/default",
    timeZone: "UTC",
  });
  const messages: Message[] = [];
  const calls: { tool: string; args: { readonly [key: string]: unknown } }[] = [];
  const ask: OfflineApp["ask"] = async (text, { withPicture = false } = {}) => {
    messages.push(userMessage(text, withPicture));
    for (let turn = 0; turn < 12; turn += 1) {
      const response = await client.run(toRequest(messages, options.prompt), callContext(`m${messages.length}`));
      messages.push(response.message);
      if (response.toolCalls.length === 0) return response.content;
      calls.push(...response.toolCalls.map((call) => ({ tool: call.toolName, args: call.arguments })));
      messages.push(await execute(tools, response));
    }
    throw new Error(`No answer after twelve steps: ${calls.map(({ tool }) => tool).join(", ")}.`);
  };
  return { ask, calls, tools: () => calls.map(({ tool }) => tool), pipelines, watches, memory, jobs, client };
}

interface Parts extends Pick<ToolParts, "pipelines" | "watches" | "memory" | "modes" | "places"> {
  readonly cameras: ReturnType<typeof fakeCameras>;
  readonly options: OfflineAppOptions;
  readonly jobs: JobSpec[];
}

function toParts({ options, jobs, ...parts }: Parts): ToolParts {
  const seen = fakeResult(["person", "person", "person", "car"]);
  const picture = fakePicture();
  const resize = async (bytes: Uint8Array) => ({ bytes, mimeType: "image/jpeg" as const });
  return {
    ...parts,
    changes: { ...fakeChanges(), ...(options.changes && { list: () => options.changes ?? [] }) },
    cameraAdmin: fakeCameraAdmin({ cameras: parts.cameras }),
    undo: fakeUndo({ now: () => NOW }),
    orders: fakeOrders,
    ...fakeMoney(),
    level: "autonomous",
    egressQuestions: NO_EGRESS_QUESTIONS,
    forget: async () => Promise.reject(new Error("nothing is forgotten in this test")),
    destinations: { isKnown: () => true, remember: async () => undefined },
    mayObeyText: false,
    clock,
    timeZone: "UTC",
    events: eventsOf(options.events ?? []),
    alerts: {
      tell: async () => Promise.reject(new Error("nobody is told in this test")),
      list: () => options.alerts ?? [],
      decisions: () => options.decisions ?? [],
      channelNames: () => [],
    },
    storedPicture: async () => undefined,
    replayWatch: async ({ watch }) => ({
      words: typeof watch === "string" ? parts.watches.get(watch).words : watch.words,
      judged_on: "trace",
      seen: 0,
      sent: 0,
      suppressed: [],
      alerts: [],
      not_judged: [],
      ...options.replayed,
    }),
    why: {
      explain: async (question) => {
        if (options.why === undefined) throw new Error("nothing is explained in this test");
        const { camera, at = new Date(NOW).toISOString() } = question;
        return { camera, at, decisions: [], suppressed: 0, watches: [], ...options.why(question) };
      },
      questionOf: (id) => {
        const told = [...(options.alerts ?? []), ...(options.events ?? [])].find((one) => one.id === id);
        if (told === undefined) throw new Error(`There is no event or alert ${id}.`);
        return { camera: told.camera, at: told.timestamp };
      },
    },
    testWatch: async () => Promise.reject(new Error("nothing is tried in this test")),
    probe: async () => ({ ok: true, width: 640, height: 360, fps: 10 }),
    skills: { list: async () => [], load: async () => undefined } as unknown as ToolParts["skills"],
    jobs: {
      upsert: async (spec: JobSpec) => void jobs.push(spec),
      list: async () => jobs,
      history: async () => [],
      remove: async (id: string) => {
        const at = jobs.findIndex((job) => job.id === id);
        if (at >= 0) jobs.splice(at, 1);
        return at >= 0;
      },
    } as unknown as ToolParts["jobs"],
    run: async () => ({ result: seen, picture }),
    validate: async () => [],
    loadSaved: async (workspace, id) => {
      const spec = options.saved?.[`${workspace}/${id}`];
      if (spec === undefined) throw new Error(`There is no workflow ${workspace}/${id}.`);
      return { spec, fetchedAt: new Date(NOW).toISOString() };
    },
    listBlocks: async () => ({ backend: "direct", source: "this machine", blocks: BLOCKS }),
    listKnownBlocks: () => [],
    detectorFor: () => "vision-agent/default",
    classesOf: classesOfDetector,
    look: async (camera) => {
      if (options.broken !== undefined) throw new Error(options.broken);
      return { camera, result: seen, picture, models: ["sim/truth"], trouble: options.trouble };
    },
    openPicture: async (reference) => ({
      label: reference === PICTURE_ID ? "picture" : reference,
      origin: GIVEN,
      image: { kind: "bytes", bytes: JPEG, mimeType: "image/jpeg" },
      pixels: async () => ({ bytes: JPEG, mimeType: "image/jpeg" }),
    }),
    resize,
  };
}

const BLOCKS = ["byte_tracker@v3", "line_counter@v2"].map((name) => ({
  type: `roboflow_core/${name}`,
  aliases: [],
  name,
  family: "analytics",
  description: "",
  runs: true,
  properties: [],
  outputs: [],
}));

/** Opened only when somebody asks. Events of one minute have the same id. */
function eventsOf(events: readonly SceneEvent[]): ToolParts["events"] {
  let opened: MemoryEvents | undefined;
  const log = (): MemoryEvents => {
    opened ??= createMemoryEvents(events.map((event, at) => ({ ...event, id: `${event.id}_${at}` })));
    return opened;
  };
  return {
    list: (filter) => log().list(filter),
    count: (query, by) => log().count(query, by),
    countCrossings: (query) => log().countCrossings(query),
    get: (id) => log().get(id),
    visit: (id) => log().visit(id),
  };
}

/** An event at a time of the test's day, such as `14:05`. */
export function fakeEvent(over: Partial<SceneEvent> & { readonly at: string }): SceneEvent {
  const { at, ...rest } = over;
  const timestamp = /T/.test(at) ? at : `2026-03-10T${at}:00.000Z`;
  const event = { camera: "street", kind: "appeared" as const, class_name: "person", ...rest };
  return {
    id: `event_${at}`,
    timestamp,
    pipeline_id: "pl_1",
    frame_number: 1,
    text: `A ${event.class_name} ${event.kind} on ${event.camera}.`,
    ...event,
  };
}

/** A pipeline that counts across a line. */
export function countingStatus(over: Partial<PipelineStatus> = {}): PipelineStatus {
  const points: [number, number][] = [
    [0, 0],
    [0, 1],
  ];
  return fakeStatus({ shapes: [{ kind: "line", step: "line", points }], ...over });
}

async function execute(tools: readonly Tool<JsonArguments>[], response: LLMResponse): Promise<Message> {
  const parts: Message["parts"][number][] = [];
  for (const call of response.toolCalls) {
    const tool = tools.find(({ name }) => name === call.toolName);
    if (tool === undefined) throw new Error(`There is no tool ${call.toolName}.`);
    const context = { ...fakeContext({ [PICTURE_ID]: JPEG }), callId: call.id, idempotencyKey: call.id };
    const result = await Promise.resolve(tool.execute(call.arguments, context)).then(
      (output) => ({ outcome: "ok" as const, output }),
      (error: Error) => ({ outcome: "error" as const, output: error.message }),
    );
    const { outcome, output } = result;
    const content: ToolResultPart["content"] = [{ type: "text", text: textOf(output) }];
    const data = outcome === "ok" ? dataOf(call.toolName, output) : undefined;
    parts.push({ type: "tool_result", callId: call.id, toolName: call.toolName, outcome, content, data });
  }
  return { id: "r", role: "tool_result", parts, ts: "2026-01-01T00:00:00.000Z", origin: "tool" };
}

/** As the loop keeps it: checked, and JSON. Throws when it does not fit its schema. */
function dataOf(tool: string, output: unknown): Json | undefined {
  const schema = Object.entries(toolDataSchemas).find(([name]) => name === tool)?.[1];
  if (schema === undefined || typeof output !== "object" || output === null || !("data" in output)) return undefined;
  return JSON.parse(JSON.stringify(schema.parse(output.data)));
}

export function userMessage(text: string, withPicture = false): Message {
  const picture = { type: "image" as const, artifactId: PICTURE_ID, mimeType: "image/jpeg" };
  const parts: Message["parts"] = [{ type: "text", text }, ...(withPicture ? [picture] : [])];
  return { id: "u", role: "user", parts, ts: "2026-01-01T00:00:00.000Z", origin: "human" };
}

export function toRequest(messages: readonly Message[], prompt?: string): LLMRequest {
  const system: LLMRequest["system"] =
    prompt === undefined ? [] : [{ id: "USER.md", text: toDataBlock("text", prompt, "USER.md"), stability: "session" }];
  return { model: OFFLINE_MODEL, system, messages, tools: [] };
}

export function callContext(messageId: string): CallContext {
  return {
    signal: new AbortController().signal,
    clock,
    messageId,
    timers: { firstEventMs: 1000, idleMs: 1000, attemptMs: 1000 },
  };
}
