import type { Detections, FrameResult, OutputValue } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { countingWorkflow } from "./counting-workflow.ts";
import { summarizeResults } from "./summarize-results.ts";

const utc = { timeZone: "UTC" };

describe("summarizeResults", () => {
  it("does not tell the value of an output that is a picture as text", () => {
    const outputs: FrameResult["outputs"] = { words: { kind: "value", value: "/9j/4AAQSkZJRg" } };
    const said = summarizeResults([result(outputs)], { ...utc, hidden: new Set(["words"]) });
    expect(said).toContain("words: (a picture as text, not shown)");
  });

  it("says what is there, how often, and the counts of a line", () => {
    const outputs: FrameResult["outputs"] = {
      tracked_detections: { kind: "detections", detections: detections(["person", "car", "person", "person"]) },
      count_in: { kind: "value", value: 4 },
      count_out: { kind: "value", value: 2 },
      annotated: { kind: "image", width: 960, height: 540 },
    };
    expect(summarizeResults([result(outputs)], utc)).toBe("frame 120 at 14:02:31: 3 person, 1 car; line: 4 in, 2 out");
  });

  it("says nothing twice when several steps show the same boxes", () => {
    const all: OutputValue = { kind: "detections", detections: detections(["car", "car"]) };
    const some: OutputValue = { kind: "detections", detections: detections(["car"]) };
    expect(summarizeResults([result({ some, all })])).toContain(": 2 car");
  });

  it("says so when nothing is there", () => {
    const outputs = { predictions: { kind: "detections", detections: detections([]) } } as const;
    expect(summarizeResults([result(outputs), result({})], utc).split("\n")).toEqual([
      "frame 120 at 14:02:31: nothing",
      "frame 120 at 14:02:31: no outputs",
    ]);
  });

  it("stays short however much comes out", () => {
    const names = Array.from({ length: 300 }, (_, index) => `thing-number-${index}`);
    const values = Object.fromEntries(
      names.map((name) => [name, { kind: "value", value: "x".repeat(5000) } satisfies OutputValue]),
    );
    const outputs = { ...values, seen: { kind: "detections", detections: detections(names) } } as const;
    expect(summarizeResults([result(outputs)], utc).length).toBeLessThan(800);
  });
});

describe("countingWorkflow", () => {
  it("wires detection, tracker, line and boxes, and leaves out what was not asked for", () => {
    const line = [
      [1, 2],
      [3, 4],
    ] as const;
    const spec = countingWorkflow({ modelId: "m", classes: ["car"], line });
    expect(spec.steps.map(({ name }) => name)).toEqual(["detection", "tracker", "line", "boxes"]);
    expect(spec.steps[0]).toMatchObject({ model_id: "m", class_filter: ["car"] });
    expect(spec.steps[2]).toMatchObject({
      line_segment: [
        [1, 2],
        [3, 4],
      ],
    });
    expect(spec.outputs.map(({ name }) => name)).toEqual(["tracked_detections", "count_in", "count_out", "annotated"]);
    expect(countingWorkflow({ modelId: "m", line }).steps[0]).not.toHaveProperty("class_filter");
  });
});

function result(outputs: FrameResult["outputs"]): FrameResult {
  const frame = { source_id: "cam", frame_number: 120, timestamp: "2026-01-01T14:02:31.500Z", width: 960, height: 540 };
  return { frame: { ...frame, fps: 10 }, outputs, latency_ms: 4 };
}

function detections(names: readonly string[]): Detections {
  return {
    image: { width: 960, height: 540 },
    xyxy: names.flatMap(() => [0, 0, 1, 1]),
    confidence: names.map(() => 0.9),
    class_id: names.map(() => 0),
    class_name: [...names],
    tracker_id: null,
  };
}
