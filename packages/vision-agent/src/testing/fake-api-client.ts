// an app at the other end of the line, for tests
import type { RunEvent } from "@vision-agent/protocol";
import { type ApiClient, ApiClientError } from "../interfaces/cli/api-client.ts";
import type { Colours } from "../interfaces/cli/print-run.ts";
import { fakeStatus } from "./fake-app.ts";

export interface FakeClient extends ApiClient {
  readonly said: readonly unknown[];
  /** Requests in their order: `GET /api/x?y=z`, and what was sent. */
  readonly asked: readonly (readonly [request: string, body?: object])[];
  readonly cancelled: readonly string[];
}

export const PLAIN: Colours = { dim: (text) => text, yellow: (text) => text, red: (text) => text };

export function runEnded(
  status: "finished" | "stopped" | "failed" | "cancelled",
  text = "",
  reason = "complete",
): RunEvent {
  return { type: "run_ended", outcome: { status, text, images: [], reason } };
}

/**
 * Answers every message with the same events; an event may be waited for. `answers` is what the API says by address;
 * a list gives one after the other, the last again and again.
 */
export function fakeClient(
  events: readonly (RunEvent | Promise<RunEvent>)[],
  answers: Readonly<Record<string, unknown>> = {},
): FakeClient {
  const said: unknown[] = [];
  const asked: [request: string, body?: object][] = [];
  const left = new Map<string, unknown>(Object.entries({ "GET /api/pipelines": [[fakeStatus()]], ...answers }));
  const answer = <T>(request: string): T => {
    const key = request.split("?")[0] ?? "";
    const rest = left.get(key);
    if (rest === undefined) throw new ApiClientError("refused", `There is nothing at ${key}.`);
    const [first, ...more] = rest as readonly T[];
    if (more.length > 0) left.set(key, more);
    return first as T;
  };
  const cancelled: string[] = [];
  return {
    said,
    asked,
    cancelled,
    async get<T>(path: string, query: Readonly<Record<string, string | undefined>> = {}) {
      const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
      const request = `GET ${path}${given.length > 0 ? `?${given.join("&")}` : ""}`;
      asked.push([request]);
      return answer<T>(request);
    },
    async send<T>(method: string, path: string, body?: object) {
      asked.push(body === undefined ? [`${method} ${path}`] : [`${method} ${path}`, body]);
      return answer<T>(`${method} ${path}`);
    },
    picture: async (id) => new TextEncoder().encode(id),
    health: async () => ({
      status: "ok",
      version: "1",
      mode: "offline",
      speaker: "offline interpreter",
      uptime_seconds: 1,
    }),
    pipelines: async () => [fakeStatus()],
    createSession: async () => "session_1",
    upload: async (bytes) => `art_${bytes.length}`,
    async *say(sessionId, message) {
      said.push([sessionId, message]);
      yield* events;
    },
    cancel: async (runId) => void cancelled.push(runId),
    async *alerts() {
      yield {
        id: "al_1",
        severity: "info",
        timestamp: "2026-01-01T10:00:00.000Z",
        camera: "street",
        text: "A person appeared on street.",
        event_id: "ev_1",
        picture: "art_1",
        held_back: 0,
      };
    },
  };
}
