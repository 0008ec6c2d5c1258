import type { FrameResult, PipelineState, PipelineStatus } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { countingWorkflow } from "../pipelines/counting-workflow.ts";
import { detectCameraEvents } from "./detect-camera-events.ts";
import { detectSceneEvents, EMPTY_SCENE, type SceneEventDraft, type SceneMemory } from "./detect-scene-events.ts";
import { readCountedLines } from "./scene-plan.ts";

const spec = countingWorkflow({
  modelId: "m",
  line: [
    [480, 40],
    [480, 520],
  ],
});
const context = { camera: "street", pipelineId: "pipe_1", lines: readCountedLines(spec) };

describe("coming and going", () => {
  it("S000-11.5.2 tells that something appeared once three results have shown it", () => {
    const frames = [0, 100, 200, 300].map((ms) => result(ms, [thing(7, "person", 100)]));
    const events = play(frames);
    expect(events).toEqual([
      {
        kind: "appeared",
        timestamp: "2026-01-01T00:00:00.200Z",
        camera: "street",
        pipeline_id: "pipe_1",
        frame_number: 3,
        class_name: "person",
        tracker_id: 7,
        confidence: 0.9,
        box_xyxy: [90, 90, 110, 110],
        text: "A person appeared on street.",
      },
    ]);
  });

  it("tells nothing of a flicker, neither coming nor going", () => {
    const frames = [result(0, [thing(7, "dog", 100)]), result(100, [thing(7, "dog", 100)]), result(9000, [])];
    expect(play(frames)).toEqual([]);
  });

  it("tells that it left after two seconds unseen, with the place it was last seen at", () => {
    const shown = [0, 100, 200].map((ms) => result(ms, [thing(7, "umbrella", 100)]));
    const hidden = [result(2200, []), result(2300, [])];
    const events = play([...shown, ...hidden]);
    expect(events.map(({ kind, text, frame_number }) => [kind, text, frame_number])).toEqual([
      ["appeared", "An umbrella appeared on street.", 3],
      ["left", "An umbrella left street.", 5],
    ]);
    expect(events[1]?.box_xyxy).toEqual([90, 90, 110, 110]);
  });

  it("tells nothing of detections that nobody tracks", () => {
    const frames = [0, 1, 2, 3].map((ms) => result(ms, [thing(7, "car", 100)], {}, false));
    expect(play(frames)).toEqual([]);
  });

  it("forgets the longest unseen when more than 512 are in sight", () => {
    const many = Array.from({ length: 2000 }, (_, id) => thing(id, "ant", 100));
    const { memory } = detectSceneEvents(EMPTY_SCENE, result(0, many), context);
    expect(memory.tracks.size).toBe(512);
    expect(memory.tracks.has(1999)).toBe(true);
  });
});

