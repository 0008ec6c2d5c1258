import type { Camera, PipelineStatus, SceneEvent } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { cameraWords, downSince, isSimulated, type PictureState, pipelinesOn } from "./camera-state.ts";

const STREET: Camera = { name: "street", source: "sim://street", location: "", notes: "" };
const LIVE: PictureState = { connection: { kind: "open" }, fps: 9.84, seen: true };

describe("pipelinesOn", () => {
  it("finds pipelines by the camera's name or source, newest first, without those that are over", () => {
    const found = pipelinesOn(STREET, [
      pipeline({ name: "old", started_at: "2026-01-01T00:00:00.000Z" }),
      pipeline({ name: "by source", video_reference: "sim://street", started_at: "2026-01-02T00:00:00.000Z" }),
      pipeline({ name: "elsewhere", video_reference: "dock" }),
      pipeline({ name: "over", status: "stopped" }),
    ]);
    expect(found.map(({ name }) => name)).toEqual(["by source", "old"]);
  });
});

describe("cameraWords", () => {
  it("says live with the frame rate only while pictures come", () => {
    expect(cameraWords(LIVE, [])).toEqual({ tone: "ok", label: "live 9.8 fps" });
    expect(cameraWords({ ...LIVE, fps: 0 }, []).label).toBe("no new picture");
    expect(cameraWords({ ...LIVE, fps: 0, seen: false }, []).label).toBe("connecting");
  });

  it("gives the reason while a camera is tried again or has failed", () => {
    const reason = "The camera refused the password.";
    expect(cameraWords(LIVE, [pipeline({ status: "reconnecting", reason })])).toEqual({
      tone: "wait",
      label: "reconnecting",
      detail: reason,
    });
    expect(cameraWords(LIVE, [pipeline({ status: "failed", reason })]).tone).toBe("down");
  });

  it("says so when the page itself lost the connection", () => {
    const connection = { kind: "lost", reason: "The server does not answer.", sinceMs: 0, retryInMs: 1 } as const;
    expect(cameraWords({ ...LIVE, connection }, [])).toMatchObject({ tone: "wait", detail: connection.reason });
  });
});

describe("isSimulated", () => {
  it("tells a stand-in from a model", () => {
    expect(isSimulated([pipeline({ models: ["yolov8n", "sim/truth"] })])).toBe(true);
    expect(isSimulated([pipeline({ models: ["yolov8n"] })])).toBe(false);
  });
});

describe("downSince", () => {
  it("is the time of the last down event until the camera is up again", () => {
    const down = happened("camera_down", "2026-01-01T10:00:00.000Z");
    const up = happened("camera_up", "2026-01-01T10:05:00.000Z");
    const silent = [pipeline({ status: "reconnecting" })];
    expect(downSince("street", silent, [down])).toBe(down.timestamp);
    expect(downSince("street", silent, [up, down])).toBeUndefined();
    expect(downSince("dock", silent, [down])).toBeUndefined();
  });

  it("is over when its pipelines run, though a restart swallowed the event", () => {
    const down = happened("camera_down", "2026-01-01T10:00:00.000Z");
    expect(downSince("street", [pipeline({ status: "running" })], [down])).toBeUndefined();
    expect(downSince("street", [], [down])).toBeUndefined();
  });
});

function pipeline(change: Partial<PipelineStatus>): PipelineStatus {
  return {
    pipeline_id: "p1",
    name: "count",
    backend: "direct",
    video_reference: "street",
    workflow_description: "Counts",
    started_at: "2026-01-01T00:00:00.000Z",
    status: "running",
    fps: 10,
    frames_processed: 1,
    frames_dropped: 0,
    models: [],
    shapes: [],
    ...change,
  };
}

function happened(kind: SceneEvent["kind"], timestamp: string): SceneEvent {
  return { id: timestamp, kind, timestamp, camera: "street", pipeline_id: "p1", frame_number: 1, text: "" };
}
