import { describe, expect, it } from "vitest";
import { frameOf } from "../../testing/index.ts";
import type { Tensor, TensorSession } from "../runtime/tensor-session.ts";
import { createDefaultDetector } from "./default-detector.ts";
import { createSsdAnchors } from "./networks.ts";

const ANCHORS = createSsdAnchors();
/** A square anchor of a tenth of the picture in the middle of the finest grid of 19. */
const MIDDLE = 3 * (9 * 19 + 9);
/** COCO-91 numbers. */
const PERSON = 1;
const TOOTHBRUSH = 90;

describe("createSsdAnchors", () => {
  it("has the anchors of SSDLite in their order", () => {
    expect(ANCHORS.length).toBe(4 * 1917);
    expect([...ANCHORS.subarray(4 * MIDDLE, 4 * MIDDLE + 4)].map(round)).toEqual([0.5, 0.5, 0.1, 0.1]);
    // The last one: a square between the largest scale and the whole picture.
    expect([...ANCHORS.subarray(-4)].map(round)).toEqual([0.5, 0.5, 0.9747, 0.9747]);
  });
});

describe("createDefaultDetector", () => {
  it("finds what both detectors see, in pixels of the picture", async () => {
    const detector = createDefaultDetector({
      id: "d",
      ssdlite: ssdlite([[MIDDLE, PERSON, 0.8]]),
      nanodet: nanodet(0, 0.7),
    });
    const found = await detector.detect(frameOf({ width: 600, height: 400 }), {});
    expect(found.length).toBe(1);
    expect(found.data.class_name).toEqual(["person"]);
    expect(found.metadata.image_dimensions).toEqual([400, 600]);
    // 0.1 of the picture around its middle, and NanoDet's 48 of 416 pixels around the cell beside it.
    const [left, top, right, bottom] = found.xyxy as unknown as [number, number, number, number];
    expect(Math.abs((left + right) / 2 - 300)).toBeLessThan(4);
    expect(Math.abs((top + bottom) / 2 - 200)).toBeLessThan(4);
    expect(right - left).toBeGreaterThan(60);
    expect(right - left).toBeLessThan((600 * 48) / 416);
    expect(found.confidence![0]).toBeGreaterThan(0.9);
  });

  it("believes NanoDet alone about people and doubts SSDLite alone", async () => {
    for (const [classId, length] of [
      [0, 1],
      [16, 0],
    ] as const) {
      const alone = createDefaultDetector({ id: "d", ssdlite: ssdlite([]), nanodet: nanodet(classId, 0.6) });
      expect((await alone.detect(frameOf(), {})).length).toBe(length);
    }
    const other = createDefaultDetector({ id: "d", ssdlite: ssdlite([[MIDDLE, PERSON, 0.7]]), nanodet: nanodet(0, 0) });
    expect((await other.detect(frameOf(), {})).length).toBe(0);
    expect((await other.detect(frameOf(), { confidence: 0.3 })).length).toBe(1);
  });

  it("works without NanoDet", async () => {
    const lite = createDefaultDetector({ id: "d", ssdlite: ssdlite([[MIDDLE, TOOTHBRUSH, 0.5]]) });
    const found = await lite.detect(frameOf({ width: 1000, height: 500 }), {});
    expect(found.data.class_name).toEqual(["toothbrush"]);
    expect([...found.xyxy].map(Math.round)).toEqual([450, 225, 550, 275]);
  });

  it("keeps boxes inside the picture and to what was asked for", async () => {
    const scores = [...Array(20).keys()].map((column) => [3 * column, PERSON, 0.5 + column / 100] as const);
    const lite = createDefaultDetector({ id: "d", ssdlite: ssdlite(scores) });
    const found = await lite.detect(frameOf({ width: 600, height: 600 }), { iouThreshold: 1, maxDetections: 5 });
    expect(found.length).toBe(5);
    expect([...found.confidence!]).toEqual([...found.confidence!].sort((a, b) => b - a));
    expect(Math.min(...found.xyxy)).toBe(0);
    const few = await lite.detect(frameOf({ width: 600, height: 600 }), { iouThreshold: 0.01 });
    expect(few.length).toBeLessThan(19);
  });

  it("tells of what scored too low, and finds the same as without", async () => {
    const scores = [...Array(19).keys()].map((column) => [3 * column, PERSON, 0.1 + column / 40] as const);
    const lite = createDefaultDetector({ id: "d", ssdlite: ssdlite(scores) });
    const frame = frameOf({ width: 600, height: 600 });
    const plain = await lite.detect(frame, { iouThreshold: 0.2 });
    const weak: number[] = [];
    const told = await lite.detect(frame, {
      iouThreshold: 0.2,
      onWeak: ({ confidence }) => weak.push(...(confidence ?? [])),
    });
    expect(told).toEqual(plain);
    expect(plain.length).toBeGreaterThan(0);
    expect(weak.length).toBeGreaterThan(0);
    expect(Math.max(...weak)).toBeLessThan(0.4);
    expect(Math.min(...weak)).toBeGreaterThanOrEqual(0.15);
  });

  it("embeds a picture as a vector of length 1", async () => {
    const detector = createDefaultDetector({ id: "d", ssdlite: ssdlite([]) });
    const vector = await detector.embedImage(frameOf());
    expect(vector.length).toBe(1280);
    expect(Math.hypot(...vector)).toBeCloseTo(1);
  });

  it("refuses a picture without pixels", async () => {
    const detector = createDefaultDetector({ id: "d", ssdlite: ssdlite([]) });
    const broken = { ...frameOf(), rgba: new Uint8ClampedArray(3) };
    await expect(detector.detect(broken, {})).rejects.toMatchObject({ kind: "input" });
  });

  it("closes both graphs and may do so twice", async () => {
    let closed = 0;
    const count = (session: TensorSession): TensorSession => ({ ...session, close: async () => void closed++ });
    const detector = createDefaultDetector({ id: "d", ssdlite: count(ssdlite([])), nanodet: count(nanodet(0, 0)) });
    await detector.close();
    await detector.close();
    expect(closed).toBe(4);
  });
});

/** Sees these anchors with these classes, exactly where the anchors are. */
function ssdlite(seen: readonly (readonly [anchor: number, column: number, score: number])[]): TensorSession {
  const scores = new Float32Array(1917 * 91);
  for (const [anchor, column, score] of seen) scores[anchor * 91 + column] = score;
  return session({
    boxes: floats(new Float32Array(1917 * 4)),
    scores: floats(scores),
    embedding: floats(new Float32Array(1280).fill(3)),
  });
}

/** Sees one thing of 48 pixels in the middle of its input of 416. */
function nanodet(classId: number, score: number): TensorSession {
  const outputs: Record<string, Tensor> = {};
  [52, 26, 13].forEach((cells, level) => {
    const scores = new Float32Array(cells * cells * 80);
    const distances = new Float32Array(cells * cells * 32);
    if (level === 0) {
      const cell = 26 * cells + 26;
      scores[cell * 80 + classId] = score;
      // All weight on a distance of 3 strides to each side.
      for (let side = 0; side < 4; side++) distances[(4 * cell + side) * 8 + 3] = 50;
    }
    outputs[`scores${level}`] = floats(scores);
    outputs[`distances${level}`] = floats(distances);
  });
  return session(outputs);
}

function session(outputs: Readonly<Record<string, Tensor>>): TensorSession {
  return {
    inputs: [],
    outputs: [],
    run: async () => outputs,
    async close() {
      // Nothing is held.
    },
  };
}

function floats(data: Float32Array): Tensor {
  return { type: "float32", dims: [1, data.length], data };
}

function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