describe("crossing a line", () => {
  it("names who crossed and which way when the centre came over with the count", () => {
    const events = play([
      result(0, [thing(1, "car", 400), thing(2, "person", 700)], { count_in: 0, count_out: 0 }),
      result(100, [thing(1, "car", 500), thing(2, "person", 690)], { count_in: 1, count_out: 0 }),
    ]);
    expect(events).toEqual([
      expect.objectContaining({
        kind: "line_crossed",
        direction: "in",
        class_name: "car",
        tracker_id: 1,
        box_xyxy: [490, 90, 510, 110],
        text: "A car crossed the line on street, going in.",
      }),
    ]);
  });

  it("tells two that cross at once in two directions apart", () => {
    const events = play([
      result(0, [thing(1, "car", 470), thing(2, "person", 490)], { count_in: 0, count_out: 0 }),
      result(100, [thing(1, "car", 490), thing(2, "person", 470)], { count_in: 1, count_out: 1 }),
    ]);
    expect(events.map(({ class_name, direction }) => [class_name, direction])).toEqual([
      ["car", "in"],
      ["person", "out"],
    ]);
  });

  it("finds the one that came over a moment before the count rose, and takes it once", () => {
    const events = play([
      result(0, [thing(1, "car", 470), thing(2, "bus", 300)], { count_in: 0, count_out: 0 }),
      result(100, [thing(1, "car", 490), thing(2, "bus", 310)], { count_in: 0, count_out: 0 }),
      result(200, [thing(1, "car", 500), thing(2, "bus", 320)], { count_in: 1, count_out: 0 }),
      result(300, [thing(1, "car", 510), thing(2, "bus", 490)], { count_in: 2, count_out: 0 }),
    ]).filter(({ kind }) => kind === "line_crossed");
    expect(events.map(({ tracker_id }) => tracker_id)).toEqual([1, 2]);
  });

  it("names only the likely class when nobody's centre came over", () => {
    const events = play([
      result(0, [thing(1, "car", 300), thing(2, "person", 460)], { count_in: 0, count_out: 0 }),
      result(100, [thing(1, "car", 300), thing(2, "person", 470)], { count_in: 1, count_out: 0 }),
    ]);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ class_name: "person", direction: "in" });
    expect(events[0]).not.toHaveProperty("tracker_id");
  });

  it("tells of something when nothing is in sight", () => {
    const events = play([result(0, [], { count_in: 0 }), result(100, [], { count_in: 1 })]);
    expect(events[0]?.text).toBe("Something crossed the line on street, going in.");
  });

  it("starts counting at the first value and after a reset", () => {
    const counts = [5, 5, 0, 0].map((count_in, index) => result(index * 100, [], { count_in }));
    expect(play(counts)).toEqual([]);
  });

  it("knows the counting outputs by what they select, not by their names", () => {
    const outputs = spec.outputs.map((output) => ({ ...output, name: `my_${output.name}` }));
    expect(readCountedLines({ ...spec, outputs })).toMatchObject([
      { countIn: "my_count_in", countOut: "my_count_out" },
    ]);
    expect(readCountedLines({ ...spec, outputs: [], steps: [{ type: "other@v1", name: "line" }] })).toEqual([]);
  });
});

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

function play(results: readonly FrameResult[]): readonly SceneEventDraft[] {
  let memory: SceneMemory = EMPTY_SCENE;
  return results.flatMap((one, index) => {
    const numbered = { ...one, frame: { ...one.frame, frame_number: index + 1 } };
    const step = detectSceneEvents(memory, numbered, context);
    memory = step.memory;
    return step.events;
  });
}

interface Thing {
  readonly id: number;
  readonly name: string;
  readonly x: number;
}

function thing(id: number, name: string, x: number): Thing {
  return { id, name, x };
}

function result(
  ms: number,
  things: readonly Thing[],
  counts: Readonly<Record<string, number>> = {},
  tracked = true,
): FrameResult {
  const timestamp = new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  const detections = {
    image: { width: 960, height: 540 },
    xyxy: things.flatMap(({ x }) => [x - 10, 90, x + 10, 110]),
    confidence: things.map(() => 0.9),
    class_id: things.map(() => 0),
    class_name: things.map(({ name }) => name),
    tracker_id: tracked ? things.map(({ id }) => id) : null,
  };
  const values = Object.entries(counts).map(([name, value]) => [name, { kind: "value", value }] as const);
  return {
    frame: { source_id: "street", frame_number: 0, timestamp, width: 960, height: 540, fps: 10 },
    outputs: { tracked_detections: { kind: "detections", detections }, ...Object.fromEntries(values) },
    latency_ms: 1,
  };
}

function states(history: readonly (readonly PipelineState[])[]): readonly (readonly [string, string])[] {
  let down: ReadonlySet<string> = new Set();
  return history.flatMap((moment) => {
    const step = detectCameraEvents(down, moment.map(status), "2026-01-01T00:00:00.000Z");
    down = step.down;
    return step.events.map(({ kind, text }) => [kind, text] as const);
  });
}

function status(state: PipelineState, index: number): PipelineStatus {
  return {
    pipeline_id: `pipe_${index}`,
    name: `street-${index}`,
    backend: "direct",
    video_reference: "street",
    workflow_description: "",
    started_at: "2026-01-01T00:00:00.000Z",
    status: state,
    fps: 0,
    frames_processed: 0,
    frames_dropped: 0,
    models: [],
    shapes: [],
    ...(state === "reconnecting" ? { reason: "The camera is silent." } : {}),
  };
}
