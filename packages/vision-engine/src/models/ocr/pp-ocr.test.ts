import { describe, expect, it } from "vitest";
import type { Frame } from "../../frames/frame.ts";
import { frameOf } from "../../testing/index.ts";
import type { Tensor, TensorSession } from "../runtime/tensor-session.ts";
import {
  type Corners,
  createPpOcr,
  decodeText,
  findTextBoxes,
  inReadingOrder,
  parseCharacters,
  toLineInput,
} from "./pp-ocr.ts";

describe("findTextBoxes", () => {
  it("grows boxes around what is surely text, and leaves specks and doubts out", () => {
    const map = { width: 100, height: 40, data: new Float32Array(4000) };
    fill(map, [10, 10, 50, 18], 0.9);
    fill(map, [70, 10, 90, 18], 0.4);
    fill(map, [70, 30, 72, 32], 0.9);
    const [box, ...others] = findTextBoxes(map);
    expect(others).toEqual([]);
    const [leftTop, , rightBottom] = box!;
    // 39 × 7 pixels between the outermost ones grow by 1.5 × 273 ÷ 92 on each side.
    expect(leftTop.map(Math.round)).toEqual([6, 6]);
    expect(rightBottom.map(Math.round)).toEqual([53, 21]);
  });

  it("puts lines in reading order, side by side ones from the left", () => {
    const at = (x: number, y: number): Corners => [
      [x, y],
      [x + 10, y],
      [x + 10, y + 5],
      [x, y + 5],
    ];
    const order = inReadingOrder([at(50, 11), at(5, 40), at(5, 14), at(90, 8)]).map(([[x, y]]) => [x, y]);
    expect(order).toEqual([
      [5, 14],
      [50, 11],
      [90, 8],
      [5, 40],
    ]);
  });
});

describe("decodeText", () => {
  it("takes the best character of each step, repeated ones once", () => {
    const characters = parseCharacters("a\nb\n");
    const best = [0, 1, 1, 0, 1, 2, 3];
    const data = Float32Array.from(best.flatMap((column) => [0, 1, 2, 3].map((at) => (at === column ? 0.8 : 0.1))));
    const { text, confidence } = decodeText({ data, rows: best.length, columns: 4 }, characters);
    expect(text).toBe("aab ");
    expect(confidence).toBeCloseTo(0.8);
  });
});

describe("toLineInput", () => {
  const picture = { width: 60, height: 60, rgba: new Uint8ClampedArray(60 * 60 * 4).fill(255) };

  it("keeps the proportions of a line and pads short ones", () => {
    const { dims, data } = toLineInput(picture, [
      [0, 0],
      [48, 0],
      [48, 24],
      [0, 24],
    ]);
    expect(dims).toEqual([1, 3, 48, 320]);
    expect([data[0], data[95], data[96]]).toEqual([1, 1, 0]);
  });

  it("turns text that runs from top to bottom", () => {
    const upright: Corners = [
      [0, 0],
      [5, 0],
      [5, 50],
      [0, 50],
    ];
    expect(toLineInput(picture, upright).dims).toEqual([1, 3, 48, 480]);
  });
});

describe("createPpOcr", () => {
  it("reads the lines that the first graph finds with the second one", async () => {
    const data = new Float32Array(64 * 32);
    fill({ width: 64, data }, [8, 8, 56, 20], 0.95);
    const map: Tensor = { type: "float32", dims: [1, 1, 32, 64], data };
    const steps: Tensor = { type: "float32", dims: [1, 2, 4], data: Float32Array.of(0, 0.9, 0, 0, 0, 0, 0.7, 0) };
    const model = createPpOcr({
      id: "ocr",
      detection: session({ map }),
      recognition: session({ steps }),
      keys: "H\ni",
    });
    const frame: Frame = frameOf({ width: 64, height: 32 });
    const lines = await model.read(frame);
    expect(lines).toMatchObject([{ text: "Hi" }]);
    expect(lines[0]!.confidence).toBeCloseTo(0.8);
    const other = createPpOcr({ id: "ocr", detection: session({ map }), recognition: session({ steps }), keys: "H" });
    await expect(other.read(frame)).rejects.toThrow(/needs \[1, steps, 3\]/);
  });
});

type Box = readonly [left: number, top: number, right: number, bottom: number];

function fill(
  map: { readonly width: number; readonly data: Float32Array },
  [left, top, right, bottom]: Box,
  value: number,
) {
  for (let y = top; y < bottom; y++) map.data.fill(value, y * map.width + left, y * map.width + right);
}

function session(outputs: Readonly<Record<string, Tensor>>): TensorSession {
  const inputs = [{ name: "x", type: "float32", dims: [-1, 3, -1, -1] }] as const;
  return { inputs, outputs: [], run: async () => outputs, close: async () => undefined };
}
