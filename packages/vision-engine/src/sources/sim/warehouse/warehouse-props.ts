import { drawLoad } from "../drawing/forklift-figure.ts";
import type { Pen } from "../drawing/pen.ts";
import { boxFaces, drawRoundShadow, drawShadow, drawSolid } from "../drawing/solid.ts";
import type { SceneProp } from "../scene.ts";

/** Things in the hall that may hide people. */
export const WAREHOUSE_PROPS: readonly SceneProp[] = [
  { y: 4.9, draw: (pen) => drawPallets(pen, 8.4, 4.9) },
  { y: 6.4, draw: (pen) => drawPallets(pen, 9.6, 6.4) },
  { y: 11.6, draw: (pen) => drawBollard(pen, 1.7, 11.6) },
  { y: 11.6, draw: (pen) => drawBollard(pen, 6.7, 11.6) },
  { y: 3.4, draw: (pen) => drawBollard(pen, -5.4, 3.4) },
  { y: 3.4, draw: (pen) => drawBollard(pen, -0.8, 3.4) },
];

function drawPallets(pen: Pen, x: number, y: number): void {
  const pose = { x, y, heading: 0 };
  drawShadow(pen, pose, [1.2, 1.1]);
  drawLoad(pen, pose, -0.08);
}

function drawBollard(pen: Pen, x: number, y: number): void {
  drawRoundShadow(pen, { x, y, heading: 0 }, 0.2);
  drawSolid(pen, { x, y, heading: 0 }, boxFaces([0.18, 0.18, 0.42], [0, 0, 0], "#f2c51d"));
  drawSolid(pen, { x, y, z: 0.42, heading: 0 }, boxFaces([0.18, 0.18, 0.2], [0, 0, 0], "#2d2c2a"));
  drawSolid(pen, { x, y, z: 0.62, heading: 0 }, boxFaces([0.18, 0.18, 0.3], [0, 0, 0], "#f2c51d"));
}
