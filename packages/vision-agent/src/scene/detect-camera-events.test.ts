import type { PipelineState, PipelineStatus } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { fakeStatus } from "../testing/fake-app.ts";
import { type CameraTroubles, detectCameraEvents } from "./detect-camera-events.ts";

describe("a camera that goes silent", () => {
  it("is told once when it is lost and once when it is back", () => {
    const told = states([["running"], ["reconnecting"], ["reconnecting"], ["running"], ["running"]]);
    expect(told).toEqual([
      ["camera_down", "street gives no pictures: The camera is silent."],
      ["camera_up", "street gives pictures again."],
    ]);
  });

  it("is told once however many pipelines run on it", () => {
    const told = states([
      ["running", "running"],
      ["reconnecting", "running"],
      ["reconnecting", "reconnecting"],
      ["running", "reconnecting"],
      ["running", "running"],
    ]);
    expect(told.map(([kind]) => kind)).toEqual(["camera_down", "camera_up"]);
  });

  it("is told when its pipeline cannot start, but not when a person paused or stopped it", () => {
    expect(states([["starting"], ["failed"]]).map(([kind]) => kind)).toEqual(["camera_down"]);
    expect(states([["running"], ["paused"], []])).toEqual([]);
  });
});

describe("a camera that gives pictures but is not well", () => {
  it("is told as frozen, covered and moved, and each time once when that is over", () => {
    const told = states([["running"], ["frozen"], ["frozen"], ["running"], ["covered"], ["moved"], ["running"]]);
    expect(told).toEqual([
      ["camera_frozen", "street shows the same picture again and again."],
      ["camera_up", "street shows new pictures again."],
      ["camera_covered", "street shows nothing: it is covered, or in the dark."],
      ["camera_moved", "street looks somewhere else than before."],
      ["camera_up", "street has kept its new view, which counts as the usual one now."],
    ]);
  });

  it("is not well while one of its pipelines says so, and is told once when it goes down on top of that", () => {
    const told = states([
      ["running", "frozen"],
      ["running", "running"],
      ["frozen", "reconnecting"],
      ["reconnecting", "reconnecting"],
      ["down", "reconnecting"],
      ["running", "reconnecting"],
    ]);
    expect(told.map(([kind]) => kind)).toEqual([
      ...["camera_frozen", "camera_up"],
      ...["camera_frozen", "camera_down", "camera_up"],
    ]);
  });

  it("stays as it was while a person pauses it", () => {
    expect(states([["covered"], ["paused"], ["covered"]]).map(([kind]) => kind)).toEqual(["camera_covered"]);
  });
});

type Health = NonNullable<PipelineStatus["health"]>["state"];

function states(history: readonly (readonly (PipelineState | Health)[])[]): readonly (readonly [string, string])[] {
  let troubles: CameraTroubles = new Map();
  return history.flatMap((moment) => {
    const step = detectCameraEvents(troubles, moment.map(toStatus), "2026-01-01T00:00:00.000Z");
    troubles = step.troubles;
    return step.events.map(({ kind, text }) => [kind, text] as const);
  });
}

function toStatus(state: PipelineState | Health, index: number): PipelineStatus {
  const pipeline_id = `pipe_${index}`;
  switch (state) {
    case "down":
    case "frozen":
    case "covered":
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
