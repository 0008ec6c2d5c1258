import { drawLoad } from "../drawing/forklift-figure.ts";
import type { Pen } from "../drawing/pen.ts";
import { drawBox, drawRoundShadow, drawShadow } from "../drawing/solid.ts";
import type { CameraPose } from "../drawing/view.ts";
import { placed, type SceneProp } from "../scene.ts";

/** Metres; the back wall with the dock doors is parallel to x. */
export const HALL = { left: -11.5, right: 15.5, front: -4, back: 14, height: 9 } as const;

/** The hatched rectangle in front of the open door. */
export const LOADING_ZONE = { left: 1.4, right: 7, near: 6.4, far: 10.4 } as const;

/** The green walkway along the front. */
export const WALKWAY = { near: 0.9, far: 3.1 } as const;

/** Middles of the dock doors; the second one is open. */
export const DOORS = [-0.4, 4.2, 8.8] as const;
export const DOOR = { width: 3, height: 3.3 } as const;

/** Marked places for single packages. */
export const SPOTS = [
  [-3.9, 4.6],
  [-2.3, 4.6],
  [-3.9, 6.1],
  [-2.3, 6.1],
] as const;

export const WAREHOUSE_CAMERA: CameraPose = {
  position: [-0.6, -7.6, 5.7],
  yaw: 0.1,
  pitch: -0.33,
  roll: 0,
  focal: 800,
};

/** Things in the hall that may hide people. */
export const WAREHOUSE_PROPS: readonly SceneProp[] = [
  ...placed(drawPallets, [8.4, 4.9], [9.6, 6.4]),
  ...placed(drawBollard, [1.7, 11.6], [6.7, 11.6], [-5.4, 3.4], [-0.8, 3.4]),
];

function drawPallets(pen: Pen, x: number, y: number): void {
  const pose = { x, y, heading: 0 };
  drawShadow(pen, pose, [1.2, 1.1]);
  drawLoad(pen, pose, -0.08);
}

function drawBollard(pen: Pen, x: number, y: number): void {
  drawRoundShadow(pen, { x, y, heading: 0 }, 0.2);
  drawBox(pen, [x, y, 0], [0.18, 0.18, 0.42], "#f2c51d");
  drawBox(pen, [x, y, 0.42], [0.18, 0.18, 0.2], "#2d2c2a");
  drawBox(pen, [x, y, 0.62], [0.18, 0.18, 0.3], "#f2c51d");
}
