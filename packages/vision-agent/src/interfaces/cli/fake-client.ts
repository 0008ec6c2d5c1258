// a house at the other end of the line, for tests
import type { RunEvent } from "@vision-agent/protocol";
import { fakeStatus } from "../../tools/fake-house.ts";
import type { HouseClient } from "./house-client.ts";
import type { Colours } from "./print-run.ts";

export interface FakeClient extends HouseClient {
  readonly said: readonly unknown[];
  readonly cancelled: readonly string[];
}

export const PLAIN: Colours = { dim: (text) => text, yellow: (text) => text, red: (text) => text };

export function runEnded(status: "finished" | "failed" | "cancelled", text = "", reason = "complete"): RunEvent {
  return { type: "run_ended", outcome: { status, text, images: [], reason } };
}

/** Answers every message with the same events; an event may be waited for. */
export function fakeClient(events: readonly (RunEvent | Promise<RunEvent>)[]): FakeClient {
  const said: unknown[] = [];
  const cancelled: string[] = [];
  return {
    said,
    cancelled,
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
