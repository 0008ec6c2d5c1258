import { describe, expect, it } from "vitest";
import type { ModelInput } from "../model-description.ts";
import { createInputWriter } from "./network-input.ts";

const INPUT: ModelInput = { width: 4, height: 4, resize: "letterbox", padding: 114, colors: "rgb", scale: 1 };

describe("createInputWriter", () => {
  it("writes planes in the order of colours, with grey borders", () => {
    const { tensor } = createInputWriter({ ...INPUT, colors: "bgr" })(picture(4, 2));
    expect(tensor.dims).toEqual([1, 3, 4, 4]);
    const rows = (plane: number) =>
      [...tensor.data.subarray(16 * plane, 16 * plane + 16)].filter((_, at) => at % 4 === 0);
    expect([rows(0), rows(1), rows(2)]).toEqual([
      [114, 30, 30, 114],
      [114, 20, 20, 114],
      [114, 10, 10, 114],
    ]);
  });

  it("writes the same again when pictures of other sizes came between", () => {
    const write = createInputWriter(INPUT);
    const first = write(picture(4, 2)).tensor.data.slice();
    write(picture(2, 4));
    expect(write(picture(4, 2)).tensor.data).toEqual(first);
  });

  it("divides and normalises padding as well as pixels", () => {
    const normalization = { mean: [0, 0.1, 0], std: [1, 0.5, 2] };
    const { data } = createInputWriter({ ...INPUT, scale: 100, normalization })(picture(4, 2)).tensor;
    expect(data[0]).toBeCloseTo(1.14);
    expect(data[4]).toBeCloseTo(0.1);
    expect(data[16 + 4]).toBeCloseTo(0.2);
    expect(data[32 + 4]).toBeCloseTo(0.15);
  });

  it("counts every pixel when a picture is made smaller without aliasing", () => {
    const stripes = picture(8, 8);
    for (let at = 0; at < stripes.rgba.length; at += 8) stripes.rgba[at] = 90;
    const input: ModelInput = { ...INPUT, resize: "stretch" };
    const smooth = createInputWriter({ ...input, filter: "antialiased" })(stripes).tensor.data.subarray(0, 16);
    expect(Math.max(...smooth) - Math.min(...smooth)).toBeLessThanOrEqual(20);
    expect(smooth[5]).toBeCloseTo(50, -1);
  });

  it("leaves pixels as they are where the size is right", () => {
    const rgba = Uint8ClampedArray.from({ length: 64 }, (_, at) => (at % 4 === 3 ? 255 : at * 3));
    for (const filter of ["linear", "antialiased"] as const) {
      const { data } = createInputWriter({ ...INPUT, filter })({ rgba, width: 4, height: 4 }).tensor;
      expect([...data.subarray(0, 16)]).toEqual([...rgba].filter((_, at) => at % 4 === 0));
    }
  });
});

/** Red 10, green 20, blue 30. */
function picture(width: number, height: number) {
  const rgba = Uint8ClampedArray.from({ length: 4 * width * height }, (_, at) => [10, 20, 30, 255][at % 4]!);
  return { rgba, width, height };
}
