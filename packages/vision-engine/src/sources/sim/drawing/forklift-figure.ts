import { uprightCircle } from "./flats.ts";
import type { Pen } from "./pen.ts";
import { drawPerson, type Looks } from "./person-figure.ts";
import { cartonFaces } from "./small-figures.ts";
import { boxFaces, drawShadow, drawSolid, type Face, frustumFaces, type Local, type Pose, projector } from "./solid.ts";
import type { ScreenPoint } from "./view.ts";

export interface ForkliftState {
  readonly driver: Looks;
  /** Metres above the floor. */
  readonly forkHeight: number;
  readonly loaded: boolean;
}

const STEEL = "#3b4046";
const YELLOW = "#f0b323";

const CHASSIS: readonly Face[] = boxFaces([1.5, 1.1, 0.6], [0.1, 0, 0.22], YELLOW);
const COUNTERWEIGHT: readonly Face[] = frustumFaces({
  base: [0.6, 1.12, 0.85],
  at: [-0.85, 0, 0.24],
  top: [0.45, 1.0],
  lean: 0.06,
  color: "#4a4f56",
});
const SEAT_BACK: readonly Face[] = boxFaces([0.12, 0.5, 0.5], [-0.42, 0, 0.86], "#2b2e33");
const DASHBOARD: readonly Face[] = boxFaces([0.22, 0.8, 0.3], [0.62, 0, 0.82], "#4a4f56");

/** Draws a forklift with its driver, who belongs to it. */
export function drawForklift(pen: Pen, pose: Pose, state: ForkliftState): void {
  drawShadow(pen, pose, [2.5, 1.25]);
  if (state.loaded) drawShadow(pen, shift(pose, 1.75), [1.25, 1.15]);
  const at = projector(pen, pose);
  const facesUs = at([1, 0, 1]).scale > at([-1, 0, 1]).scale;
  if (!facesUs) drawMast(pen, pose, state);
  const [first, last] = facesUs ? [COUNTERWEIGHT, CHASSIS] : [CHASSIS, COUNTERWEIGHT];
  drawSolid(pen, pose, first);
  drawSolid(pen, pose, last);
  drawWheels(pen, at);
  drawPillars(pen, at, facesUs ? -0.62 : 0.72);
  if (!facesUs) drawSolid(pen, pose, DASHBOARD);
  if (facesUs) drawSolid(pen, pose, SEAT_BACK);
  drawPerson(pen, { ...shift(pose, -0.16), z: 0.88 }, state.driver, { kind: "drive" });
  if (!facesUs) drawSolid(pen, pose, SEAT_BACK);
  if (facesUs) drawSolid(pen, pose, DASHBOARD);
  drawPillars(pen, at, facesUs ? 0.72 : -0.62);
  drawRoof(pen, at);
  if (facesUs) drawMast(pen, pose, state);
}

function drawPillars(pen: Pen, at: (local: Local) => ScreenPoint, along: number): void {
  for (const left of [0.48, -0.48]) pen.capsule(at([along, left, 0.85]), at([along * 0.85, left, 2.1]), 0.035, STEEL);
}

function drawRoof(pen: Pen, at: (local: Local) => ScreenPoint): void {
  for (const left of [0.48, -0.48]) pen.capsule(at([-0.55, left, 2.1]), at([0.62, left, 2.1]), 0.035, STEEL);
  for (const along of [-0.55, 0.62, -0.16, 0.24]) {
    pen.capsule(at([along, 0.48, 2.1]), at([along, -0.48, 2.1]), 0.035, STEEL);
  }
  pen.disc(at([-0.55, 0, 2.2]), 0.09, "#ff9d2e");
}

function drawWheels(pen: Pen, at: (local: Local) => ScreenPoint): void {
  const left = at([0, 1, 0]).scale > at([0, -1, 0]).scale ? 0.57 : -0.57;
  for (const [axle, radius] of [
    [0.6, 0.3],
    [-0.7, 0.25],
  ] as const) {
    const circle = (size: number): ScreenPoint[] => uprightCircle([axle, left, radius], size, 14).map(at);
    pen.polygon(circle(radius), "#2b2d31");
    pen.paint([circle(radius * 0.5)], "#d8a11f");
  }
}

function drawMast(pen: Pen, pose: Pose, { forkHeight, loaded }: ForkliftState): void {
  const at = projector(pen, pose);
  const top = Math.max(2.15, forkHeight + 1.2);
  const drawRails = (): void => {
    for (const left of [0.3, -0.3]) pen.capsule(at([1.0, left, 0.12]), at([1.0, left, top]), 0.05, STEEL);
    pen.capsule(at([1.0, 0.3, top]), at([1.0, -0.3, top]), 0.045, STEEL);
    pen.capsule(at([1.04, 0.42, forkHeight + 0.4]), at([1.04, -0.42, forkHeight + 0.4]), 0.05, "#55595f");
  };
  const facesUs = at([1, 0, 1]).scale > at([-1, 0, 1]).scale;
  if (facesUs) drawRails();
  for (const left of [0.27, -0.27]) {
    pen.capsule(at([1.06, left, forkHeight + 0.4]), at([1.06, left, forkHeight + 0.06]), 0.035, "#55595f");
    pen.capsule(at([1.06, left, forkHeight + 0.06]), at([2.1, left, forkHeight + 0.06]), 0.035, "#55595f");
  }
  if (loaded) drawLoad(pen, shift(pose, 1.68), forkHeight);
  if (!facesUs) drawRails();
}

/** A pallet with four cartons. */
export function drawLoad(pen: Pen, pose: Pose, height: number): void {
  drawSolid(pen, { ...pose, z: height + 0.08 }, boxFaces([1.1, 1.05, 0.13], [0, 0, 0], "#b8895a"));
  const cartons = [
    { ...shift(pose, 0.26, 0.25), color: "#c9a06c" },
    { ...shift(pose, 0.26, -0.25), color: "#bd9160" },
    { ...shift(pose, -0.26, 0.25), color: "#c39a68" },
    { ...shift(pose, -0.26, -0.25), color: "#cfa876" },
  ].sort((a, b) => b.y - a.y);
  for (const { x, y, heading, color } of cartons) {
    drawSolid(pen, { x, y, heading, z: height + 0.21 }, cartonFaces([0.5, 0.48, 0.52], color));
  }
}

function shift(pose: Pose, ahead: number, left = 0): Pose {
  const [cos, sin] = [Math.cos(pose.heading), Math.sin(pose.heading)];
  return { ...pose, x: pose.x + ahead * cos - left * sin, y: pose.y + ahead * sin + left * cos };
}
