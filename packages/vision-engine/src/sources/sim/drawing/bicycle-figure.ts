import { shade } from "./color.ts";
import type { Pen } from "./pen.ts";
import { drawRoundShadow, type Local, type Pose, projector } from "./solid.ts";
import type { Point } from "./view.ts";

const WHEEL = 0.34;
const CORNERS = 16;

/** Draws a bicycle; its rider is drawn by `drawPerson` with the gait `ride`. */
export function drawBicycle(pen: Pen, pose: Pose, paint: string): void {
  drawRoundShadow(pen, pose, 0.5);
  const at = projector(pen, pose);
  const color = shade(paint, 1);
  drawWheel(pen, at, -0.5);
  drawWheel(pen, at, 0.55);
  const tubes: readonly (readonly [Local, Local])[] = [
    [
      [-0.5, 0, WHEEL],
      [0.22, 0, 0.34],
    ],
    [
      [-0.5, 0, WHEEL],
      [-0.02, 0, 0.82],
    ],
    [
      [0.22, 0, 0.34],
      [-0.06, 0, 0.92],
    ],
    [
      [0.22, 0, 0.34],
      [0.42, 0, 0.82],
    ],
    [
      [-0.02, 0, 0.8],
      [0.42, 0, 0.86],
    ],
    [
      [0.55, 0, WHEEL],
      [0.42, 0, 0.98],
    ],
  ];
  for (const [from, to] of tubes) pen.capsule(at(from), at(to), 0.022, color);
  pen.capsule(at([0.5, 0.22, 1.04]), at([0.5, -0.22, 1.04]), 0.018, "#2b2d31");
  pen.capsule(at([-0.16, 0, 0.94]), at([0.06, 0, 0.95]), 0.04, "#2b2d31");
}

function drawWheel(pen: Pen, at: (local: Local) => Point, axle: number): void {
  const rim = Array.from({ length: CORNERS }, (_, corner) => {
    const angle = (2 * Math.PI * corner) / CORNERS;
    return at([axle + WHEEL * Math.cos(angle), 0, WHEEL + WHEEL * Math.sin(angle)]);
  });
  for (const [corner, from] of rim.entries()) pen.capsule(from, rim[(corner + 1) % CORNERS] as Point, 0.022, "#2f3237");
}
