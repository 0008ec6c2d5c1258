import { describe, expect, it } from "vitest";
import { classColour } from "./class-colour.ts";
import type { DetectedBox } from "./frame-reading.ts";
import { drawOverlay, labelledBoxes, type OverlayScale, type OverlayScene, type OverlaySurface } from "./overlay.ts";

const HALF: OverlayScale = { x: 0.5, y: 0.5, pixelRatio: 1, canvasWidth: 640 };
const EMPTY: OverlayScene = { boxes: [], trails: [], shapes: [] };

describe("drawOverlay", () => {
  it("draws a box at its place: two pixels of colour within a dark edge", () => {
    const calls = draw({ ...EMPTY, boxes: [box("person", [100, 200, 300, 400])] }, HALF);
    expect(calls.slice(0, 2)).toEqual([
      "strokeRect 50,100,100,100 rgb(0 0 0 / 0.75) 4",
      `strokeRect 50,100,100,100 ${classColour("person")} 2`,
    ]);
  });

  it("draws twice as thick on a screen with twice the pixels", () => {
    const calls = draw({ ...EMPTY, boxes: [box("car", [100, 200, 300, 400])] }, { ...HALF, pixelRatio: 2 });
    expect(calls[1]).toBe(`strokeRect 50,100,100,100 ${classColour("car")} 4`);
  });

  it("names a box above it, and inside at the upper edge", () => {
    const calls = draw({ ...EMPTY, boxes: [box("person", [100, 200, 300, 400]), box("car", [100, 4, 300, 90])] }, HALF);
    expect(calls.filter((call) => call.startsWith("fillText"))).toEqual([
      "fillText person #1 90 %,53,91",
      "fillText car #1 90 %,53,8",
    ]);
  });

  it("keeps the name of a box at the right edge inside the picture", () => {
    const calls = draw({ ...EMPTY, boxes: [box("person", [1260, 200, 1280, 400])] }, HALF);
    expect(calls.find((call) => call.startsWith("fillRect"))).toBe("fillRect 542,83,98,16");
  });

  it("draws a line dashed and open, a zone dashed and closed", () => {
    const line = draw(
      {
        ...EMPTY,
        shapes: [
          {
            kind: "line",
            step: "l",
            points: [
              [0, 10],
              [20, 10],
            ],
          },
        ],
      },
      HALF,
    );
    expect(line).toEqual([
      "beginPath",
      "moveTo 0,5",
      "lineTo 10,5",
      "stroke rgb(0 0 0 / 0.75) 3",
      "setLineDash 6,4",
      "stroke #f4f4f2 1.5",
      "setLineDash ",
    ]);
    const zone = draw(
      {
        ...EMPTY,
        shapes: [
          {
            kind: "zone",
            step: "z",
            points: [
              [0, 0],
              [8, 0],
              [8, 8],
            ],
          },
        ],
      },
      HALF,
    );
    expect(zone.slice(0, 5)).toEqual(["beginPath", "moveTo 0,0", "lineTo 4,0", "lineTo 4,4", "closePath"]);
  });

  it("draws a trail only once it leads somewhere", () => {
    const trail = {
      className: "person",
      points: [
        [10, 10],
        [20, 20],
      ] as const,
    };
    expect(draw({ ...EMPTY, trails: [trail] }, HALF)).toEqual([
      "beginPath",
      "moveTo 5,5",
      "lineTo 10,10",
      `stroke ${classColour("person")} 2`,
    ]);
    expect(draw({ ...EMPTY, trails: [{ className: "person", points: [[1, 1]] }] }, HALF)).toEqual([]);
  });
});

describe("labelledBoxes", () => {
  const crowd = Array.from({ length: 9 }, () => box("person", [0, 0, 1, 1]));

  it("names all boxes while they are few", () => {
    expect(labelledBoxes({ ...EMPTY, boxes: crowd.slice(1) })).toHaveLength(8);
  });

  it("names only the box under the pointer in a crowd", () => {
    expect(labelledBoxes({ ...EMPTY, boxes: crowd })).toEqual([]);
    expect(labelledBoxes({ ...EMPTY, boxes: crowd, hovered: crowd[3] })).toEqual([crowd[3]]);
  });
});

function draw(scene: OverlayScene, scale: OverlayScale): readonly string[] {
  const surface = new RecordingSurface();
  drawOverlay(surface, scene, scale);
  return surface.calls;
}

function box(className: string, xyxy: DetectedBox["xyxy"]): DetectedBox {
  return { xyxy, class_name: className, confidence: 0.9, tracker_id: 1 };
}

/** Writes down what is drawn, with the colour and width it is drawn in. */
class RecordingSurface implements OverlaySurface {
  readonly calls: string[] = [];
  strokeStyle: OverlaySurface["strokeStyle"] = "";
  fillStyle: OverlaySurface["fillStyle"] = "";
  lineWidth = 1;
  globalAlpha = 1;
  font = "";
  textBaseline: CanvasTextBaseline = "alphabetic";

  beginPath(): void {
    this.calls.push("beginPath");
  }
  moveTo(x: number, y: number): void {
    this.calls.push(`moveTo ${x},${y}`);
  }
  lineTo(x: number, y: number): void {
    this.calls.push(`lineTo ${x},${y}`);
  }
  closePath(): void {
    this.calls.push("closePath");
  }
  stroke(): void {
    this.calls.push(`stroke ${this.strokeStyle} ${this.lineWidth}`);
  }
  strokeRect(...place: [number, number, number, number]): void {
    this.calls.push(`strokeRect ${place} ${this.strokeStyle} ${this.lineWidth}`);
  }
  fillRect(...place: [number, number, number, number]): void {
    this.calls.push(`fillRect ${place}`);
  }
  fillText(text: string, x: number, y: number): void {
    this.calls.push(`fillText ${text},${x},${y}`);
  }
  measureText(): TextMetrics {
    return { width: 90 } as TextMetrics;
  }
  setLineDash(segments: number[]): void {
    this.calls.push(`setLineDash ${segments}`);
  }
}
