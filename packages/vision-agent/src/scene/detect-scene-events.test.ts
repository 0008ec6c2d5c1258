import type { FrameResult, SceneEventKind } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import type { SceneEventDraft } from "../store/open-scene-event-log.ts";
import { sceneResult, thing, viewsOf } from "../testing/fake-scene.ts";
import { detectSceneEvents } from "./detect-scene-events.ts";
import { areaOf, type SceneInterest, WHOLE_PICTURE } from "./scene-interest.ts";

const LINE = areaOf("line", [
  [0.5, 0],
  [0.5, 1],
]);
const RIGHT_HALF = areaOf("zone", [
  [0.5, 0],
  [1, 0],
  [1, 1],
  [0.5, 1],
]);
const EVERYTHING: readonly SceneInterest[] = [
  { area: LINE, classes: [] },
  { area: RIGHT_HALF, classes: [], staySeconds: 2 },
  { area: RIGHT_HALF, classes: ["umbrella"], counts: true },
  { area: WHOLE_PICTURE, classes: ["umbrella"], staySeconds: 120 },
];

describe("events of a camera", () => {
  it("S000-11.5.2 tell that something appeared once three results have shown it", () => {
    const events = play([0, 100, 200, 300].map((ms) => sceneResult(ms, [thing(7, "person", 100)])));
    expect(events).toEqual([
      {
        kind: "appeared",
        timestamp: "2026-01-01T00:00:00.200Z",
        camera: "street",
        pipeline_id: "pipe_1",
        frame_number: 3,
        class_name: "person",
        tracker_id: 7,
        visit_id: `visit_${Date.UTC(2026, 0).toString(36)}_pipe_1_7`,
        confidence: 0.9,
        box_xyxy: [90, 90, 110, 110],
        text: "A person appeared on street.",
      },
    ]);
  });

  it("say how far into a recording they happened", () => {
    const results = [0, 100, 200].map((ms) => sceneResult(ms, [thing(7, "person", 100)]));
    const recorded = results.map((result, at) => {
      const frame = { ...result.frame, frame_number: 251 + at, fps: 10, comes_from_video_file: true };
      return { ...result, frame };
    });
    const [event] = play(recorded);
    expect(event).toMatchObject({ kind: "appeared", timestamp: "2026-01-01T00:00:00.200Z", footage_seconds: 25.2 });
  });

  it("tell one sentence of everything that is seen: coming, crossing, zones, stays, counts, going", () => {
    const walk = Array.from({ length: 160 }, (_, at) => {
      const x = at >= 40 && at < 90 ? 600 : 400;
      return sceneResult(at * 100, at < 130 ? [thing(7, "umbrella", x)] : []);
    });
    expect(play(walk, EVERYTHING).map(({ kind, text, count }) => [kind, text, count])).toEqual([
      ["appeared", "An umbrella appeared on street.", undefined],
      ["line_crossed", "An umbrella crossed the line on street, going in (from left to right).", undefined],
      ["zone_entered", "An umbrella entered the zone on street.", undefined],
      ["stayed", "An umbrella stayed in the zone on street for 2 s.", undefined],
      ["count_changed", "There is 1 umbrella in the zone on street now, 0 before.", 1],
      ["line_crossed", "An umbrella crossed the line on street, going out (from right to left).", undefined],
      ["zone_left", "An umbrella left the zone on street.", undefined],
      ["count_changed", "There are no umbrellas in the zone on street now, 1 before.", 0],
      ["left", "An umbrella left street.", undefined],
    ]);
  });

  it("name one visit from appearing to leaving, and the line or zone where they happened", () => {
    const walk = Array.from({ length: 80 }, (_, at) =>
      sceneResult(at * 100, at < 50 ? [thing(7, "umbrella", at < 20 ? 400 : 600)] : []),
    );
    const events = play([...walk, ...again(walk)], EVERYTHING.slice(0, 2)).filter(({ kind }) => kind !== "stayed");
    expect(new Set(events.map(({ visit_id }) => visit_id)).size).toBe(2);
    expect(
      events.slice(0, 4).map(({ kind, area, visit_id }) => [kind, area, visit_id === events[0]?.visit_id]),
    ).toEqual([
      ["appeared", undefined, true],
      ["line_crossed", LINE.key, true],
      ["zone_entered", RIGHT_HALF.key, true],
      ["zone_left", RIGHT_HALF.key, true],
    ]);
  });

  it("name who crossed and which way", () => {
    const events = play(
      [sceneResult(0, [thing(1, "car", 400)]), sceneResult(100, [thing(1, "car", 520)])],
      [{ area: LINE, classes: [] }],
    );
    expect(events).toMatchObject([
      { kind: "line_crossed", direction: "in", class_name: "car", tracker_id: 1, box_xyxy: [510, 90, 530, 110] },
    ]);
  });

  it("tell of something where only a counter knows of it", () => {
    const counters = [{ area: LINE, direction: "out", output: "count_out" }] as const;
    const results = [0, 1].map((count_out) =>
      sceneResult(count_out * 100, [], { counts: { count_out }, untracked: true }),
    );
    const [event] = viewsOf(results, { counters }).flatMap((view) => detectSceneEvents(view, () => "pipe_1"));
    expect(event).toMatchObject({
      direction: "out",
      text: "Something crossed the line on street, going out (from right to left).",
    });
    expect(event).not.toHaveProperty("class_name");
  });

  it("tell of a long stay in view, and do not tell of the whole picture as of a zone", () => {
    const standing = Array.from({ length: 126 }, (_, at) => sceneResult(at * 1000, [thing(7, "umbrella", 400)]));
    const told = play(standing, [EVERYTHING[3]!]).map(({ text }) => text);
    expect(told).toEqual(["An umbrella appeared on street.", "An umbrella stayed on street for 2 min."]);
  });

  it("go by the name of a pipeline that is chosen by kind, class and place", () => {
    const asked: unknown[] = [];
    const results = [sceneResult(0, [thing(1, "car", 400)]), sceneResult(100, [thing(1, "car", 520)])];
    for (const view of viewsOf(results, { interests: [{ area: LINE, classes: [] }] })) {
      const nameOf = (kind: SceneEventKind, about: object): string => {
        asked.push([kind, about]);
        return "counter";
      };
      for (const { pipeline_id } of detectSceneEvents(view, nameOf)) expect(pipeline_id).toBe("counter");
    }
    expect(asked).toEqual([["line_crossed", { className: "car", area: LINE }]]);
  });
});

/** The same a minute later. */
function again(walk: readonly FrameResult[]): readonly FrameResult[] {
  return walk.map((result) => {
    const timestamp = new Date(Date.parse(result.frame.timestamp) + 60_000).toISOString();
    return { ...result, frame: { ...result.frame, timestamp } };
  });
}

function play(
  results: Parameters<typeof viewsOf>[0],
  interests: readonly SceneInterest[] = [],
): readonly SceneEventDraft[] {
  return viewsOf(results, { interests }).flatMap((view) => detectSceneEvents(view, () => view.pipelineId));
}
