import type { PipelineState, PipelineStatus } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { fakeStatus } from "../testing/fake-app.ts";
import { type CameraConditions, detectCameraEvents } from "./detect-camera-events.ts";

describe("a camera that is down", () => {
  it("is told once within half a minute, and once when it is back, however many pipelines run on it", () => {
    const told = play([
      [10, ["running", "running"]],
      [60, ["reconnecting", "failed"]],
      [60, ["running", "running"]],
    ]);
    expect(told).toEqual([
      [18, "camera_down", "street gives no pictures: The camera is silent."],
      [80, "camera_up", "street gives pictures again."],
    ]);
  });

  it("is told once when its pipelines lose it and find it again in turns", () => {
    const lost = Array.from(
      { length: 16 },
      (_, at): Moment => [0.1, at % 2 ? ["reconnecting"] : ["running", "failed"]],
    );
    expect(play([[20, ["running", "running"]], ...lost, [20, ["running", "running"]]])).toEqual([]);
    const down = play([[20, ["running"]], [30, ["reconnecting"]], ...lost, [30, ["running"]]]);
    expect(down.map(([, kind]) => kind)).toEqual(["camera_down", "camera_up"]);
  });

  it("is told again and again only in growing intervals when it comes and goes", () => {
    const cycle = [
      [20, ["reconnecting"]],
      [20, ["running"]],
    ] as const;
    const hour = Array.from({ length: 90 }, () => cycle).flat();
    const told = play([...hour, [600, ["running"]]]);
    expect(told.length).toBeLessThanOrEqual(6);
    expect(told.at(-1)?.[1]).toBe("camera_up");
  });

  it("gives pictures as long as one of its pipelines runs", () => {
    const told = play([
      [60, ["running", "reconnecting"]],
      [60, ["reconnecting", "reconnecting"]],
      [60, ["running", "reconnecting"]],
    ]);
    expect(told.map(([, kind]) => kind)).toEqual(["camera_down", "camera_up"]);
  });

  it("is told when its pipeline cannot start, but not when a person paused or stopped it", () => {
    expect(
      play([
        [5, ["starting"]],
        [30, ["failed"]],
      ]).map(([, kind]) => kind),
    ).toEqual(["camera_down"]);
    expect(
      play([
        [30, ["running"]],
        [30, ["paused"]],
        [30, []],
      ]),
    ).toEqual([]);
  });
});

describe("a camera that gives pictures but is not well", () => {
  it("is told as frozen, covered, dark and moved, and once when that is over; a moved camera is not back where it was", () => {
    const told = play([
      [20, ["running"]],
      [30, ["frozen"]],
      [30, ["running"]],
      [30, ["covered"]],
      [30, ["dark"]],
      [60, ["running"]],
      [30, ["moved"]],
      [400, ["running"]],
    ]);
    expect(told.map(([, kind, text]) => [kind, text])).toEqual([
      ["camera_frozen", "street shows the same picture again and again."],
      ["camera_up", "street shows new pictures again."],
      ["camera_covered", "street shows nothing: something covers it."],
      ["camera_dark", "street is in the dark and shows next to nothing."],
      ["camera_up", "street has light again."],
      ["camera_moved", "street looks somewhere else than before; lines and zones drawn before may be wrong."],
    ]);
  });

  it("is not well while one of its pipelines says so, and is told once when it goes down on top of that", () => {
    const told = play([
      [30, ["running", "frozen"]],
      [30, ["reconnecting", "reconnecting"]],
      [30, ["down", "reconnecting"]],
      [30, ["running", "reconnecting"]],
    ]);
    expect(told.map(([, kind]) => kind)).toEqual(["camera_frozen", "camera_down", "camera_up"]);
  });

  it("stays as it was while a person pauses it", () => {
    const told = play([
      [30, ["covered"]],
      [30, ["paused"]],
      [30, ["covered"]],
    ]);
    expect(told.map(([, kind]) => kind)).toEqual(["camera_covered"]);
  });
});

describe("a recording", () => {
  it("is told to have ended when the last pipeline on it has, and not to be down", () => {
    const told = play([
      [20, ["running", "running"]],
      [20, ["ended", "running"]],
      [40, ["ended", "ended"]],
      [20, ["running"]],
      [20, ["ended"]],
    ]);
    expect(told).toEqual([
      [40, "camera_ended", "street has come to the end of its recording."],
      [100, "camera_ended", "street has come to the end of its recording."],
    ]);
  });
});

type Health = NonNullable<PipelineStatus["health"]>["state"];

type Moment = readonly [seconds: number, states: readonly (PipelineState | Health)[]];

/** The states of the pipelines for so many seconds each, looked at every second → what was told in which second. */
function play(history: readonly Moment[]): readonly (readonly [number, string, string])[] {
  let cameras: CameraConditions = new Map();
  let now = 0;
  return history.flatMap(([seconds, states]) => {
    const until = now + seconds;
    const told: (readonly [number, string, string])[] = [];
    for (; now < until - 1e-6; now += Math.min(1, until - now)) {
      const moment = { timestamp: "2026-01-01T00:00:00.000Z", nowMs: Math.round(now * 1000) };
      const step = detectCameraEvents(cameras, states.map(toStatus), moment);
      cameras = step.cameras;
      told.push(...step.events.map(({ kind, text }) => [Math.round(now), kind, text] as const));
    }
    return told;
  });
}

function toStatus(state: PipelineState | Health, index: number): PipelineStatus {
  const pipeline_id = `pipe_${index}`;
  switch (state) {
    case "down":
    case "frozen":
    case "covered":
    case "dark":
    case "moved":
      return fakeStatus({ pipeline_id, health: { state, message: "" } });
    default:
      return fakeStatus({
        pipeline_id,
        status: state,
        ...(state === "reconnecting" && { reason: "The camera is silent." }),
      });
  }
}
