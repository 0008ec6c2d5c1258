import { createCanvas } from "@napi-rs/canvas";
import { describe, expect, it } from "vitest";
import { registerFont } from "./font.ts";

describe("registerFont", () => {
  it("draws text with our own font and may be called twice", () => {
    registerFont("Vision Mono Bold");
    const ctx = createCanvas(200, 40).getContext("2d");
    ctx.font = `20px "${registerFont("Vision Mono Bold")}"`;
    expect(ctx.measureText("iiii").width).toBeCloseTo(ctx.measureText("WWWW").width);
    expect(ctx.measureText("0").width).toBeCloseTo(20 * 0.602, 1);
    ctx.fillText("STREET", 2, 30);
    expect(ctx.getImageData(0, 0, 200, 40).data.some((value) => value > 0)).toBe(true);
  });
});
