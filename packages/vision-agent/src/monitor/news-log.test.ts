import { createFakeClock } from "@vision-agent/agent-core/testing";
import type { Alert, SceneEvent } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { fakeCameras, fakePipelines, fakeStatus } from "../testing/fake-app.ts";
import { createNewsLog } from "./news-log.ts";

const T0 = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

describe("the news of the app", () => {
  it("S000-4.5 are events, told once for many of a kind, and alerts", () => {
    const news = open({
      events: [event({ text: "A person appeared on dock." }), event(), event({ kind: "camera_down", class_name: "" })],
      alerts: [alert({ text: "Somebody is at the dock." })],
    });
    expect(news.since(T0)).toEqual([
      "2026-01-01T00:05:00.000Z the person was told (info): Somebody is at the dock.",
      "dock: appeared person 2 times, the last at 2026-01-01T00:05:00.000Z: A person appeared on dock.",
      "dock: camera_down at 2026-01-01T00:05:00.000Z: It appeared.",
    ]);
  });

  it("S000-C leave out what the detector is less sure of than monitoring.escalation_confidence", () => {
    expect(open({ events: [event({ confidence: 0.49 })] }).since(T0)).toEqual([]);
    expect(open({ events: [event({ confidence: 0.5 })] }).since(T0)).toHaveLength(1);
  });

  it("leave out what was before, what a simulated scene shows, and what the agent itself told", () => {
    const news = open({
      events: [event({ camera: "sim://street" }), event({ camera: "SIM://warehouse" })],
      alerts: [ownWords(), alert({ timestamp: at(-1) }), alert({ camera: "sim://street" })],
    });
    expect(news.since(T0)).toEqual([]);
  });

  it("tell of a pipeline that fails once, however often it is tried again, until it has run", async () => {
    const clock = createFakeClock(T0);
    const pipelines = fakePipelines({
      running: [fakeStatus({ video_reference: "dock", status: "failed", reason: "No model." })],
    });
    const news = open({ clock, pipelines });
    pipelines.change();
    expect(news.since(T0)).toEqual(["2026-01-01T00:00:00.000Z the pipeline street-count on dock failed: No model."]);
    await clock.advance(MINUTE_MS);
    pipelines.change();
    expect(news.since(T0 + 1)).toEqual([]);
    await pipelines.resume("pl_1");
    pipelines.change();
    expect(news.since(T0)).toEqual([]);
  });
});

function open(
  over: Partial<Omit<Parameters<typeof createNewsLog>[0], "events" | "alerts">> & {
    readonly events?: readonly SceneEvent[];
    readonly alerts?: readonly Alert[];
  },
) {
  const { events = [], alerts = [], ...rest } = over;
  return createNewsLog({
    events: { list: ({ from = "" } = {}) => events.filter(({ timestamp }) => timestamp >= from) },
    alerts: { list: () => alerts },
    pipelines: fakePipelines(),
    cameras: fakeCameras("dock"),
    clock: createFakeClock(T0),
    escalationConfidence: 0.5,
    ...rest,
  });
}

function at(minutes: number): string {
  return new Date(T0 + minutes * MINUTE_MS).toISOString();
}

function event(over: Partial<SceneEvent> = {}): SceneEvent {
  const about = { id: "e1", kind: "appeared", pipeline_id: "pl_1", frame_number: 1, class_name: "person" } as const;
  return { ...about, camera: "dock", timestamp: at(5), text: "It appeared.", ...over };
}

function alert(over: Partial<Alert> = {}): Alert {
  return { ...ownWords(), event_id: "e1", ...over };
}

/** An alert that no event caused. */
function ownWords(): Alert {
  return { id: "a1", severity: "info", camera: "dock", text: "Look.", held_back: 0, timestamp: at(5) };
}
