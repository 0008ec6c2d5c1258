import { describe, expect, it } from "vitest";
import { classNamesOf, type DetectionTable } from "../../frames/detections.ts";
import { type Actor, SCENE_CLASS_IDS, type Scene } from "./scene.ts";
import { createSceneRenderer, type Rendering, type SceneRenderer } from "./scene-renderer.ts";
import { street } from "./street/street.ts";
import { warehouse } from "./warehouse/warehouse.ts";

const SIZE = { width: 480, height: 270 };
type Box = readonly [left: number, top: number, right: number, bottom: number];

describe.each([
  { scene: street, second: 3 },
  { scene: street, second: 60 },
  { scene: warehouse, second: 12 },
])("$scene.name at $second s", ({ scene, second }) => {
  it("puts each truth box around the pixels that its actor changes", async () => {
    const renderer = await createSceneRenderer({ scene, ...SIZE, seed: 1 });
    const empty = kept(renderer.render({ actors: [], time: "" }));
    let checked = 0;
    for (const actor of scene.actorsAt(second, 1)) {
      const alone = renderer.render({ actors: [actor], time: "" });
      if (alone.truth.length === 0 || actor.kind === "dog") continue;
      const box = boxAt(alone.truth, 0);
      const drawn = boundsOfDrawing(empty, alone);
      // Dark cloth on dark ground may pass for shadow; nothing is drawn outside.
      const spare = [drawn[0] - box[0], drawn[1] - box[1], box[2] - drawn[2], box[3] - drawn[3]];
      for (const pixels of spare) {
        expect(pixels, actor.id).toBeGreaterThan(-2);
        expect(pixels, actor.id).toBeLessThan(6);
      }
      checked++;
    }
    expect(checked).toBeGreaterThan(2);
  });

  it("gives opaque pixels of the asked size and the same ones again", async () => {
    const renderer = await createSceneRenderer({ scene, ...SIZE, seed: 1 });
    const first = kept(render(renderer, scene, second));
    const again = render(renderer, scene, second);
    expect(first.rgba.length).toBe(SIZE.width * SIZE.height * 4);
    expect(isOpaque(first.rgba)).toBe(true);
    expect(Buffer.compare(Buffer.from(first.rgba), Buffer.from(again.rgba))).toBe(0);
    expect(again.truth).toEqual(first.truth);
  });

  it("takes the pixels back when the next are rendered", async () => {
    const renderer = await createSceneRenderer({ scene, ...SIZE, seed: 1 });
    const first = render(renderer, scene, second);
    const next = render(renderer, scene, second + 1);
    expect(first.rgba.length).toBe(0);
    expect(next.rgba.length).toBe(SIZE.width * SIZE.height * 4);
  });
});

describe("truth", () => {
  it("leaves out who is hidden and shrinks the box of who is half hidden", async () => {
    const renderer = await createSceneRenderer({ scene: street, ...SIZE, seed: 1 });
    const person = street.actorsAt(3, 1).find((actor) => actor.kind === "person") as Actor;
    const car = (model: "truck" | "sedan"): Actor => ({
      kind: "vehicle",
      id: "car",
      model,
      paint: "#3f6fa8",
      pose: { x: 0, y: 5.4, heading: 0 },
      motion: { travelled: 0, braking: false },
    });
    const at = (y: number): Actor => ({ ...person, pose: { x: 0, y, heading: 0 } });
    const seen = (...actors: Actor[]): DetectionTable => renderer.render({ actors, time: "" }).truth;
    expect(classNamesOf(seen(car("truck"), at(7)))).toEqual(["truck"]);
    const free = boxAt(seen(at(8.4)), 0);
    const half = seen(car("sedan"), at(8.4));
    expect(classNamesOf(half)).toContain("person");
    const covered = boxAt(half, classNamesOf(half).indexOf("person"));
    expect(covered[1]).toBeCloseTo(free[1], 3);
    expect(covered[3]).toBeLessThan(free[3] - 2);
  });

  it("stays inside the picture and leaves out who is mostly outside", async () => {
    const renderer = await createSceneRenderer({ scene: street, ...SIZE, seed: 1 });
    for (let second = 0; second < 60; second += 5) {
      const { truth } = render(renderer, street, second);
      for (let row = 0; row < truth.length; row++) {
        const [left, top, right, bottom] = boxAt(truth, row);
        expect(left >= 0 && top >= 0 && right <= SIZE.width && bottom <= SIZE.height).toBe(true);
        expect(right - left > 2 && bottom - top > 2).toBe(true);
      }
    }
  });

  it("numbers classes as COCO does, then on", async () => {
    const renderer = await createSceneRenderer({ scene: warehouse, ...SIZE, seed: 1 });
    const { truth } = render(renderer, warehouse, 12);
    const ids = classNamesOf(truth).map((name) => SCENE_CLASS_IDS[name as keyof typeof SCENE_CLASS_IDS]);
    expect([...truth.classId!]).toEqual(ids);
    expect(new Set(ids)).toEqual(new Set([0, 80, 81]));
  });

  it("is empty in the dark, when the picture is nearly black", async () => {
    const renderer = await createSceneRenderer({ scene: street, ...SIZE, seed: 1 });
    const { rgba, truth } = renderer.render({ actors: street.actorsAt(3, 1), time: "", dark: true });
    expect(truth.length).toBe(0);
    expect(meanOf(rgba.subarray(rgba.length / 2))).toBeLessThan(16);
  });
});

/** With pixels that outlive the next rendering. */
function kept({ rgba, truth }: Rendering): Rendering {
  return { rgba: rgba.slice(), truth };
}

function render(renderer: SceneRenderer, scene: Scene, second: number): Rendering {
  return renderer.render({ actors: scene.actorsAt(second, 1), time: "00:00:00" });
}

function boxAt({ xyxy }: DetectionTable, row: number): Box {
  const [left = 0, top = 0, right = 0, bottom = 0] = xyxy.subarray(4 * row, 4 * row + 4);
  return [left, top, right, bottom];
}

/** Bounds of what changed, without shadows: those only darken, all channels alike and by less than half. */
function boundsOfDrawing(before: Rendering, after: Rendering): Box {
  let [left, top, right, bottom] = [SIZE.width, SIZE.height, 0, 0];
  for (let at = 0; at < after.rgba.length; at += 4) {
    if (isUnchanged(before.rgba, after.rgba, at) || isShadow(before.rgba, after.rgba, at)) continue;
    const [x, y] = [(at / 4) % SIZE.width, Math.floor(at / 4 / SIZE.width)];
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x + 1), Math.max(bottom, y + 1)];
  }
  return [left, top, right, bottom];
}

function isUnchanged(before: Uint8ClampedArray, after: Uint8ClampedArray, at: number): boolean {
  return before[at] === after[at] && before[at + 1] === after[at + 1] && before[at + 2] === after[at + 2];
}

function isShadow(before: Uint8ClampedArray, after: Uint8ClampedArray, at: number): boolean {
  const shares = [at, at + 1, at + 2].map((index) => (after[index] as number) / Math.max(1, before[index] as number));
  const [least, most] = [Math.min(...shares), Math.max(...shares)];
  return most <= 1.01 && least > 0.6 && most - least < 0.12;
}

function meanOf(values: Uint8ClampedArray): number {
  return values.reduce((sum, value, index) => (index % 4 === 3 ? sum : sum + value), 0) / ((values.length * 3) / 4);
}

function isOpaque(rgba: Uint8ClampedArray): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return false;
  return true;
}
