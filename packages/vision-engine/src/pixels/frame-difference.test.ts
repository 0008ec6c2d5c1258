import { describe, expect, it } from "vitest";
import { createRandom } from "../seeded-random.ts";
import { createMotionGate } from "./frame-difference.ts";

const WIDTH = 160;
const HEIGHT = 120;

describe("motion gate", () => {
  it("takes the first frame as a whole, then sees nothing in a still scene with noise", () => {
    const gate = createMotionGate();
    const draw = painter();
    expect(gate.see(draw({}), WIDTH, HEIGHT).regions).toEqual([{ x: 0, y: 0, width: WIDTH, height: HEIGHT }]);
    for (let frame = 0; frame < 60; frame++) expect(gate.see(draw({}), WIDTH, HEIGHT).moving).toBe(false);
  });

  it("boxes a thing that appears", () => {
    const gate = createMotionGate();
    const draw = painter();
    for (let frame = 0; frame < 20; frame++) gate.see(draw({}), WIDTH, HEIGHT);
    const { moving, regions } = gate.see(draw({ thing: { x: 40, y: 48, width: 24, height: 32 } }), WIDTH, HEIGHT);
    expect(moving).toBe(true);
    expect(regions).toHaveLength(1);
    const { x, y, width, height } = regions[0]!;
    expect(x).toBeLessThanOrEqual(40);
    expect(y).toBeLessThanOrEqual(48);
    expect(x + width).toBeGreaterThanOrEqual(64);
    expect(y + height).toBeGreaterThanOrEqual(80);
    expect(width * height).toBeLessThan(WIDTH * HEIGHT * 0.25);
  });

  it("follows slow and quick changes of the light of the whole scene", () => {
    const gate = createMotionGate();
    const draw = painter();
    for (let frame = 0; frame < 20; frame++) gate.see(draw({}), WIDTH, HEIGHT);
    for (let frame = 0; frame < 60; frame++) {
      expect(gate.see(draw({ light: frame }), WIDTH, HEIGHT).moving).toBe(false);
    }
    expect(gate.see(draw({ light: 40 }), WIDTH, HEIGHT).moving).toBe(false);
  });

  it("lets a thing that stopped sink into the background", () => {
    const gate = createMotionGate();
    const draw = painter();
    for (let frame = 0; frame < 20; frame++) gate.see(draw({}), WIDTH, HEIGHT);
    const thing = { x: 40, y: 48, width: 24, height: 32 };
    expect(gate.see(draw({ thing }), WIDTH, HEIGHT).moving).toBe(true);
    for (let frame = 0; frame < 500; frame++) gate.see(draw({ thing }), WIDTH, HEIGHT);
    expect(gate.see(draw({ thing }), WIDTH, HEIGHT).moving).toBe(false);
  });

  it("starts anew when the size changes or the camera turns", () => {
    const gate = createMotionGate();
    const draw = painter();
    for (let frame = 0; frame < 5; frame++) gate.see(draw({}), WIDTH, HEIGHT);
    const turned = new Uint8ClampedArray(WIDTH * HEIGHT * 4);
    for (let at = 0; at < turned.length; at++) turned[at] = 80 * ((((at / 4) % WIDTH) >> 5) % 4);
    expect(gate.see(turned, WIDTH, HEIGHT).regions[0]).toMatchObject({ x: 0, y: 0, width: WIDTH });
    expect(gate.see(turned, HEIGHT, WIDTH).regions).toEqual([{ x: 0, y: 0, width: HEIGHT, height: WIDTH }]);
  });
});

interface Scene {
  readonly light?: number;
  readonly thing?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

/** A slanted backdrop with noise of ±6 levels. */
function painter(): (scene: Scene) => Uint8ClampedArray {
  const random = createRandom(7);
  const rgba = new Uint8ClampedArray(WIDTH * HEIGHT * 4).fill(255);
  return ({ light = 0, thing }) => {
    for (let at = 0; at < WIDTH * HEIGHT; at++) {
      const x = at % WIDTH;
      const y = (at - x) / WIDTH;
      const isThing =
        thing !== undefined && x >= thing.x && x < thing.x + thing.width && y >= thing.y && y < thing.y + thing.height;
      const level = (isThing ? 200 : 60 + (x + y) / 4) + light + (random() - 0.5) * 12;
      rgba.fill(level, 4 * at, 4 * at + 3);
    }
    return rgba;
  };
}
