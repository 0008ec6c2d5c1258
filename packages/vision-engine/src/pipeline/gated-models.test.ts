import { describe, expect, it } from "vitest";
import { DetectionTable } from "../frames/detections.ts";
import type { Frame, Motion, Rect } from "../frames/frame.ts";
import type { DetectionModel } from "../models/model.ts";
import { frameOf } from "../testing/index.ts";
import { gateDetection, gateModels } from "./gated-models.ts";

const POLICY = { refreshSeconds: 5, settleFrames: 2, largestRegion: 0.35 };
const STILL: Motion = { moving: false, regions: [] };

describe("a gated model", () => {
  it("does not look at a still picture again before it is time", async () => {
    const { model, looks } = modelOf([[[10, 10, 20, 30]]]);
    const found: number[] = [];
    // 10 frames a second: one look at the start, and one more after 5 seconds.
    for (let frame = 1; frame <= 51; frame++) found.push((await model.detect(at(frame, STILL), {})).length);
    expect(looks.length).toBe(2);
    expect(new Set(found)).toEqual(new Set([1]));
  });

  it("looks a little longer when motion has ended", async () => {
    const { model, looks } = modelOf([[]]);
    await model.detect(at(1, { moving: true, regions: [] }), {});
    for (let frame = 2; frame <= 9; frame++) await model.detect(at(frame, STILL), {});
    expect(looks.length).toBe(3);
  });

  it("looks at the moving part only, and keeps what it knows of the rest", async () => {
    const { model, looks } = modelOf([
      [
        [10, 10, 30, 40],
        [500, 300, 520, 340],
      ],
      [[100, 60, 120, 90]],
    ]);
    await model.detect(at(1, STILL), {});
    const { xyxy } = await model.detect(at(2, movingIn({ x: 500, y: 300, width: 20, height: 40 })), {});
    expect(looks[1]!.width).toBeLessThan(640);
    const [left, top] = [xyxy[4]! - 100, xyxy[5]! - 60];
    expect(left).toBeGreaterThan(200);
    expect(top).toBeGreaterThan(150);
    // The one far away, and the one in the part, where it lies in the whole picture.
    expect([...xyxy]).toEqual([10, 10, 30, 40, left + 100, top + 60, left + 120, top + 90]);
  });

  it("does not cut a known thing in two", async () => {
    const { model, looks } = modelOf([[[400, 200, 600, 420]], []]);
    await model.detect(at(1, STILL), {});
    const found = await model.detect(at(2, movingIn({ x: 560, y: 300, width: 40, height: 40 })), {});
    expect(found.length).toBe(0);
    expect(looks[1]!.width).toBeGreaterThanOrEqual(200);
    expect(looks[1]!.height).toBeGreaterThanOrEqual(220);
  });

  it("looks at the whole picture when most of it moves, or nobody knows where", async () => {
    const { model, looks } = modelOf([[], [], []]);
    await model.detect(at(1, STILL), {});
    await model.detect(at(2, movingIn({ x: 0, y: 0, width: 600, height: 400 })), {});
    await model.detect(at(3, { moving: true, regions: [] }), {});
    await model.detect({ ...at(4, STILL), motion: undefined }, {});
    expect(looks.map(({ width }) => width)).toEqual([640, 640, 640, 640]);
  });

  it("keeps cameras apart", async () => {
    const { model, looks } = modelOf([[], []]);
    await model.detect(at(1, STILL, "door"), {});
    await model.detect(at(1, STILL, "gate"), {});
    expect(looks.length).toBe(2);
  });
});

describe("gateModels", () => {
  it("leaves models alone that cost nothing", async () => {
    const { inner } = modelOf([[]]);
    const cheap: DetectionModel = { ...inner, cheap: true };
    const registry = gateModels({ open: async () => cheap as never });
    expect(await registry.open("sim/truth", "object-detection")).toBe(cheap);
  });
});

function movingIn(region: Rect): Motion {
  return { moving: true, regions: [region] };
}

function at(frameNumber: number, motion: Motion, sourceId = "camera"): Frame {
  return { ...frameOf({ sourceId, frameNumber, width: 640, height: 480 }), motion };
}

/** A model that finds the given boxes, look by look, and goes on with the last. */
function modelOf(boxes: readonly (readonly (readonly number[])[])[]) {
  const looks: { width: number; height: number }[] = [];
  const inner: DetectionModel = {
    id: "m",
    description: "",
    classNames: ["person"],
    async detect({ metadata: { width, height } }) {
      const rows = boxes[Math.min(looks.length, boxes.length - 1)]!;
      looks.push({ width, height });
      return new DetectionTable({
        xyxy: Float64Array.from(rows.flat()),
        confidence: new Float64Array(rows.length).fill(0.9),
        classId: new Int32Array(rows.length),
        data: { class_name: rows.map(() => "person") },
      });
    },
    async close() {
      return;
    },
  };
  return { inner, looks, model: gateDetection(inner, POLICY) };
}
