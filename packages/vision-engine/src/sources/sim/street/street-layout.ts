import type { CameraPose } from "../drawing/view.ts";

/** The street lies along x. Metres, from the near pavement to the houses. */
export const STREET = {
  nearKerb: 0,
  middle: 3.6,
  farEdge: 7.1,
  farKerb: 9.3,
  houses: 12.7,
  left: -34,
  right: 46,
} as const;

/** Centres of lanes and paths, y in metres. Traffic keeps right. */
export const LANES = { near: 1.85, far: 5.35, parking: 8.2, bicycle: 0.7 } as const;
export const PATHS = { nearEast: -1.0, nearWest: -2.0, farEast: 10.5, farWest: 11.6 } as const;

/** The zebra crossing, x in metres. */
export const ZEBRA = { left: 3.7, middle: 5.4, right: 7.1 } as const;

export const STREET_CAMERA: CameraPose = {
  position: [-3.5, -11.5, 6.7],
  yaw: 0.2,
  pitch: -0.34,
  roll: 0,
  focal: 831,
};
