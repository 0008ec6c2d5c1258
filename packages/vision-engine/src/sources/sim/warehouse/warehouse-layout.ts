import type { CameraPose } from "../drawing/view.ts";

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
