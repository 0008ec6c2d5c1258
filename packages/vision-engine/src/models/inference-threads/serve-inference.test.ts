import { EventEmitter } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { InferenceRuntime, Tensor, TensorSession } from "../runtime/tensor-session.ts";
import type { InferenceReport, InferenceRequest, SharedTensors } from "./inference-messages.ts";
import { createInferenceServer, type InferencePort } from "./serve-inference.ts";

describe("createInferenceServer", () => {
  it("opens a graph once for all clients and frees it when the last one has left", async () => {
    const { server, opened, closed } = serverOf(-1);
    const [one, other] = [clientOf(server), clientOf(server)];
    one.send({ type: "open", id: 1, file: "a.onnx" });
    other.send({ type: "open", id: 1, file: "a.onnx" });
    await turns();
    expect(opened).toEqual(["a.onnx"]);
    one.send({ type: "close", file: "a.onnx" });
    await turns();
    expect(closed).toEqual([]);
    other.leave();
    await turns();
    expect(closed).toEqual(["a.onnx"]);
  });

  it("runs what waits for the same graph as one batch and gives each client its own share", async () => {
    const { server, runs } = serverOf(-1);
    const clients = [clientOf(server), clientOf(server), clientOf(server)];
    for (const client of clients) client.send({ type: "open", id: 1, file: "a.onnx" });
    await turns();
    for (const [at, client] of clients.entries()) client.send(runRequest(2, at));
    await turns();
    expect(runs).toEqual([3]);
    expect(clients.map((client) => client.numbers())).toEqual([[0], [10], [20]]);
  });

  it("runs one at a time where the graph takes one only", async () => {
    const { server, runs } = serverOf(1);
    const clients = [clientOf(server), clientOf(server)];
    for (const client of clients) client.send({ type: "open", id: 1, file: "a.onnx" });
    await turns();
    for (const [at, client] of clients.entries()) client.send(runRequest(2, at));
    await turns();
    expect(runs).toEqual([1, 1]);
    expect(clients.map((client) => client.numbers())).toEqual([[0], [10]]);
  });

  it("tells who asked why a graph does not open or run, and goes on", async () => {
    const { server, done } = serverOf(1);
    const client = clientOf(server);
    client.send({ type: "open", id: 1, file: "broken.onnx" });
    client.send({ type: "open", id: 2, file: "a.onnx" });
    await turns();
    client.send({ ...runRequest(3, 0), feeds: { x: { type: "float32", dims: [1, 1], data: Float32Array.of(-1) } } });
    client.send(runRequest(4, 4));
    await turns();
    expect(client.reports.map(({ type, id }) => `${type} ${id}`)).toEqual([
      "refused 1",
      "opened 2",
      "refused 3",
      "done 4",
    ]);
    expect(done.count).toBe(2);
  });
});

describe("a client that leaves", () => {
  it("is no load any more, whatever it was waiting for", async () => {
    const { server, done } = serverOf(1);
    const client = clientOf(server);
    client.send({ type: "open", id: 1, file: "a.onnx" });
    await turns();
    for (let id = 2; id < 6; id++) client.send(runRequest(id, id));
    client.leave();
    await turns();
    expect(done.count).toBe(4);
  });

  it("takes no graph from others that it could not open itself", async () => {
    const { server, closed, mend } = serverOf(1);
    const [early, late] = [clientOf(server), clientOf(server)];
    early.send({ type: "open", id: 1, file: "broken.onnx" });
    await turns();
    mend();
    late.send({ type: "open", id: 1, file: "broken.onnx" });
    await turns();
    early.leave();
    await turns();
    expect(late.reports).toMatchObject([{ type: "opened" }]);
    expect(closed).toEqual([]);
  });
});

function runRequest(id: number, value: number): Extract<InferenceRequest, { type: "run" }> {
  const x: Tensor = { type: "float32", dims: [1, 1], data: Float32Array.of(value) };
  return { type: "run", id, file: "a.onnx", feeds: { x }, results: new SharedArrayBuffer(0) };
}

/** Graphs that give ten times their input, and refuse what is below 0. */
function serverOf(batch: number) {
  const opened: string[] = [];
  const closed: string[] = [];
  const runs: number[] = [];
  const done = { count: 0 };
  let mended = false;
  const runtime: InferenceRuntime = {
    async open(file) {
      opened.push(file);
      if (file.startsWith("broken") && !mended) throw new Error("no graph");
      const info = [{ name: "x", type: "float32" as const, dims: [batch, 1], ...(batch === -1 && { batchName: "n" }) }];
      const session: TensorSession = {
        inputs: info,
        outputs: info,
        async run({ x }) {
          await nextTurn();
          const data = x!.data as Float32Array;
          if (data.some((value) => value < 0)) throw new Error("below 0");
          runs.push(data.length);
          return { y: { type: "float32", dims: x!.dims, data: data.map((value) => 10 * value) } };
        },
        async close() {
          closed.push(file);
        },
      };
      return session;
    },
    async close() {
      return;
    },
  };
  const server = createInferenceServer({
    runtime,
    onDone: () => {
      done.count += 1;
    },
  });
  const mend = (): void => {
    mended = true;
  };
  return { server, opened, closed, runs, done, mend };
}

function clientOf(server: ReturnType<typeof createInferenceServer>) {
  const events = new EventEmitter();
  const reports: InferenceReport[] = [];
  const port: InferencePort = {
    postMessage: (report) => void reports.push(report),
    on: (event: string, listener: (request: InferenceRequest) => void) => events.on(event, listener),
  };
  server.welcome(port);
  return {
    reports,
    send: (request: InferenceRequest) => void events.emit("message", request),
    leave: () => void events.emit("close"),
    numbers: () => reports.flatMap((report) => (report.type === "done" ? [...numbersOf(report.outputs)] : [])),
  };
}

function numbersOf({ y }: SharedTensors): Float32Array {
  expect(y!.data.buffer).toBeInstanceOf(SharedArrayBuffer);
  return y!.data as Float32Array;
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await nextTurn();
}
