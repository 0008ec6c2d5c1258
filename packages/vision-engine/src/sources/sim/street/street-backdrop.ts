import { createRandom } from "../../../seeded-random.ts";
import type { Pen } from "../drawing/pen.ts";
import type { Point } from "../drawing/view.ts";
import { drawHouses } from "./street-houses.ts";
import { STREET, ZEBRA } from "./street-layout.ts";
import { STREET_PROPS } from "./street-props.ts";

/** Ground, markings and houses. */
export function drawStreetBackdrop(pen: Pen, seed: number): void {
  const { ctx, view } = pen;
  if (ctx !== undefined) {
    ctx.fillStyle = "#cfe0e8";
    ctx.fillRect(0, 0, view.width, view.height);
  }
  drawGround(pen);
  drawPavementTiles(pen);
  drawAsphaltPatches(pen, seed);
  drawMarkings(pen);
  drawHouses(pen);
  drawTreeShadows(pen);
  drawLight(pen);
}

function drawGround(pen: Pen): void {
  const { left, right, nearKerb, farEdge, farKerb, houses } = STREET;
  strip(pen, [left, right], [-6.5, nearKerb], "#cdc6b8");
  strip(pen, [left, right], [nearKerb, farEdge], "#767b84");
  strip(pen, [left, right], [farEdge, farKerb], "#848890");
  strip(pen, [left, right], [farKerb, houses], "#d2cbbd");
  strip(pen, [left, right], [nearKerb - 0.28, nearKerb], "#e2ddd1");
  strip(pen, [left, right], [nearKerb, nearKerb + 0.14], "#5d626b");
  strip(pen, [left, right], [farKerb, farKerb + 0.26], "#e2ddd1");
  riser(pen, [left, right], farKerb, "#a9a498");
  strip(pen, [left, right], [farKerb - 0.16, farKerb], "#6a6f78");
  strip(pen, [left, right], [houses - 0.6, houses], "rgba(60,58,70,0.10)");
}

function drawPavementTiles(pen: Pen): void {
  const { left, right, farKerb, houses } = STREET;
  for (const [near, far, step] of [
    [-6.5, -0.28, 1.1],
    [farKerb + 0.26, houses, 1.1],
  ] as const) {
    for (let x = left; x < right; x += step) strip(pen, [x, x + 0.025], [near, far], "rgba(120,112,98,0.20)");
    for (let y = far; y > near; y -= step) strip(pen, [left, right], [y - 0.025, y], "rgba(120,112,98,0.20)");
  }
}

function drawAsphaltPatches(pen: Pen, seed: number): void {
  const random = createRandom(seed, 90);
  for (let index = 0; index < 14; index++) {
    const x = -14 + random() * 34;
    const y = 0.5 + random() * 6;
    strip(pen, [x, x + 0.8 + random() * 2.4], [y, y + 0.3 + random() * 0.7], "rgba(58,62,72,0.10)");
  }
  for (const [x, y] of [
    [-2.6, 2.6],
    [9.5, 4.6],
  ] as const) {
    ring(pen, [x, y], 0.36, "#666b74");
    ring(pen, [x, y], 0.29, "#71767f");
  }
}

function drawMarkings(pen: Pen): void {
  const { left, right, middle, farEdge, farKerb } = STREET;
  const white = "#ebe8df";
  for (let x = left; x < right; x += 3.2) {
    if (x + 1.7 > ZEBRA.left - 1.2 && x < ZEBRA.right + 1.2) continue;
    strip(pen, [x, x + 1.7], [middle - 0.06, middle + 0.06], white);
  }
  for (let y = 0.35; y + 0.55 < farKerb; y += 1.06) strip(pen, [ZEBRA.left, ZEBRA.right], [y, y + 0.56], white);
  strip(pen, [ZEBRA.left - 0.95, ZEBRA.left - 0.65], [0.35, middle - 0.15], white);
  strip(pen, [ZEBRA.right + 0.65, ZEBRA.right + 0.95], [middle + 0.15, farEdge], white);
  for (const x of [-20.4, -13.4, -6.4, 0.6, 8.6, 15.6, 22.6, 29.6]) {
    strip(pen, [x - 0.05, x + 0.05], [farEdge, farKerb - 0.2], "rgba(235,232,223,0.75)");
  }
  strip(pen, [left, ZEBRA.left - 1.5], [farEdge - 0.04, farEdge + 0.04], "rgba(235,232,223,0.75)");
  strip(pen, [ZEBRA.right + 1.5, right], [farEdge - 0.04, farEdge + 0.04], "rgba(235,232,223,0.75)");
}

function drawTreeShadows(pen: Pen): void {
  for (const { kind, x, y } of STREET_PROPS) {
    if (kind !== "tree") continue;
    ring(pen, [x, y], 0.62, "#8d7a62");
    ring(pen, [x, y], 0.5, "#7d6b56");
    ring(pen, [x + 1.5, y + 1.2], 1.5, "rgba(40,46,66,0.13)");
    ring(pen, [x + 2.1, y + 0.7], 1.0, "rgba(40,46,66,0.10)");
    ring(pen, [x + 0.9, y + 0.9], 1.0, "rgba(40,46,66,0.10)");
  }
}

/** Warm light from the left, a little darker towards the corners. */
function drawLight(pen: Pen): void {
  const { ctx, view } = pen;
  if (ctx === undefined) return;
  const { width, height } = view;
  const sun = ctx.createLinearGradient(0, 0, width, height);
  sun.addColorStop(0, "rgba(255,236,196,0.20)");
  sun.addColorStop(0.5, "rgba(255,236,196,0)");
  sun.addColorStop(1, "rgba(38,48,84,0.16)");
  ctx.fillStyle = sun;
  ctx.fillRect(0, 0, width, height);
}

function strip(
  pen: Pen,
  [left, right]: readonly [number, number],
  [near, far]: readonly [number, number],
  color: string,
): void {
  const at = (x: number, y: number): Point => pen.project([x, y, 0]);
  pen.paint([[at(left, near), at(right, near), at(right, far), at(left, far)]], color);
}

function riser(pen: Pen, [left, right]: readonly [number, number], y: number, color: string): void {
  const at = (x: number, z: number): Point => pen.project([x, y, z]);
  pen.paint([[at(left, -0.12), at(right, -0.12), at(right, 0), at(left, 0)]], color);
}

function ring(pen: Pen, [x, y]: readonly [number, number], radius: number, color: string): void {
  const points = Array.from({ length: 24 }, (_, corner) => {
    const angle = (2 * Math.PI * corner) / 24;
    return pen.project([x + radius * Math.cos(angle), y + radius * Math.sin(angle), 0]);
  });
  pen.paint([points], color);
}
