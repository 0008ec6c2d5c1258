// flat faces of a body → the ones that look at the camera, in the scene's light

import type { Pen } from "./pen.ts";
import { type ScreenPoint, shade, type Vec3 } from "./view.ts";

/** Where a body stands; heading 0 looks along x, a quarter turn looks along y. */
export interface Pose {
  readonly x: number;
  readonly y: number;
  readonly z?: number;
  /** Radians. */
  readonly heading: number;
}

/** Metres seen from the body: forward, left, up. */
export type Local = Vec3;

/** Something painted on a face: windows, lamps, lines. */
export interface Decal {
  readonly shapes: readonly (readonly Local[])[];
  readonly color: string;
}

/** One side of a convex body, its points counter-clockwise as seen from outside. */
export interface Face {
  readonly points: readonly Local[];
  /** `#rrggbb`, or `paint` for the colour handed to `drawSolid`. */
  readonly color: string;
  readonly decals?: readonly Decal[];
}

/** From the upper left, a little from behind the camera. */
const LIGHT: Vec3 = [-0.46, -0.55, 0.7];

/** Turns points of a body into points of the picture. */
export function projector(pen: Pen, pose: Pose): (local: Local) => ScreenPoint {
  const [cos, sin] = [Math.cos(pose.heading), Math.sin(pose.heading)];
  const base = pose.z ?? 0;
  return ([forward, left, up]) =>
    pen.project([pose.x + forward * cos - left * sin, pose.y + forward * sin + left * cos, base + up]);
}

/** Draws the faces of a convex body that can be seen. */
export function drawSolid(pen: Pen, pose: Pose, faces: readonly Face[], paint = "#ffffff"): void {
  const project = projector(pen, pose);
  for (const face of faces) {
    const points = face.points.map(project);
    if (!facesCamera(points)) continue;
    const light = lightOn(face.points, pose.heading);
    pen.polygon(closeSeams(points), shade(face.color === "paint" ? paint : face.color, light));
    for (const decal of face.decals ?? []) {
      const shapes = decal.shapes.map((shape) => shape.map(project));
      pen.paint(shapes, shade(decal.color === "paint" ? paint : decal.color, light));
    }
  }
}

/** A box on the ground of the given length (forward), width and height, its centre shifted by `at`. */
export function boxFaces(size: Vec3, at: Local, color: string): Face[] {
  return frustumFaces({ base: size, at, top: [size[0], size[1]], color });
}

/** The faces with something painted on some of them, by their place in the list. */
export function decorated(faces: readonly Face[], decals: Readonly<Record<number, readonly Decal[]>>): Face[] {
  return faces.map((face, index) => ({ ...face, decals: decals[index] ?? [] }));
}

/** An upright box that stands at a place. */
export function drawBox(pen: Pen, [x, y, z]: Vec3, size: Vec3, color: string): void {
  drawSolid(pen, { x, y, z, heading: 0 }, boxFaces(size, [0, 0, 0], color));
}

export interface Frustum {
  /** Length, width and height. */
  readonly base: Vec3;
  readonly at: Local;
  /** Length and width of the top. */
  readonly top: readonly [number, number];
  /** How far forward the top sits from the middle of the base. */
  readonly lean?: number;
  readonly color: string;
}

/** A box whose top may be smaller than its base. */
export function frustumFaces({ base, at, top, lean = 0, color }: Frustum): Face[] {
  const ring = (length: number, width: number, forward: number, up: number): [Local, Local, Local, Local] => [
    [at[0] + forward + length / 2, at[1] - width / 2, up],
    [at[0] + forward + length / 2, at[1] + width / 2, up],
    [at[0] + forward - length / 2, at[1] + width / 2, up],
    [at[0] + forward - length / 2, at[1] - width / 2, up],
  ];
  const low = ring(base[0], base[1], 0, at[2]);
  const high = ring(top[0], top[1], lean, at[2] + base[2]);
  return [
    { points: high, color },
    { points: [low[0], low[1], high[1], high[0]], color },
    { points: [low[1], low[2], high[2], high[1]], color },
    { points: [low[2], low[3], high[3], high[2]], color },
    { points: [low[3], low[0], high[0], high[3]], color },
  ];
}

const SHADOW_LAYERS: readonly (readonly [grow: number, color: string])[] = [
  [0.15, "rgba(28,32,48,0.10)"],
  [0.04, "rgba(28,32,48,0.13)"],
  [-0.07, "rgba(28,32,48,0.16)"],
];

/** A soft shadow of a footprint of the given length and width. */
export function drawShadow(pen: Pen, pose: Pose, [length, width]: readonly [number, number]): void {
  const project = projector(pen, { ...pose, z: 0 });
  for (const [grow, color] of SHADOW_LAYERS) {
    const [half, side] = [length / 2 + grow, width / 2 + grow];
    const cut = Math.min(half, side) * 0.3;
    const corners: Local[] = [
      [half, cut - side, 0],
      [half, side - cut, 0],
      [half - cut, side, 0],
      [cut - half, side, 0],
      [-half, side - cut, 0],
      [-half, cut - side, 0],
      [cut - half, -side, 0],
      [half - cut, -side, 0],
    ];
    pen.paint([corners.map(project)], color);
  }
}

/** A round soft shadow, for people and other small things. */
export function drawRoundShadow(pen: Pen, pose: Pose, radius: number): void {
  const center = pen.project([pose.x + radius * 0.35, pose.y + radius * 0.2, 0]);
  const flat = Math.max(0.2, (center.y - pen.project([pose.x, pose.y + 1, 0]).y) / center.scale);
  for (const [grow, color] of SHADOW_LAYERS) pen.glow(center, (radius + grow * 0.6) * center.scale, color, flat);
}

/** Pushes the corners out by half a pixel, so that neighbouring faces overlap. */
function closeSeams(points: readonly ScreenPoint[]): ScreenPoint[] {
  let [middleX, middleY] = [0, 0];
  for (const { x, y } of points) {
    middleX += x / points.length;
    middleY += y / points.length;
  }
  return points.map(({ x, y, scale }) => {
    const away = 0.5 / Math.max(1, Math.hypot(x - middleX, y - middleY));
    return { x: x + (x - middleX) * away, y: y + (y - middleY) * away, scale };
  });
}

function facesCamera(points: readonly ScreenPoint[]): boolean {
  const [a, b, c] = points as [ScreenPoint, ScreenPoint, ScreenPoint];
  // Pixels grow downwards, so counter-clockwise has a negative sign.
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) < 0;
}

function lightOn(points: readonly Local[], heading: number): number {
  const [a, b, c] = points as [Local, Local, Local];
  const [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
  const [forward, left, up] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  const length = Math.hypot(forward, left, up) || 1;
  const [cos, sin] = [Math.cos(heading), Math.sin(heading)];
  const towards =
    ((forward * cos - left * sin) * LIGHT[0] + (forward * sin + left * cos) * LIGHT[1] + up * LIGHT[2]) / length;
  return 0.78 + 0.34 * towards;
}
