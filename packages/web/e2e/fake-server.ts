// the dashboard's requests → a small server that answers as the real one does
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type {
  Alert,
  AppEvent,
  Camera,
  ChatMessage,
  Effect,
  Health,
  Pause,
  PauseAnswer,
  PipelineStatus,
  RunEvent,
  SceneEvent,
  WatchReport,
} from "@vision-agent/protocol";
import { LINE, resultAt } from "./street-scene.ts";

export interface FakeServerSetup {
  /** Folder with the built dashboard. */
  readonly dist: string;
  readonly cameras: readonly string[];
  readonly mode: Health["mode"];
  /** JPEG of the street at this frame. */
  readonly paint: (frameNumber: number) => Buffer;
  readonly now: () => number;
}

export interface FakeDashboardServer {
  readonly url: string;
  /** How many live pictures are being sent. */
  liveCount(): number;
  /** Steer and cancel requests and answers to pauses, as they came. */
  readonly asked: readonly string[];
  /** What waits for a person from now on; the page is told. */
  setPauses(pauses: readonly Pause[]): void;
  /** Reports something on the event stream. */
  report(event: AppEvent): void;
  /** Breaks every open stream, and refuses new ones until it is called with false. */
  breakStreams(broken: boolean): void;
  stop(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
const FRAME_MS = 100;
const TOKEN_MS = 30;
/** The strictest policy that the dashboard promises to live with. */
const POLICY = "default-src 'self'; img-src 'self' blob: data:; object-src 'none'; base-uri 'none'";

export async function openFakeServer(options: FakeServerSetup): Promise<FakeDashboardServer> {
  const state = new FakeState(options);
  const server = createServer((request, response) => {
    state.answer(request, response).catch((cause: unknown) => {
      response.writeHead(500).end(JSON.stringify({ error: { code: "internal", message: String(cause) } }));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: state.asked,
    setPauses: (pauses) => state.setPauses(pauses),
    liveCount: () => state.liveCount,
    report: (event) => state.report(event),
    breakStreams: (broken) => state.breakStreams(broken),
    stop: async () => {
      state.breakStreams(true);
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

interface FakeRun {
  readonly id: string;
  readonly events: RunEvent[];
  cancelled: boolean;
  hasEnded: boolean;
}

class FakeState {
  readonly asked: string[] = [];
  #pauses: readonly Pause[] = [];
  liveCount = 0;
  readonly #options: FakeServerSetup;
  readonly #streams = new Set<ServerResponse>();
  readonly #listeners = new Set<ServerResponse>();
  readonly #messages: ChatMessage[] = [];
  #run: FakeRun | undefined;
  #broken = false;
  #runs = 0;

  constructor(options: FakeServerSetup) {
    this.#options = options;
  }

  setPauses(pauses: readonly Pause[]): void {
    this.#pauses = pauses;
    this.report({ type: "pauses" });
  }

  report(event: AppEvent): void {
    for (const response of this.#listeners) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  breakStreams(broken: boolean): void {
    this.#broken = broken;
    if (broken) for (const response of this.#streams) response.destroy();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://server");
    const route = `${request.method} ${decodeURIComponent(pathname)}`;
    const live = /^GET \/api\/cameras\/(.+)\/live$/.exec(route)?.[1];
    const run = /^(GET|POST) \/api\/runs\/[^/]+\/(events|cancel|steer)$/.exec(route)?.[2];
    if (live !== undefined) return this.#live(live, response);
    if (run !== undefined) return this.#answerRun(run, request, response);
    if (/picture\.jpg$|^GET \/api\/artifacts\//.test(route)) return this.#picture(response);
    if (/^POST \/api\/sessions\/.+\/messages$/.test(route)) return this.#talk(request, response);
    const pause = /^POST \/api\/pauses\/(.+)$/.exec(route)?.[1];
    if (pause !== undefined) return this.#answerPause(pause, request, response);
    if (route === "GET /api/stream") return this.#listen(response);
    const body = this.#json(route);
    if (body !== undefined) return send(response, 200, body);
    if (pathname.startsWith("/api/")) {
      return send(response, 404, { error: { code: "not_found", message: `Nothing is at ${pathname}.` } });
    }
    await this.#page(pathname, response);
  }

  #json(route: string): unknown {
    const { mode, now } = this.#options;
    switch (route) {
      case "GET /healthz":
        return { status: "ok", version: "0.1.0", mode, speaker: "offline interpreter", uptime_seconds: 60 };
      case "GET /api/me":
        return { name: "local", role: "owner", cameras: null };
      case "GET /api/cameras":
        return this.#options.cameras.map(toCamera);
      case "GET /api/pipelines":
        return this.#options.cameras.map((name) => toPipeline(name, now()));
      case "GET /api/events":
        return toEvents(this.#options.cameras[0] ?? "street", now());
      case "GET /api/alerts":
        return [toAlert(this.#options.cameras[0] ?? "street", now())];
      case "GET /api/sessions":
        return [{ id: "s1", title: this.#messages[0]?.text ?? "", updated_at: iso(now()) }];
      case "GET /api/watches":
        return [toWatch("w1", "a cat on the street"), toWatch("w2", "a person at the door")];
      case "GET /api/pauses":
        return this.#pauses;
      case "POST /api/sessions":
        return { id: "s1" };
      case "GET /api/sessions/s1":
        return { id: "s1", messages: this.#messages, active_run: this.#run?.hasEnded === false ? this.#run.id : null };
      case "GET /api/sessions/s9":
        return { id: "s9", messages: [], active_run: null };
      case "POST /api/artifacts":
        return { id: "uploaded" };
      default:
        return undefined;
    }
  }

  #listen(response: ServerResponse): void {
    if (!this.#open(response, "text/event-stream")) return;
    this.#listeners.add(response);
    response.on("close", () => this.#listeners.delete(response));
    response.write(": hello\n\n");
  }

  #live(camera: string, response: ServerResponse): void {
    if (!this.#open(response, "multipart/mixed; boundary=frame")) return;
    const { now, paint } = this.#options;
    const part = (type: string, body: Buffer): void => {
      response.write(`--frame\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`);
      response.write(body);
      response.write("\r\n");
    };
    const timer = setInterval(() => {
      if (response.writableNeedDrain) return;
      const frameNumber = Math.floor(now() / FRAME_MS) % 100_000;
      part("application/json", Buffer.from(JSON.stringify(resultAt(camera, frameNumber, iso(now())))));
      part("image/jpeg", paint(frameNumber));
    }, FRAME_MS);
    this.liveCount += 1;
    response.on("close", () => {
      this.liveCount -= 1;
      clearInterval(timer);
    });
  }

  async #talk(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { text } = JSON.parse(await bodyOf(request)) as { text: string };
    this.#messages.push(toMessage(`m${this.#messages.length}`, "user", text, iso(this.#options.now())));
    await this.#play((runId) => scriptOf(runId, text), response);
  }

  async #answerPause(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = JSON.parse(await bodyOf(request)) as PauseAnswer;
    const pause = this.#pauses.find((one) => one.id === id);
    if (pause === undefined) {
      return send(response, 404, { error: { code: "not_found", message: `Nothing waits under ${id}.` } });
    }
    this.setPauses(this.#pauses.filter((one) => one !== pause));
    this.asked.push(`${id} ${[answer.decision, answer.text].filter(Boolean).join(" ")}`);
    await this.#play((runId) => answeredScript(runId, pause, answer), response);
  }

  async #play(toScript: (runId: string) => readonly RunEvent[], response: ServerResponse): Promise<void> {
    this.#runs += 1;
    const run: FakeRun = { id: `r${this.#runs}`, events: [], cancelled: false, hasEnded: false };
    this.#run = run;
    const telling = this.#tell(run, toScript(run.id));
    this.#follow(run, 0, response);
    await telling;
  }

  async #tell(run: FakeRun, script: readonly RunEvent[]): Promise<void> {
    for (const event of script) {
      if (run.cancelled && event.type !== "run_ended") continue;
      await new Promise((done) => setTimeout(done, event.type === "tool_result" ? 400 : TOKEN_MS));
      run.events.push(run.cancelled && event.type === "run_ended" ? cancelledEnd(event) : event);
    }
    const end = script.findLast((event) => event.type === "run_ended");
    if (end?.outcome.pause_id !== undefined)
      this.setPauses([...this.#pauses, toPause(end.outcome.pause_id, end.outcome.reason, this.#options.now())]);
    this.#messages.push(toAnswer(run.id, script, iso(this.#options.now())));
    run.hasEnded = true;
  }

  #answerRun(verb: string, request: IncomingMessage, response: ServerResponse): Promise<void> | undefined {
    if (verb === "events" && this.#run !== undefined) {
      const last = request.headers["last-event-id"]?.toString().split(":")[1];
      this.#follow(this.#run, last === undefined ? 0 : Number(last), response);
      return undefined;
    }
    return bodyOf(request).then((body) => {
      this.asked.push(`${verb} ${body}`);
      if (verb === "cancel" && this.#run !== undefined) this.#run.cancelled = true;
      send(response, 200, {});
    });
  }

  #follow(run: FakeRun, after: number, response: ServerResponse): void {
    if (!this.#open(response, "text/event-stream")) return;
    let told = after;
    const timer = setInterval(() => {
      for (const event of run.events.slice(told)) {
        told += 1;
        response.write(`event: ${event.type}\nid: ${run.id}:${told}\ndata: ${JSON.stringify(event)}\n\n`);
        if (event.type === "run_ended") response.end();
      }
    }, 10);
    response.on("close", () => clearInterval(timer));
  }

  #open(response: ServerResponse, type: string): boolean {
    if (this.#broken) {
      response.destroy();
      return false;
    }
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
    response.writeHead(200, { "Content-Type": type, "Cache-Control": "no-store" });
    return true;
  }

  #picture(response: ServerResponse): void {
    response.writeHead(200, { "Content-Type": "image/jpeg" }).end(this.#options.paint(40));
  }

  async #page(pathname: string, response: ServerResponse): Promise<void> {
    const file = extname(pathname) === "" ? "/index.html" : pathname;
    const bytes = await readFile(join(this.#options.dist, file));
    response
      .writeHead(200, {
        "Content-Type": TYPES[extname(file)] ?? "application/octet-stream",
        "Content-Security-Policy": POLICY,
      })
      .end(bytes);
  }
}

const STOP_CALL = { call_id: "stop1", tool: "stop_pipeline", arguments: { pipeline_id: "all" } } as const;
const WATCHED: Effect = {
  kind: "created",
  what: "watch",
  id: "w1",
  name: "a cat on the street",
  text: 'Created watch "a cat on the street".',
  link: "/watches/w1",
};
const STOPPED: Effect = {
  kind: "stopped",
  what: "pipeline",
  id: "p-street",
  name: "street-count",
  camera: "street",
  text: "Stopped street-count on street.",
  link: "/cameras/street",
};
const LONG_WORD = "street-person-count-with-a-very-long-name-that-never-ends".repeat(4);
/** All that has ever been wider than the chat: a long tool line, a long word, code and a table. */
const WIDE_ANSWER = [
  `The pipeline ${LONG_WORD} runs.`,
  `\`\`\`json\n{ "workflow": "${LONG_WORD}" }\n\`\`\``,
  `| camera | ${"column | ".repeat(12)}\n|---|${"---|".repeat(12)}\n| street | ${"value | ".repeat(12)}`,
].join("\n\n");

function toWatch(id: string, words: string): WatchReport {
  return {
    id,
    words,
    cameras: ["street"],
    classes: ["cat"],
    condition: { kind: "appears" },
    cooldown_seconds: 30,
    severity: "info",
    enabled: true,
    created_at: iso(0),
    state: { kind: "on", text: "on" },
    counts: { today: { seen: 2, suppressed: 1, sent: 1 }, total: { seen: 2, suppressed: 1, sent: 1 } },
    pipelines: [],
  };
}

function answeredScript(runId: string, { prompt, calls }: Pause, { decision, text }: PauseAnswer): readonly RunEvent[] {
  const words = { approve: "Stopped all pipelines.", deny: "Nothing was stopped.", answer: `Answered: ${text}` }[
    decision
  ];
  const outcome = decision === "deny" ? "denied" : "ok";
  const receipt = { effects: { approve: [STOPPED], answer: [WATCHED], deny: [] }[decision] };
  const done = { ...STOP_CALL, outcome, text: prompt, images: [], duration_ms: 20 };
  return [
    { type: "run_started", run_id: runId, session_id: "s1", speaker: "offline interpreter" },
    ...(calls.length === 0
      ? []
      : ([
          { type: "tool_call", ...STOP_CALL },
          { type: "tool_result", ...done },
        ] as const)),
    { type: "text_delta", message_id: `${runId}m`, text: words },
    { type: "run_ended", outcome: { status: "finished", text: words, images: [], reason: "done", receipt } },
  ];
}

function scriptOf(runId: string, text: string): readonly RunEvent[] {
  if (text === "Stop everything") {
    return [
      { type: "run_started", run_id: runId, session_id: "s1", speaker: "offline interpreter" },
      { type: "tool_call", ...STOP_CALL },
      {
        type: "run_ended",
        outcome: {
          status: "paused",
          text: "",
          images: [],
          reason: "May I stop all pipelines (street-count)?",
          pause_id: "p1",
        },
      },
    ];
  }
  if (text === "Tell me widely") {
    const wide = { call_id: `${runId}c1`, tool: "start_pipeline" };
    return [
      { type: "run_started", run_id: runId, session_id: "s1", speaker: "offline interpreter" },
      { type: "tool_call", ...wide, arguments: { name: LONG_WORD, video_reference: LONG_WORD } },
      { type: "tool_result", ...wide, outcome: "ok", text: LONG_WORD, images: [], duration_ms: 20 },
      { type: "text_delta", message_id: `${runId}m`, text: WIDE_ANSWER },
      { type: "run_ended", outcome: { status: "finished", text: WIDE_ANSWER, images: [], reason: "done" } },
    ];
  }
  const answer = `On **street** I see two people and a car.\n\n- person #3, walking right\n- person #5, walking left\n- car #8\n\nYou said: ${text}`;
  const images = ["shot1"];
  return [
    { type: "run_started", run_id: runId, session_id: "s1", speaker: "offline interpreter" },
    { type: "thinking_delta", message_id: "a1", text: "The street camera is the only one." },
    { type: "tool_call", call_id: `${runId}c1`, tool: "capture_frame", arguments: { camera: "street" } },
    {
      type: "tool_result",
      call_id: `${runId}c1`,
      tool: "capture_frame",
      outcome: "ok",
      text: "1280 x 720, frame 40",
      images,
      duration_ms: 412,
    },
    ...(answer.match(/\S+\s*/g) ?? []).map((word): RunEvent => ({ type: "text_delta", message_id: "a2", text: word })),
    {
      type: "run_ended",
      outcome: { status: "finished", text: answer, images, reason: "done", receipt: { effects: [] } },
    },
  ];
}

function cancelledEnd(event: Extract<RunEvent, { type: "run_ended" }>): RunEvent {
  return { ...event, outcome: { ...event.outcome, text: "", status: "cancelled", reason: "stopped by a person" } };
}

/** The turn as the transcript keeps it. */
function toAnswer(runId: string, script: readonly RunEvent[], timestamp: string): ChatMessage {
  const end = script.find((event) => event.type === "run_ended");
  const steps = script.flatMap((call) => {
    if (call.type !== "tool_call") return [];
    const result = script.find((event) => event.type === "tool_result" && event.call_id === call.call_id);
    const { outcome, text, images } =
      result?.type === "tool_result" ? result : { outcome: "not_executed", text: "", images: [] };
    return [
      { call_id: call.call_id, tool: call.tool, arguments: call.arguments, outcome, text, images, duration_ms: null },
    ];
  });
  const { text = "", receipt } = end?.outcome ?? {};
  return { ...toMessage(`answer-${runId}`, "assistant", text, timestamp), steps, receipt };
}

export function toPause(id: string, prompt: string, nowMs: number): Pause {
  return {
    id,
    session_id: "s1",
    run_id: "r1",
    kind: "approval",
    prompt,
    choices: [],
    created_at: iso(nowMs),
    expires_at: null,
    calls: [{ call_id: STOP_CALL.call_id, tool: STOP_CALL.tool, arguments: JSON.stringify(STOP_CALL.arguments) }],
  };
}

function toMessage(id: string, role: ChatMessage["role"], text: string, timestamp: string): ChatMessage {
  return { id, role, text, timestamp, images: [], steps: [] };
}

function toCamera(name: string): Camera {
  return { name, source: `sim://${name}`, location: "", notes: "" };
}

function toPipeline(camera: string, nowMs: number): PipelineStatus {
  return {
    pipeline_id: `p-${camera}`,
    name: `${camera}-count`,
    backend: "direct",
    video_reference: camera,
    workflow_description: "Counts people across the middle of the picture",
    started_at: iso(nowMs - 600_000),
    status: "running",
    fps: 9.8,
    frames_processed: 5900,
    frames_dropped: 12,
    models: ["sim/truth"],
    shapes: [{ kind: "line", step: "line", points: LINE }],
  };
}

export function toEvents(camera: string, nowMs: number): readonly SceneEvent[] {
  return Array.from({ length: 60 }, (_, index) => ({
    id: `e${index}`,
    kind: index % 3 === 0 ? ("line_crossed" as const) : ("appeared" as const),
    timestamp: iso(nowMs - 12_000 - index * index * 190),
    camera,
    pipeline_id: `p-${camera}`,
    frame_number: 40,
    class_name: "person",
    tracker_id: 3,
    box_xyxy: [630, 400, 700, 580] as [number, number, number, number],
    text: index % 3 === 0 ? "A person crossed the line, in" : "A person appeared",
    picture: "shot1",
  }));
}

export function toAlert(camera: string, nowMs: number): Alert {
  return {
    id: "al1",
    severity: "warning",
    timestamp: iso(nowMs - 12_000),
    camera,
    text: "A person crossed the line after hours",
    event_id: "e0",
    picture: "shot1",
    held_back: 3,
  };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
