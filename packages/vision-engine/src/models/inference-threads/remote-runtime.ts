// a client's models → the inference threads, through shared memory

import type { MessagePort } from "node:worker_threads";
import { EngineError, modelError } from "../../errors.ts";
import type { InferenceRuntime, Tensor, TensorSession } from "../runtime/tensor-session.ts";
import {
  type InferenceLink,
  type InferenceReport,
  type InferenceRequest,
  type SharedTensors,
  writeTensors,
} from "./inference-messages.ts";

type Opened = Extract<InferenceReport, { type: "opened" }>;
type Done = Extract<InferenceReport, { type: "done" }>;

interface Waiting {
  readonly settle: (report: Opened | Done) => void;
  readonly refuse: (error: EngineError) => void;
}

/** Memory of one run. Results lie in it until it is used again, which is after all other places have been. */
interface Place {
  feeds: SharedArrayBuffer;
  results: SharedArrayBuffer;
}

const NO_MEMORY = new SharedArrayBuffer(0);

/** Places beyond those in flight: a result stays readable while so many more runs are begun and done. */
const SPARE_PLACES = 2;

/** Runs graphs on the shared inference threads; each run goes to the thread with the least to do. */
export function createRemoteRuntime({ ports, load }: InferenceLink): InferenceRuntime {
  const lines = ports.map((port) => createLine(port));
  const sessions = new Set<TensorSession>();
  return {
    async open(file) {
      const [opened] = await Promise.all(lines.map((line) => line.ask<Opened>((id) => ({ type: "open", id, file }))));
      const session = createRemoteSession(file, opened!, lines, load);
      sessions.add(session);
      return session;
    },
    async close() {
      await Promise.all([...sessions].map((session) => session.close()));
      for (const port of ports) port.close();
    },
  };
}

function createRemoteSession(
  file: string,
  { inputs, outputs }: Opened,
  lines: readonly Line[],
  load: Int32Array,
): TensorSession {
  const free: Place[] = [];
  let closed = false;

  async function run(feeds: SharedTensors): Promise<SharedTensors> {
    if (closed) throw modelError("The model was closed. Open it again.");
    const place = free.length > SPARE_PLACES ? free.shift()! : { feeds: NO_MEMORY, results: NO_MEMORY };
    const shared = shareFeeds(feeds, place);
    const thread = leastBusy(load);
    Atomics.add(load, thread, 1);
    const { results } = place;
    const done = await lines[thread]!.ask<Done>((id) => ({ type: "run", id, file, feeds: shared, results }));
    place.results = done.results;
    free.push(place);
    return done.outputs;
  }

  return {
    inputs,
    outputs,
    run,
    async close() {
      if (closed) return;
      closed = true;
      for (const line of lines) line.tell({ type: "close", file });
    },
  };
}

/** Numbers that lie in shared memory already are handed over as they are. */
function shareFeeds(feeds: SharedTensors, place: Place): SharedTensors {
  if (Object.values(feeds).every(isShared)) return feeds;
  const { tensors, memory } = writeTensors(feeds, place.feeds);
  place.feeds = memory;
  return tensors;
}

function isShared({ data }: Tensor): boolean {
  return data.buffer instanceof SharedArrayBuffer;
}

function leastBusy(load: Int32Array): number {
  let best = 0;
  for (let thread = 1; thread < load.length; thread++) {
    if (Atomics.load(load, thread) < Atomics.load(load, best)) best = thread;
  }
  return best;
}

interface Line {
  ask<T extends Opened | Done>(toRequest: (id: number) => InferenceRequest): Promise<T>;
  tell(request: InferenceRequest): void;
}

function createLine(port: MessagePort): Line {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let gone = false;
  const lost = () => new EngineError({ kind: "internal", message: "The inference thread has ended." });
  port.on("message", (report: InferenceReport) => {
    const asked = waiting.get(report.id);
    waiting.delete(report.id);
    if (waiting.size === 0) port.unref();
    if (report.type === "refused") asked?.refuse(modelError(report.message));
    else asked?.settle(report);
  });
  port.on("close", () => {
    gone = true;
    for (const asked of waiting.values()) asked.refuse(lost());
    waiting.clear();
  });
  // Only a line that somebody waits on keeps the thread alive.
  port.unref();
  return {
    ask<T extends Opened | Done>(toRequest: (id: number) => InferenceRequest) {
      if (gone) return Promise.reject(lost());
      lastId += 1;
      const { promise, resolve, reject } = Promise.withResolvers<Opened | Done>();
      waiting.set(lastId, { settle: resolve, refuse: reject });
      port.ref();
      port.postMessage(toRequest(lastId));
      return promise as Promise<T>;
    },
    tell: (request) => port.postMessage(request),
  };
}
