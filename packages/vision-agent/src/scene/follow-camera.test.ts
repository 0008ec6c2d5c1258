import type { FrameResult } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { sceneResult, thing } from "../testing/fake-scene.ts";
import { createFollower } from "./follow-camera.ts";
import { WHOLE_PICTURE } from "./scene-interest.ts";

const HOUR_MS = 3_600_000;
const PERSON = thing(1, "person", 300);

describe("a camera that is followed", () => {
  it("goes on when the clock is set back: who is not seen any more has left", () => {
    const see = follower();
    for (let ms = HOUR_MS; ms < HOUR_MS + 3000; ms += 500) see(sceneResult(ms, [PERSON]));
    const after = [0, 1000, 2000, 3000].map((ms) => see(sceneResult(ms, [])));
    expect(after.map(({ there, gone }) => [there.length, gone.length])).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
      [0, 1],
    ]);
  });

  it("counts a stay on when the clock is set back, also when its pipeline began anew meanwhile", () => {
    const see = follower();
    for (let ms = HOUR_MS; ms <= HOUR_MS + 6000; ms += 1000) see(sceneResult(ms, [PERSON]));
    see.states("reconnecting");
    see.states("running");
    const times = Array.from({ length: 8 }, (_, second) => second * 1000);
    const stayed = times.filter((ms) => see(sceneResult(ms, [PERSON])).stayed.length > 0);
    expect(stayed).toEqual([6000]);
  });

  it("takes the late result of a slow pipeline without going back in time", () => {
    const see = follower();
    const times = [
      ["fast", 10_000],
      ["slow", 3000],
      ["fast", 11_000],
      ["slow", 4000],
      ["fast", 12_000],
    ] as const;
    const seen = times.map(([pipeline, ms]) => see(sceneResult(ms, []), pipeline).nowMs);
    expect(seen.map((ms) => ms - (seen[0] ?? 0))).toEqual([0, 0, 1000, 1000, 2000]);
  });
});

function follower() {
  const take = createFollower([{ area: WHOLE_PICTURE, classes: [], staySeconds: 10 }]);
  const see = (result: FrameResult, pipelineId = "pipe_1") => take({ camera: "street", pipelineId, result })!;
  const states = (status: "running" | "reconnecting") =>
    take({ camera: "street", atMs: 0, states: [{ pipelineId: "pipe_1", status }] });
  return Object.assign(see, { states });
}
