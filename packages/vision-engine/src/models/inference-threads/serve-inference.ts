// requests of pipelines → one model at a time, in turns → results in shared memory
import { EngineError } from "../../errors.ts";
import type { InferenceRuntime, TensorSession } from "../runtime/tensor-session.ts";
import {
  type InferenceReport,
  type InferenceRequest,
  type SharedTensors,
  shareOf,
  stackTensors,
  writeTensors,
} from "./inference-messages.ts";

/** The serving end of a client's line; a `MessagePort` fits. */
export interface InferencePort {
  postMessage(report: InferenceReport): void;
  on(event: "message", listener: (request: InferenceRequest) => void): unknown;
  on(event: "close", listener: () => void): unknown;
}

export interface InferenceServerOptions {
  readonly runtime: InferenceRuntime;
  /** Called when a request that waited or ran is done with. */
  readonly onDone: () => void;
}

export interface InferenceServer {
  welcome(port: InferencePort): void;
  /** Ends what runs, begins nothing more, and frees all graphs. */
  close(): Promise<void>;
}

type RunRequest = Extract<InferenceRequest, { type: "run" }> & { readonly port: InferencePort };

/** A graph that is open for all who want it, once. */
interface SharedGraph {
  readonly session: Promise<TensorSession>;
  users: number;
}

/** Most requests that run as one, where the graph takes any number. */
const LARGEST_BATCH = 4;

/** Clients share each graph; their requests run in turns, and as one where the graph takes batches of any size. */
export function createInferenceServer({ runtime, onDone }: InferenceServerOptions): InferenceServer {
  const graphs = new Map<string, SharedGraph>();
  const queue = createFairQueue<RunRequest>();
  let clients = 0;
  let isClosing = false;
  /** The work that is under way; absent when nothing waits. */
  let current: Promise<void> | undefined;

  async function work(): Promise<void> {
    for (let request = queue.take(); request !== undefined && !isClosing; request = queue.take()) await serve(request);
    current = undefined;
  }

  async function serve(first: RunRequest): Promise<void> {
    const batch = [first];
    try {
      const session = await graphs.get(first.file)!.session;
      if (takesBatches(session)) batch.push(...queue.takeWhere((other) => isAlike(first, other), LARGEST_BATCH - 1));
      const outputs = await session.run(stackFeeds(batch));
      for (const [at, request] of batch.entries()) answer(request, shareOutputs(outputs, at, batch.length));
    } catch (error) {
      for (const { id, port } of batch) port.postMessage({ type: "refused", id, message: messageOf(error) });
    } finally {
      for (const _ of batch) onDone();
    }
  }

  /** False when it does not open. */
  async function open(port: InferencePort, id: number, file: string): Promise<boolean> {
    const graph = graphs.get(file) ?? { session: runtime.open(file), users: 0 };
    graphs.set(file, graph);
    graph.users += 1;
    try {
      const { inputs, outputs } = await graph.session;
      port.postMessage({ type: "opened", id, inputs, outputs });
      return true;
    } catch (error) {
      // Not the one that somebody opened meanwhile, when the file had been put right.
      if (graphs.get(file) === graph) graphs.delete(file);
      port.postMessage({ type: "refused", id, message: messageOf(error) });
      return false;
    }
  }

  async function leave(file: string): Promise<void> {
    const graph = graphs.get(file);
    if (graph === undefined) return;
    graph.users -= 1;
    if (graph.users > 0) return;
    graphs.delete(file);
    await (await graph.session).close();
  }

  return {
    welcome(port) {
      clients += 1;
      const client = clients;
      const files: string[] = [];
      const forget = (file: string): void => void files.splice(files.indexOf(file), 1);
      port.on("message", (request) => {
        switch (request.type) {
          case "open":
            files.push(request.file);
            void open(port, request.id, request.file).then((isOpen) => isOpen || forget(request.file));
            break;
          case "run":
            queue.add(client, { ...request, port });
            current ??= work();
            break;
          case "close":
            forget(request.file);
            void leave(request.file);
            break;
        }
      });
      port.on("close", () => {
        for (let dropped = queue.drop(client); dropped > 0; dropped--) onDone();
        for (const file of files) void leave(file);
      });
    },
    async close() {
      isClosing = true;
      await current;
      await runtime.close();
    },
  };
}

/** Outputs must be as many as the inputs: a graph that gives as many rows as it found things cannot be shared out. */
function takesBatches({ inputs, outputs }: TensorSession): boolean {
  const name = inputs[0]?.batchName;
  return name !== undefined && [...inputs, ...outputs].every(({ batchName }) => batchName === name);
}

function isAlike(one: RunRequest, other: RunRequest): boolean {
  return (
    one.file === other.file &&
    Object.entries(one.feeds).every(([name, { dims }]) => dims.join() === other.feeds[name]?.dims.join())
  );
}

function answer({ id, port, results }: RunRequest, outputs: SharedTensors): void {
  const { tensors, memory } = writeTensors(outputs, results);
  port.postMessage({ type: "done", id, outputs: tensors, results: memory });
}

function stackFeeds(batch: readonly RunRequest[]): SharedTensors {
  if (batch.length === 1) return batch[0]!.feeds;
  const names = Object.keys(batch[0]!.feeds);
  return Object.fromEntries(names.map((name) => [name, stackTensors(batch.map(({ feeds }) => feeds[name]!))]));
}

function shareOutputs(outputs: SharedTensors, at: number, count: number): SharedTensors {
  if (count === 1) return outputs;
  return Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, shareOf(tensor, at, count)]));
}

function messageOf(error: unknown): string {
  if (error instanceof EngineError) return error.message;
  return `The model failed: ${error instanceof Error ? error.message : String(error)}`;
}

/** Waiting work of several clients. A client that asks for much does not make the others wait longer. */
export interface FairQueue<T> {
  add(client: number, item: T): void;
  /** The next in turn; absent when nothing waits. */
  take(): T | undefined;
  /** Up to `most` more that stand first with their clients and fit, each client in its turn. */
  takeWhere(fits: (item: T) => boolean, most: number): T[];
  /** Forgets what a client still wanted; tells how much that was. */
  drop(client: number): number;
}

export function createFairQueue<T>(): FairQueue<T> {
  /** In the order of their turns; clients without work are not in it. */
  const lines = new Map<number, T[]>();

  function next(fits: (item: T) => boolean): T | undefined {
    for (const [client, line] of lines) {
      const [item] = line;
      if (item === undefined || !fits(item)) continue;
      line.shift();
      // To the end of the turns.
      lines.delete(client);
      if (line.length > 0) lines.set(client, line);
      return item;
    }
    return undefined;
  }

  return {
    add(client, item) {
      const line = lines.get(client);
      if (line === undefined) lines.set(client, [item]);
      else line.push(item);
    },
    take: () => next(() => true),
    takeWhere(fits, most) {
      const taken: T[] = [];
      while (taken.length < most) {
        const item = next(fits);
        if (item === undefined) break;
        taken.push(item);
      }
      return taken;
    },
    drop(client) {
      const dropped = lines.get(client)?.length ?? 0;
      lines.delete(client);
      return dropped;
    },
  };
}
