// views → REST addresses → typed answers
import type {
  Alert,
  ApiError,
  ArtifactCreated,
  Camera,
  Health,
  Job,
  Me,
  MemoryFound,
  Pause,
  PauseAnswer,
  PipelineStatus,
  PostMessage,
  SceneEvent,
  SessionCreated,
  SessionDetail,
  SessionSummary,
  WatchReport,
} from "@vision-agent/protocol";

type SendRequest = (address: string, init?: RequestInit) => Promise<Response>;

const EVENT_STREAM = { Accept: "text/event-stream" };
const JSON_BODY = { "Content-Type": "application/json" };

export type DashboardApi = ReturnType<typeof createDashboardApi>;

/** Everything the dashboard asks of the server. Every call throws `ApiFailure`, or the abort of its signal. */
export function createDashboardApi(fetch: SendRequest) {
  const open = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(address, init).catch((cause: unknown) => {
      if (init.signal?.aborted) throw cause;
      throw new ApiFailure("The server is not responding.", { kind: "unreachable", cause });
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
  const postForEvents = (address: string, body: unknown, signal: AbortSignal): Promise<Response> =>
    open(address, {
      method: "POST",
      headers: { ...JSON_BODY, ...EVENT_STREAM },
      body: JSON.stringify(body),
      signal,
    });
  const at = (id: string): string => encodeURIComponent(id);

  return {
    /** Who is signed in; null when nobody is. */
    me: async (signal?: AbortSignal): Promise<Me | null> => {
      try {
        return await get<Me>("/api/me", signal);
      } catch (failure) {
        if (failure instanceof ApiFailure && failure.status === 401) return null;
        throw failure;
      }
    },
    signIn: async (name: string, password: string) => readJson<Me>(await post("/api/login", { name, password })),
    signOut: async (): Promise<void> => void (await post("/api/logout")),
    health: (signal?: AbortSignal) => get<Health>("/healthz", signal),
    cameras: (signal?: AbortSignal) => get<Camera[]>("/api/cameras", signal),
    pipelines: (signal?: AbortSignal) => get<PipelineStatus[]>("/api/pipelines", signal),
    /** The last thousand, newest first: ten minutes of a busy street. */
    events: (signal?: AbortSignal) => get<SceneEvent[]>("/api/events?limit=1000", signal),
    alerts: (signal?: AbortSignal) => get<Alert[]>("/api/alerts", signal),
    watches: (signal?: AbortSignal) => get<WatchReport[]>("/api/watches", signal),
    jobs: (signal?: AbortSignal) => get<Job[]>("/api/jobs", signal),
    /** What is remembered about these words. */
    notes: (words: string, signal?: AbortSignal) => get<MemoryFound>(`/api/memory?q=${at(words)}`, signal),
    sessions: (signal?: AbortSignal) => get<SessionSummary[]>("/api/sessions", signal),
    session: (id: string, signal?: AbortSignal) => get<SessionDetail>(`/api/sessions/${at(id)}`, signal),
    createSession: async () => readJson<SessionCreated>(await post("/api/sessions")),
    /** The body is a stream of run events. */
    postMessage: (sessionId: string, message: PostMessage, signal: AbortSignal) =>
      postForEvents(`/api/sessions/${at(sessionId)}/messages`, message, signal),
    /** The body is a stream of run events, beginning after the event with this id, or with the first. */
    runEvents: (runId: string, lastEventId: string | undefined, signal: AbortSignal) =>
      open(`/api/runs/${at(runId)}/events`, {
        headers: lastEventId === undefined ? EVENT_STREAM : { ...EVENT_STREAM, "Last-Event-ID": lastEventId },
        signal,
      }),
    cancelRun: async (runId: string): Promise<void> => void (await post(`/api/runs/${at(runId)}/cancel`)),
    steerRun: async (runId: string, text: string): Promise<void> =>
      void (await post(`/api/runs/${at(runId)}/steer`, { text })),
    /** What waits for a person in any conversation, oldest first. */
    pauses: (signal?: AbortSignal) => get<Pause[]>("/api/pauses", signal),
    /** The body is a stream of run events: what waited goes on. */
    answerPause: (pauseId: string, answer: PauseAnswer, signal: AbortSignal) =>
      postForEvents(`/api/pauses/${at(pauseId)}`, answer, signal),
    uploadImage: async (body: Blob) => {
      const response = await open("/api/artifacts", { method: "POST", headers: { "Content-Type": body.type }, body });
      return readJson<ArtifactCreated>(response);
    },
    /** The body is a stream of everything that happens on the server. */
    eventStream: (signal: AbortSignal) => open("/api/stream", { headers: EVENT_STREAM, signal }),
    /** The body is endless multipart: a frame result, its picture, and again. */
    live: (camera: string, signal: AbortSignal) => open(`/api/cameras/${at(camera)}/live?with=results`, { signal }),
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
    throw new ApiFailure("The server sent an answer that this page cannot read.", {
      kind: "malformed",
      status: response.status,
      cause,
    });
  }
}

/** `unreachable` nobody answered · `refused` the server answered with an error · `malformed` it answered with something else. */
export type ApiFailureKind = "unreachable" | "refused" | "malformed";

export interface ApiFailureOptions {
  readonly kind: ApiFailureKind;
  readonly status?: number;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  readonly kind: ApiFailureKind;
  /** HTTP status; 0 when nobody answered. */
  readonly status: number;
  /** What a person can do about it, where the server knows. */
  readonly hint: string | undefined;

  constructor(message: string, options: ApiFailureOptions) {
    super(message, { cause: options.cause });
    this.kind = options.kind;
    this.status = options.status ?? 0;
    this.hint = options.hint;
  }
}

/** The error body of a response that is not ok, as a failure with words for people. */
export async function toApiFailure(response: Response): Promise<ApiFailure> {
  const text = await response.text();
  const error = parseErrorBody(text);
  if (error === undefined) {
    return new ApiFailure(`The server answered with error ${response.status}.`, {
      kind: "malformed",
      status: response.status,
    });
  }
  return new ApiFailure(error.message, { kind: "refused", status: response.status, hint: error.hint });
}

function parseErrorBody(text: string): ApiError["error"] | undefined {
  try {
    const body = JSON.parse(text) as Partial<ApiError> | null;
    return typeof body?.error?.message === "string" ? body.error : undefined;
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}
