// POST /initialise_webrtc_worker → checks, then a session that answers the offer
import type { Json } from "@vision-agent/protocol";
import { type FakeAnswer, FakeRefusal, failure, ok, type Request } from "./answer.ts";
import type { OpenVideo } from "./cameras.ts";
import {
  dictionary,
  type FieldChecks,
  flag,
  isObject,
  type JsonMap,
  list,
  number,
  object,
  optional,
  takeBody,
  text,
} from "./check-body.ts";
import { partsOf } from "./describe.ts";
import type { FakeSessionView } from "./fake-server.ts";
import { LoadedModels } from "./loaded-models.ts";
import { WORKFLOW_CONFIGURATION } from "./pipelines.ts";
import { isBefore18 } from "./settings.ts";
import { type FakeSessionSource, WorkerSession } from "./worker-session.ts";
import { openSpec, specOf } from "./workflows.ts";
import type { World } from "./world.ts";

const FIELDS: FieldChecks = {
  api_key: optional(text),
  "workflow_configuration!": object(WORKFLOW_CONFIGURATION),
  "webrtc_offer!": object({ "type!": text, "sdp!": text }),
  webrtc_config: optional(object({ iceServers: list(dictionary) })),
  webrtc_turn_config: optional(dictionary),
  webrtc_realtime_processing: flag,
  stream_output: optional(list(optional(text))),
  data_output: optional(list(optional(text))),
  declared_fps: optional(number),
  rtsp_url: optional(text),
  mjpeg_url: optional(text),
  processing_timeout: optional(number),
};

const PRIVATE_HOST = /^https?:\/\/(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[::1\]|[^/:]+\.local\b)/i;

/** Every session is a process of its own with its own models. */
export class WebRtcWorkers {
  readonly #world: World;
  readonly #views: FakeSessionView[];
  readonly #sessions = new Set<WorkerSession>();

  constructor(world: World, views: FakeSessionView[]) {
    this.#world = { ...world, models: new LoadedModels(world.settings) };
    this.#views = views;
  }

  async initialise(request: Request): Promise<FakeAnswer> {
    const body = takeBody(request, FIELDS);
    const began = this.#world.time.now();
    await this.#world.time.sleep(this.#world.settings.workerStartMs);
    const spec = specOf(this.#world, body.workflow_configuration as JsonMap);
    if (spec === undefined) throw hidden();
    const workflow = await openSpec(this.#world, spec);
    checkOutputs(spec, "data_output", body.data_output);
    checkOutputs(spec, "stream_output", body.stream_output);
    this.#checkIce(body);
    const source = this.#source(body);
    const session = new WorkerSession({ world: this.#world, workflow, request: body, source, began });
    this.#sessions.add(session);
    this.#views.push(session.view);
    const sdp = await session.answer(String((body.webrtc_offer as JsonMap).sdp));
    return ok({ status: "success", context: { request_id: null, pipeline_id: null }, sdp, type: "answer" });
  }

  async end(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.end()));
  }

  /** An offline server takes no ICE servers; the reason stays in its log. */
  #checkIce(body: JsonMap): void {
    const servers = isObject(body.webrtc_config) ? body.webrtc_config.iceServers : undefined;
    const hasServers = (Array.isArray(servers) && servers.length > 0) || isObject(body.webrtc_turn_config);
    if (hasServers && this.#world.settings.offline) throw hidden();
  }

  #source(body: JsonMap): FakeSessionSource {
    const isRealtime = body.webrtc_realtime_processing !== false;
    if (typeof body.rtsp_url === "string") {
      const video = this.#world.cameras.open(body.rtsp_url);
      if (video === undefined && isRealtime) throw hidden();
      return { kind: "rtsp", video };
    }
    if (typeof body.mjpeg_url === "string") return { kind: "mjpeg", video: this.#openMjpeg(body.mjpeg_url) };
    return { kind: sendsVideo(String((body.webrtc_offer as JsonMap).sdp)) ? "track" : "upload" };
  }

  #openMjpeg(url: string): OpenVideo {
    const { settings, cameras } = this.#world;
    const isRefused = PRIVATE_HOST.test(url) && !settings.privateMjpeg && !isBefore18(settings);
    const video = isRefused ? undefined : cameras.open(url);
    if (video === undefined) throw hidden();
    return video;
  }
}

/** The child process died; why is only in the server's log. */
function hidden(): FakeRefusal {
  return new FakeRefusal(failure(500, "Internal error."));
}

function checkOutputs(spec: JsonMap, field: string, asked: Json | undefined): void {
  const known = partsOf(spec).outputs.map((output) => output.name);
  const names = Array.isArray(asked)
    ? asked.filter((name) => name !== "" && name !== null && name !== "*").map(String)
    : [];
  const wrong = names.filter((name) => !known.includes(name));
  if (wrong.length === 0) return;
  const list = (items: readonly string[]) => `[${items.map((item) => `'${item}'`).join(", ")}]`;
  const message = `Invalid ${field} fields: ${list(wrong)}. Available workflow outputs: ${list(known)}`;
  throw new FakeRefusal(failure(400, message, { error_type: "WebRTCConfigurationError" }));
}

function sendsVideo(sdp: string): boolean {
  const video = sdp.split(/^m=/m).find((section) => section.startsWith("video"));
  return video !== undefined && /^a=(sendrecv|sendonly)\s*$/m.test(video);
}
