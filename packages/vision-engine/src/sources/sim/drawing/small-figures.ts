// bicycle, dog, package → drawn

import { rectangleCorners, uprightCircle } from "./flats.ts";
import type { Pen } from "./pen.ts";
import {
  boxFaces,
  decorated,
  drawRoundShadow,
  drawShadow,
  drawSolid,
  type Face,
  type Local,
  type Pose,
  projector,
} from "./solid.ts";
import { type ScreenPoint, shade, type Vec3 } from "./view.ts";

const WHEEL = 0.34;
const CORNERS = 16;

/** Draws a bicycle; its rider is drawn by `drawPerson` with the gait `ride`. */
export function drawBicycle(pen: Pen, pose: Pose, paint: string): void {
  drawRoundShadow(pen, pose, 0.5);
  const at = projector(pen, pose);
  const color = shade(paint, 1);
  drawWheel(pen, at, -0.5);
  drawWheel(pen, at, 0.55);
  const tube = (from: Local, to: Local): void => pen.capsule(at(from), at(to), 0.022, color);
  const [rear, crank, front]: [Local, Local, Local] = [
    [-0.5, 0, WHEEL],
    [0.22, 0, 0.34],
    [0.55, 0, WHEEL],
  ];
  tube(rear, crank);
  tube(rear, [-0.02, 0, 0.82]);
  tube(crank, [-0.06, 0, 0.92]);
  tube(crank, [0.42, 0, 0.82]);
  tube([-0.02, 0, 0.8], [0.42, 0, 0.86]);
  tube(front, [0.42, 0, 0.98]);
  pen.capsule(at([0.5, 0.22, 1.04]), at([0.5, -0.22, 1.04]), 0.018, "#2b2d31");
  pen.capsule(at([-0.16, 0, 0.94]), at([0.06, 0, 0.95]), 0.04, "#2b2d31");
}

function drawWheel(pen: Pen, at: (local: Local) => ScreenPoint, axle: number): void {
  const rim = uprightCircle([axle, 0, WHEEL], WHEEL, CORNERS).map(at);
  for (const [corner, from] of rim.entries())
    pen.capsule(from, rim[(corner + 1) % CORNERS] as ScreenPoint, 0.022, "#2f3237");
}

export interface DogLooks {
  readonly coat: string;
  /** As in a person's walk. */
  readonly phase: number;
  /** The hand that holds the other end of the leash. */
  readonly leash: Vec3;
}

/** Draws a trotting dog on a leash. */
export function drawDog(pen: Pen, pose: Pose, { coat, phase, leash }: DogLooks): void {
  drawRoundShadow(pen, pose, 0.28);
  const at = projector(pen, pose);
  pen.paint([[at([0.28, 0, 0.5]), pen.project(leash)]], "rgba(60,44,36,0.8)", 0.5);
  const leg = (forward: number, left: number, turn: number): readonly [Local, Local] => [
    [forward, left, 0.3],
    [forward + 0.1 * Math.sin(phase + turn), left, 0.03],
  ];
  const legs = [leg(0.2, 0.07, 0), leg(-0.22, -0.07, 0), leg(0.2, -0.07, Math.PI), leg(-0.22, 0.07, Math.PI)];
  for (const [from, to] of legs) pen.capsule(at(from), at(to), 0.032, shade(coat, 0.85));
  pen.capsule(at([-0.26, 0, 0.44]), at([-0.42, 0.03 * Math.sin(2 * phase), 0.58]), 0.025, shade(coat, 0.92));
  pen.capsule(at([-0.22, 0, 0.38]), at([0.2, 0, 0.4]), 0.11, shade(coat, 1));
  pen.capsule(at([0.22, 0, 0.44]), at([0.32, 0, 0.56]), 0.07, shade(coat, 1));
  pen.capsule(at([0.34, 0, 0.59]), at([0.46, 0, 0.56]), 0.055, shade(coat, 1.05));
  for (const left of [0.06, -0.06]) pen.capsule(at([0.32, left, 0.63]), at([0.29, left, 0.55]), 0.03, shade(coat, 0.7));
  pen.disc(at([0.51, 0, 0.57]), 0.02, "#26221f");
}

/** Draws a taped cardboard box. */
export function drawPackage(
  pen: Pen,
  pose: Pose,
  { size, color }: { readonly size: Vec3; readonly color: string },
): void {
  if ((pose.z ?? 0) === 0) drawShadow(pen, { ...pose, x: pose.x + 0.03, y: pose.y + 0.03 }, [size[0], size[1]]);
  drawSolid(pen, pose, cartonFaces(size, color));
}

/** A box of cardboard with a strip of tape over its top. */
export function cartonFaces(size: Vec3, color: string): Face[] {
  const [length, width, height] = size;
  const tape = rectangleCorners([-length / 2, length / 2], [-0.035, 0.035], height);
  const label = rectangleCorners([-length * 0.05, length * 0.32], -width / 2, [height * 0.3, height * 0.62]);
  return decorated(boxFaces(size, [0, 0, 0], color), {
    0: [{ shapes: [tape], color: "#e3cfa4" }],
    4: [{ shapes: [label], color: "#f3efe6" }],
  });
}
