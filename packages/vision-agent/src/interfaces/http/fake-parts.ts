// a whole house behind the routes, in memory, for tests
import {
  createMemoryArtifactStore,
  createMemorySessionStore,
  type LLMClient,
  systemClock,
  type Tool,
} from "@vision-agent/agent-core";
import type { Alert, PipelineStatus, SceneEvent } from "@vision-agent/protocol";
import { createVisionAgent } from "../../agent/vision-agent.ts";
import { createConversations } from "../../sessions/conversations.ts";
import { createCaptureFrameTool } from "../../tools/capture-frame.ts";
import {
  type FakePipelines,
  fakeCameras,
  fakePicture,
  fakePipelines,
  fakeResult,
  SPEC,
} from "../../tools/fake-house.ts";
import { createListPipelinesTool } from "../../tools/list-pipelines.ts";
import type { HttpParts } from "./http-parts.ts";

export interface FakeParts extends HttpParts {
  readonly pipelines: FakePipelines;
  readonly faults: readonly unknown[];
  happen(event: SceneEvent): void;
  raise(alert: Alert): void;
}

export interface FakePartsOptions {
  readonly running?: readonly PipelineStatus[];
  readonly client?: LLMClient;
  readonly tools?: readonly Tool<never>[];
  readonly over?: Partial<HttpParts>;
}

export function fakeParts(options: FakePartsOptions = {}): FakeParts {
  const cameras = fakeCameras("street", "dock");
  const pipelines = fakePipelines({ running: options.running ?? [], results: [fakeResult(["person"])] });
  const artifacts = createMemoryArtifactStore();
  const sessions = createMemorySessionStore();
  const ids = countingIds();
  const known = () => ({ cameras: cameras.list().map(({ name }) => name), pipelines: [] });
  const look = async (camera: string) => ({
    camera,
    result: fakeResult(["person", "person", "car"]),
    picture: fakePicture(),
    models: ["sim/truth"],
  });
  const agent = createVisionAgent({
    speaker:
      options.client === undefined
        ? { mode: "offline", known, specs: { counting: () => SPEC, watching: () => SPEC } }
        : { mode: "model", client: options.client, model: "scripted" },
    tools: options.tools ?? [
      createCaptureFrameTool({ look, resize: async (bytes) => ({ bytes, mimeType: "image/jpeg" }) }),
      createListPipelinesTool({ pipelines }),
    ],
    prompt: { system: async () => [], state: async () => "" },
    sessions,
    artifacts,
    clock: systemClock,
    ids,
  });
  const events = createLog<SceneEvent>();
  const alerts = createLog<Alert>();
  const faults: unknown[] = [];
  const base: HttpParts = {
    version: "0.0.0-test",
    mode: agent.mode,
    speaker: agent.speaker,
    clock: systemClock,
    conversations: createConversations({
      executor: agent.executor,
      sessions,
      artifacts,
      clock: systemClock,
      ids,
      visionMode: "lenient",
    }),
    executor: agent.executor,
    artifacts,
    cameras,
    pipelines,
    events: {
      list: (filter) => events.items.filter(({ camera }) => filter?.camera === undefined || camera === filter.camera),
      get: events.get,
      onEvent: events.listen,
    },
    alerts: { list: (limit) => alerts.items.slice(0, limit), get: alerts.get, onAlert: alerts.listen },
    validate: async (spec) => (spec.steps.length > 0 ? [] : [{ step: null, property: "steps", message: "No steps." }]),
    probe: async () => ({ ok: false, reason: "refused", message: "Nobody listens there." }),
    resize: async (bytes) => ({ bytes, mimeType: "image/jpeg" }),
    webFolder: "/nowhere",
    onFault: (error) => faults.push(error),
  };
  return { ...base, ...options.over, pipelines, faults, happen: events.add, raise: alerts.add };
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
