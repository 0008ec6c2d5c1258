// commands → the REST and SSE API of an app → answers and run events
import { readSse } from "@vision-agent/agent-core/protocols";
import {
  type Alert,
  type ArtifactCreated,
  apiErrorSchema,
  appEventSchema,
  type Health,
  type PipelineStatus,
  type PostMessage,
  type RunEvent,
  runEventSchema,
  type SessionCreated,
} from "@vision-agent/protocol";
import { KindedError } from "../../workspace/kinded-error.ts";
import type { AppAddress } from "../http/server-note.ts";
import { patientFetch } from "./patient-fetch.ts";

/** The app refused or did not answer; the message is for people. */
export class ApiClientError extends KindedError<"refused" | "unreachable"> {}

/** What the command line asks of an app. Everything rejects with `ApiClientError`. */
export interface ApiClient {
  health(): Promise<Health>;
  /** What an address of the API answers; parameters that are undefined are left out. */
  get<T>(path: string, query?: Readonly<Record<string, string | undefined>>): Promise<T>;
  send<T>(method: "POST" | "PUT" | "DELETE" | "PATCH", path: string, body?: object): Promise<T>;
  pipelines(): Promise<readonly PipelineStatus[]>;
  createSession(): Promise<string>;
  /** A picture as a JPEG of at most this width. */
  picture(artifactId: string, width: number): Promise<Uint8Array>;
  /** Stores a picture and gives its id. */
  upload(bytes: Uint8Array): Promise<string>;
  /** The run's events to its end. Leaving early does not cancel the run. */
  say(sessionId: string, message: PostMessage): AsyncIterable<RunEvent>;
  cancel(runId: string): Promise<void>;
  /** Alerts from now on, until the signal fires. */
  alerts(signal: AbortSignal): AsyncIterable<Alert>;
}

export function createApiClient({ address, token }: AppAddress): ApiClient {
  const authorization = `Bearer ${token}`;
  const checked = async (asked: Promise<Response>): Promise<Response> => {
    const response = await asked.catch((cause: unknown) => {
      throw new ApiClientError("unreachable", `No server responds at ${address}.`, cause);
    });
    if (response.ok) return response;
    throw new ApiClientError("refused", await reasonOf(response));
  };
  const open = (path: string, init: RequestInit = {}): Promise<Response> =>
    checked(fetch(`${address}${path}`, { ...init, headers: { ...init.headers, authorization } }));
  const get = async <T>(path: string, query: Readonly<Record<string, string | undefined>> = {}): Promise<T> => {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const search = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
    return (await (await open(`${path}${search}`)).json()) as T;
  };
  // A replay may take hours before its answer comes.
  const send = (method: string, path: string, body?: object, accept = "application/json"): Promise<Response> =>
    checked(
      patientFetch(`${address}${path}`, {
        method,
        headers: { accept, authorization, ...(body && { "content-type": "application/json" }) },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );

  return {
    health: () => get<Health>("/healthz"),
    pipelines: () => get<PipelineStatus[]>("/api/pipelines"),
    get,
    send: async <T>(method: string, path: string, body?: object) =>
      (await (await send(method, path, body)).json()) as T,
    async picture(artifactId, width) {
      return new Uint8Array(await (await open(`/api/artifacts/${artifactId}?width=${width}`)).arrayBuffer());
    },
    async createSession() {
      const response = await open("/api/sessions", { method: "POST" });
      return ((await response.json()) as SessionCreated).id;
    },
    async upload(bytes) {
      const headers = { "content-type": "application/octet-stream" };
      const response = await open("/api/artifacts", { method: "POST", headers, body: Buffer.from(bytes) });
      return ((await response.json()) as ArtifactCreated).id;
    },
    async *say(sessionId, message) {
      const response = await send("POST", `/api/sessions/${sessionId}/messages`, message, "text/event-stream");
      if (response.body === null) return;
      for await (const { data } of readSse(response.body)) yield runEventSchema.parse(data);
    },
    async cancel(runId) {
      await open(`/api/runs/${runId}/cancel`, { method: "POST" });
    },
    async *alerts(signal) {
      const { body } = await open("/api/stream", { signal });
      if (body === null) return;
      for await (const { data } of readSse(body)) {
        const event = appEventSchema.parse(data);
        if (event.type === "alert") yield event.alert;
      }
    },
  };
}

async function reasonOf(response: Response): Promise<string> {
  const parsed = apiErrorSchema.safeParse(await response.json().catch(() => undefined /* no JSON, no reason */));
  if (!parsed.success) return `The server answered with error ${response.status}.`;
  const { message, hint } = parsed.data.error;
  return hint === undefined ? message : `${message} ${hint}`;
}
