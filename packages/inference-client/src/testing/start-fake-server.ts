// options → a strict stand-in for an Inference server on loopback
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Json } from "@vision-agent/protocol";
import { type FakeAnswer, FakeRefusal, failure, type Request, writeAnswer } from "./answer.ts";
import { Cameras } from "./cameras.ts";
import type { FakeServer, FakeServerOptions, FakeSessionView, FakeVersion, RecordedCall } from "./fake-server.ts";
import { Faults } from "./faults.ts";
import { LoadedModels } from "./loaded-models.ts";
import { StreamManager } from "./pipelines.ts";
import { keyOf, noteCall } from "./recorded-calls.ts";
import { createRouter, type FakeRouter } from "./routes.ts";
import { createScaledTime } from "./scaled-time.ts";
import { type FakeSettings, toSettings } from "./settings.ts";
import { WebRtcWorkers } from "./webrtc.ts";
import type { World } from "./world.ts";

/** One life of the server, from start to kill. */
interface Life {
  readonly world: World;
  readonly manager: StreamManager;
  readonly workers: WebRtcWorkers;
  readonly router: FakeRouter;
  readonly http: Server;
  readonly sockets: Set<Socket>;
}

/** Opens a strict fake of a Roboflow Inference server on 127.0.0.1. */
export async function startFakeServer(options: FakeServerOptions = {}): Promise<FakeServer> {
  let settings = toSettings(options);
  const cameras = new Cameras(settings);
  const faults = new Faults();
  const calls: RecordedCall[] = [];
  const sessions: FakeSessionView[] = [];
  const begin = () => beginLife({ settings, cameras, faults, calls, sessions });
  let life: Life | undefined = await begin();
  settings = { ...settings, port: (life.http.address() as AddressInfo).port };

  async function kill(): Promise<void> {
    const ending = life;
    life = undefined;
    faults.clear();
    if (ending !== undefined) await endLife(ending);
  }

  return {
    url: `http://127.0.0.1:${settings.port}`,
    get version(): FakeVersion {
      return settings.version;
    },
    calls,
    sessions,
    get pipelines() {
      return life?.manager.views ?? [];
    },
    get loadedModels() {
      return life?.world.models.ids ?? [];
    },
    camera: (url) => cameras.control(url),
    break: (fault) => faults.add(fault),
    mend: () => faults.clear(),
    wedge: () => life?.manager.wedge(),
    kill,
    async restart(change = {}) {
      await kill();
      settings = { ...settings, ...change };
      life = await begin();
    },
    close: kill,
  };
}

async function beginLife(parts: {
  settings: FakeSettings;
  cameras: Cameras;
  faults: Faults;
  calls: RecordedCall[];
  sessions: FakeSessionView[];
}): Promise<Life> {
  const { settings, cameras, faults, calls } = parts;
  const world: World = {
    settings,
    cameras,
    time: createScaledTime(settings.timeScale),
    models: new LoadedModels(settings),
  };
  const manager = new StreamManager(world);
  const workers = new WebRtcWorkers(world, parts.sessions);
  const router = createRouter(world, manager, workers);
  const http = createServer((incoming, response) => {
    void serve({ incoming, response, router, faults, calls });
  });
  const sockets = new Set<Socket>();
  http.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    http.listen(settings.port, "127.0.0.1", resolve);
  });
  return { world, manager, workers, router, http, sockets };
}

async function endLife(life: Life): Promise<void> {
  const closed = new Promise<void>((resolve) => life.http.close(() => resolve()));
  for (const socket of life.sockets) socket.resetAndDestroy();
  life.manager.end();
  life.world.time.stop();
  await life.workers.end();
  await closed;
}

async function serve(parts: {
  incoming: IncomingMessage;
  response: ServerResponse;
  router: FakeRouter;
  faults: Faults;
  calls: RecordedCall[];
}): Promise<void> {
  const { incoming, response } = parts;
  const raw = await readAll(incoming);
  if (raw === undefined) return;
  const request = toRequest(incoming, raw);
  const note = noteCall(request);
  parts.calls.push(note.call);
  const fault = parts.faults.take(request.path);
  if (fault !== undefined) {
    const status = parts.faults.strike(fault, response);
    if (status !== undefined) note.setStatus(status);
    return;
  }
  const answer = await answerSafely(parts.router, request);
  if (response.destroyed || response.socket?.destroyed !== false) return;
  note.setStatus(answer.status);
  writeAnswer(request, answer, response);
}

async function answerSafely(router: FakeRouter, request: Request): Promise<FakeAnswer> {
  try {
    return await router.answer(request);
  } catch (error) {
    if (error instanceof FakeRefusal) return error.answer;
    return failure(500, `The fake server itself failed: ${error instanceof Error ? error.stack : String(error)}`);
  }
}

async function readAll(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  try {
    for await (const part of incoming) parts.push(part as Buffer);
  } catch {
    // The client went away while it was sending; nobody is left to answer.
    return undefined;
  }
  return Buffer.concat(parts);
}

function toRequest(incoming: IncomingMessage, raw: Buffer): Request {
  const url = new URL(incoming.url ?? "/", "http://127.0.0.1");
  const facts = { query: url.searchParams, headers: incoming.headers, json: parseJson(raw) };
  return { ...facts, method: incoming.method ?? "GET", path: decodeURIComponent(url.pathname), raw, key: keyOf(facts) };
}

function parseJson(raw: Buffer): Json | undefined {
  try {
    return JSON.parse(raw.toString()) as Json;
  } catch {
    return undefined;
  }
}
