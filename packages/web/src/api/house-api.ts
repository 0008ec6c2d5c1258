// views → REST addresses → typed answers
import type {
  Alert,
  ArtifactCreated,
  Camera,
  Health,
  PipelineStatus,
  PostMessage,
  SceneEvent,
  SessionCreated,
  SessionDetail,
  SessionSummary,
} from "@vision-agent/protocol";
import { ApiFailure, toApiFailure } from "./api-failure.ts";

export type Fetch = (address: string, init?: RequestInit) => Promise<Response>;

/** Everything the dashboard asks of the server. Every call throws `ApiFailure`, or the abort of its signal. */
export interface HouseApi {
  health(signal?: AbortSignal): Promise<Health>;
  cameras(signal?: AbortSignal): Promise<Camera[]>;
  pipelines(signal?: AbortSignal): Promise<PipelineStatus[]>;
  /** The last thousand, newest first: ten minutes of a busy street. */
  events(signal?: AbortSignal): Promise<SceneEvent[]>;
  alerts(signal?: AbortSignal): Promise<Alert[]>;
  sessions(signal?: AbortSignal): Promise<SessionSummary[]>;
  session(id: string, signal?: AbortSignal): Promise<SessionDetail>;
  createSession(): Promise<SessionCreated>;
  /** The body is a stream of run events. */
  postMessage(sessionId: string, message: PostMessage, signal: AbortSignal): Promise<Response>;
  /** The body is a stream of run events, beginning after the event with this id, or with the first. */
  runEvents(runId: string, lastEventId: string | undefined, signal: AbortSignal): Promise<Response>;
  cancelRun(runId: string): Promise<void>;
  steerRun(runId: string, text: string): Promise<void>;
  uploadImage(image: Blob): Promise<ArtifactCreated>;
  /** The body is a stream of house events. */
  houseStream(signal: AbortSignal): Promise<Response>;
  /** The body is endless multipart: a frame result, its picture, and again. */
  live(camera: string, signal: AbortSignal): Promise<Response>;
}

const EVENT_STREAM = { Accept: "text/event-stream" };
const JSON_BODY = { "Content-Type": "application/json" };

export function createHouseApi(fetch: Fetch): HouseApi {
  const open = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(address, init).catch((cause: unknown) => {
      if (init.signal?.aborted) throw cause;
      throw new ApiFailure("The server does not answer.", { kind: "unreachable", cause });
    });
    if (!response.ok) throw await toApiFailure(response);
    return response;
  };
  const get = async <T>(address: string, signal?: AbortSignal): Promise<T> =>
    readJson(await open(address, signal ? { signal } : {}));
  const post = (address: string, body?: unknown): Promise<Response> =>
    open(address, {
      method: "POST",
      ...(body === undefined ? {} : { headers: JSON_BODY, body: JSON.stringify(body) }),
    });
  const at = (id: string): string => encodeURIComponent(id);

  return {
    health: (signal) => get("/healthz", signal),
    cameras: (signal) => get("/api/cameras", signal),
    pipelines: (signal) => get("/api/pipelines", signal),
    events: (signal) => get("/api/events?limit=1000", signal),
    alerts: (signal) => get("/api/alerts", signal),
    sessions: (signal) => get("/api/sessions", signal),
    session: (id, signal) => get(`/api/sessions/${at(id)}`, signal),
    createSession: async () => readJson(await post("/api/sessions")),
    postMessage: (sessionId, message, signal) =>
      open(`/api/sessions/${at(sessionId)}/messages`, {
        method: "POST",
        headers: { ...JSON_BODY, ...EVENT_STREAM },
        body: JSON.stringify(message),
        signal,
      }),
    runEvents: (runId, lastEventId, signal) =>
      open(`/api/runs/${at(runId)}/events`, {
        headers: lastEventId === undefined ? EVENT_STREAM : { ...EVENT_STREAM, "Last-Event-ID": lastEventId },
        signal,
      }),
    cancelRun: async (runId) => void (await post(`/api/runs/${at(runId)}/cancel`)),
    steerRun: async (runId, text) => void (await post(`/api/runs/${at(runId)}/steer`, { text })),
    uploadImage: async (image) =>
      readJson(await open("/api/artifacts", { method: "POST", headers: { "Content-Type": image.type }, body: image })),
    houseStream: (signal) => open("/api/stream", { headers: EVENT_STREAM, signal }),
    live: (camera, signal) => open(`/api/cameras/${at(camera)}/live?with=results`, { signal }),
  };
}

/** Address of a stored picture, scaled down to `width` when given. */
export function artifactUrl(id: string, width?: number): string {
  return `/api/artifacts/${encodeURIComponent(id)}${width === undefined ? "" : `?width=${width}`}`;
}

/** Address of the frame that showed an event. */
export function eventPictureUrl(eventId: string): string {
  return `/api/events/${encodeURIComponent(eventId)}/picture.jpg`;
}

async function readJson<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (cause) {
    throw new ApiFailure("The server answered with something that is not JSON.", {
      kind: "malformed",
      status: response.status,
      cause,
    });
  }
}
