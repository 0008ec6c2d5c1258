import type { Pen } from "../drawing/pen.ts";
import { drawBox, drawRoundShadow } from "../drawing/solid.ts";
import { type CameraPose, shade } from "../drawing/view.ts";
import { placed, type SceneProp } from "../scene.ts";

/** The street lies along x. Metres, from the near pavement to the buildings. */
export const STREET = {
  nearKerb: 0,
  middle: 3.6,
  farEdge: 7.1,
  farKerb: 9.3,
  buildings: 12.7,
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

/** Trees along the far kerb; the height is that of the crown's middle. */
export const TREES = [
  { x: -7.1, y: 9.95, height: 3.6 },
  { x: 1.1, y: 9.95, height: 3.9 },
  { x: 10.2, y: 9.95, height: 3.5 },
  { x: 16.2, y: 9.95, height: 3.6 },
  { x: 22.5, y: 9.95, height: 3.6 },
] as const;

/** Things along the street that may hide actors. */
export const STREET_PROPS: readonly SceneProp[] = [
  ...TREES.map((tree) => ({ y: tree.y, draw: (pen: Pen) => drawTree(pen, tree) })),
  ...placed(drawLamp, [-3, 9.75], [13.6, 9.75]),
  ...placed(drawBin, [8.2, 9.9]),
  ...placed(drawPlanter, [-4.9, -0.55], [2.1, -0.55]),
];

const CROWN: readonly (readonly [x: number, y: number, z: number, radius: number, light: number])[] = [
  [0.1, 0.35, 0, 1.05, 0.8],
  [-0.75, 0.1, -0.25, 0.72, 0.9],
  [0.8, 0.1, -0.3, 0.74, 0.84],
  [0.1, -0.1, 0.55, 0.9, 1],
  [-0.35, -0.3, 0.05, 0.78, 1.04],
  [0.45, -0.3, -0.05, 0.66, 0.96],
  [-0.5, -0.35, 0.5, 0.5, 1.14],
  [0.1, -0.45, 0.7, 0.42, 1.2],
];

function drawTree(pen: Pen, { x, y, height }: (typeof TREES)[number]): void {
  pen.line([x, y, 0.05], [x, y, height], 0.11, "#7d6450");
  pen.line([x, y, height - 1], [x - 0.5, y, height - 0.2], 0.06, "#7d6450");
  for (const [dx, dy, dz, radius, light] of CROWN) {
    pen.disc(pen.project([x + dx, y + dy, height + dz]), radius, shade("#7fa868", light));
  }
}

function drawLamp(pen: Pen, x: number, y: number): void {
  drawRoundShadow(pen, { x, y, heading: 0 }, 0.16);
  pen.line([x, y, 0], [x, y, 0.7], 0.085, "#3f474d");
  pen.line([x, y, 0.6], [x, y, 5.4], 0.05, "#4a5359");
  pen.line([x, y, 5.4], [x, y - 1.3, 5.65], 0.04, "#4a5359");
  pen.line([x, y - 1.3, 5.6], [x, y - 1.3 * 1.35, 5.62], 0.09, "#dfe3e2");
}

function drawBin(pen: Pen, x: number, y: number): void {
  drawRoundShadow(pen, { x, y, heading: 0 }, 0.3);
  drawBox(pen, [x, y, 0], [0.45, 0.45, 0.85], "#5d6f66");
  drawBox(pen, [x, y, 0.85], [0.52, 0.52, 0.1], "#47564f");
}

function drawPlanter(pen: Pen, x: number, y: number): void {
  drawRoundShadow(pen, { x, y, heading: 0 }, 0.6);
  drawBox(pen, [x, y, 0], [1.5, 0.5, 0.5], "#b98d6a");
  for (const [dx, radius, light] of [
    [-0.52, 0.26, 0.9],
    [-0.16, 0.32, 1],
    [0.24, 0.28, 0.93],
    [0.55, 0.23, 1.06],
  ] as const) {
    pen.disc(pen.project([x + dx, y, 0.62]), radius, shade("#7ea56b", light));
  }
  for (const [dx, dz, color] of [
    [-0.45, 0.7, "#e2777a"],
    [-0.05, 0.82, "#f1d27a"],
    [0.35, 0.74, "#e2777a"],
    [0.6, 0.66, "#f4efe4"],
  ] as const) {
    pen.disc(pen.project([x + dx, y - 0.18, dz]), 0.06, color);
  }
}
