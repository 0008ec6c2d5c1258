import { rectangleCorners, uprightCircle } from "./flats.ts";
import type { Pen } from "./pen.ts";
import {
  boxFaces,
  type Decal,
  decorated,
  drawShadow,
  drawSolid,
  type Face,
  type Local,
  type Pose,
  projector,
} from "./solid.ts";
import type { ScreenPoint } from "./view.ts";

export interface VehicleMotion {
  /** Metres driven, which turns the wheels. */
  readonly travelled: number;
  readonly braking: boolean;
}

export interface VehicleLooks {
  readonly model: VehicleModel;
  readonly paint: string;
  readonly motion: VehicleMotion;
}

export function drawVehicle(pen: Pen, pose: Pose, { model, paint, motion }: VehicleLooks): void {
  const body = VEHICLE_BODIES[model];
  drawShadow(pen, { ...pose, x: pose.x + 0.12, y: pose.y + 0.1 }, [body.length + 0.15, body.width + 0.25]);
  drawUnderside(pen, pose, body);
  for (const part of body.parts) drawSolid(pen, pose, part, paint);
  drawWheels(pen, pose, body, motion.travelled);
  if (motion.braking) drawBrakeLights(pen, pose, body);
}

function drawUnderside(pen: Pen, pose: Pose, { length, width }: VehicleBody): void {
  const [half, side] = [length / 2 - 0.15, width / 2 - 0.08];
  const corners = rectangleCorners([-half, half], [-side, side], 0.24);
  pen.polygon(corners.map(projector(pen, pose)), "#23262c");
}

/** Only the near side has wheels that a raised camera sees. */
function drawWheels(pen: Pen, pose: Pose, { axles, wheelRadius, width }: VehicleBody, travelled: number): void {
  const project = projector(pen, pose);
  const left = (width / 2) * (project([0, 1, 0]).scale > project([0, -1, 0]).scale ? 1 : -1);
  for (const axle of axles) {
    const at = (radius: number, angle: number): ScreenPoint =>
      project([axle + radius * Math.cos(angle), left, wheelRadius + radius * Math.sin(angle)]);
    const circle = (radius: number, corners: number): ScreenPoint[] =>
      uprightCircle([axle, left, wheelRadius], radius, corners).map(project);
    const arch = Array.from({ length: 9 }, (_, step) => at(wheelRadius + 0.07, (Math.PI * step) / 8));
    pen.paint([arch], "#24272c");
    pen.polygon(circle(wheelRadius, 16), "#2b2d31");
    pen.paint([circle(wheelRadius * 0.62, 12)], "#b9bdc2");
    const spokes = Array.from({ length: 5 }, (_, spoke) => {
      const angle = (2 * Math.PI * spoke) / 5 - travelled / wheelRadius;
      return [
        at(wheelRadius * 0.14, angle),
        at(wheelRadius * 0.52, angle + 0.32),
        at(wheelRadius * 0.52, angle - 0.32),
      ];
    });
    pen.paint(spokes, "#7d838a");
  }
}

function drawBrakeLights(pen: Pen, pose: Pose, { length, width, lampHeight }: VehicleBody): void {
  const project = projector(pen, pose);
  if (project([-length, 0, lampHeight]).scale < project([length, 0, lampHeight]).scale) return;
  for (const side of [-1, 1]) {
    const lamp = project([-length / 2 + 0.08, side * (width / 2 - 0.22), lampHeight]);
    pen.glow(lamp, 0.1 * lamp.scale, "rgba(255,80,60,0.28)");
    pen.glow(lamp, 0.065 * lamp.scale, "#ff6a55");
  }
}

export type VehicleModel = "hatchback" | "sedan" | "van" | "truck";

export interface VehicleBody {
  readonly length: number;
  readonly width: number;
  /** Convex parts, the lower ones first. */
  readonly parts: readonly (readonly Face[])[];
  readonly wheelRadius: number;
  /** Forward positions of the axles. */
  readonly axles: readonly number[];
  /** Height of the rear lamps. */
  readonly lampHeight: number;
}

const GLASS = "#4d6472";
const WINDSCREEN = "#6f8b9a";
const PLASTIC = "#33373d";
const HEADLAMP = "#fff7dc";
const REAR_LAMP = "#b3362f";
const SEAM = "#5a5f66";

/** Half the width of a car. */
const SIDE = 0.88;

export const VEHICLE_BODIES: Readonly<Record<VehicleModel, VehicleBody>> = {
  hatchback: carBody({ length: 3.95, belt: 0.92, cabin: [-1.85, 0.95], roof: [-1.5, 0.22], roofHeight: 1.5 }),
  sedan: carBody({ length: 4.55, belt: 0.88, cabin: [-1.75, 1.15], roof: [-1.05, 0.35], roofHeight: 1.43 }),
  van: carBody({ length: 4.7, belt: 1.08, cabin: [-2.28, 1.65], roof: [-2.15, 0.9], roofHeight: 1.95 }),
  truck: truckBody(),
};

/** Metres. The cabin and its roof reach from the first to the second forward position. */
interface CarShape {
  readonly length: number;
  /** Height at which the cabin begins. */
  readonly belt: number;
  readonly cabin: readonly [rear: number, front: number];
  readonly roof: readonly [rear: number, front: number];
  readonly roofHeight: number;
}

function carBody(shape: CarShape): VehicleBody {
  const half = shape.length / 2;
  return {
    length: shape.length,
    width: 2 * SIDE,
    parts: [hullFaces(shape), cabinFaces(shape)],
    wheelRadius: 0.32,
    axles: [-half + 0.78, half - 0.8],
    lampHeight: shape.belt - 0.33,
  };
}

/** A point of the outline of a car seen from the side. */
type ProfilePoint = readonly [forward: number, up: number];

/** Panels across the car between two points of its outline. */
function across(lower: ProfilePoint, upper: ProfilePoint): (from: number, to: number) => Local[] {
  const at = ([forward, up]: ProfilePoint, left: number): Local => [forward, left, up];
  return (from, to) => [at(lower, from), at(lower, to), at(upper, to), at(upper, from)];
}

/** The lower body: a side profile, drawn from the tail along the floor to the nose and back over the top. */
function hullFaces({ length, belt, cabin }: CarShape): Face[] {
  const half = length / 2;
  const profile: readonly ProfilePoint[] = [
    [-half + 0.06, 0.3],
    [half - 0.08, 0.3],
    [half, 0.5],
    [half - 0.06, belt - 0.22],
    [half - 0.22, belt - 0.12],
    [cabin[1], belt],
    [cabin[0], belt + 0.02],
    [-half + 0.02, belt - 0.1],
    [-half, 0.52],
  ];
  const decalsOfStrip: Readonly<Record<number, readonly Decal[]>> = {
    2: noseDecals(half, belt),
    7: tailDecals(half, belt),
  };
  const strips = profile.map((lower, index): Face => {
    const upper = profile[(index + 1) % profile.length] as ProfilePoint;
    return { points: across(lower, upper)(-SIDE, SIDE), color: "paint", decals: decalsOfStrip[index] ?? [] };
  });
  const flank = (left: number): Local[] => profile.map(([forward, up]) => [forward, left, up]);
  return [
    // The first strip is the floor.
    ...strips.slice(1),
    { points: flank(-SIDE), color: "paint", decals: flankDecals(-SIDE, half, belt) },
    { points: flank(SIDE).reverse(), color: "paint", decals: flankDecals(SIDE, half, belt) },
  ];
}

function flankDecals(left: number, half: number, belt: number): Decal[] {
  const line = (forward: number) => rectangleCorners([forward - 0.012, forward + 0.012], left, [0.45, belt - 0.02]);
  return [
    { shapes: [rectangleCorners([-half + 0.04, half - 0.05], left, [0.3, 0.42])], color: PLASTIC },
    { shapes: [line(0.75), line(-0.35)], color: SEAM },
  ];
}

function noseDecals(half: number, belt: number): Decal[] {
  const panel = across([half - 0.005, belt - 0.42], [half - 0.045, belt - 0.25]);
  return [
    { shapes: [panel(-SIDE + 0.05, -SIDE + 0.38), panel(SIDE - 0.38, SIDE - 0.05)], color: HEADLAMP },
    { shapes: [panel(-0.42, 0.42)], color: PLASTIC },
  ];
}

function tailDecals(half: number, belt: number): Decal[] {
  const panel = across([-half + 0.005, belt - 0.42], [-half + 0.015, belt - 0.22]);
  return [
    { shapes: [panel(-SIDE + 0.04, -SIDE + 0.36), panel(SIDE - 0.36, SIDE - 0.04)], color: REAR_LAMP },
    { shapes: [panel(-0.24, 0.24)], color: "#ece9df" },
  ];
}

function cabinFaces({ belt, cabin, roof, roofHeight }: CarShape): Face[] {
  const low = belt - 0.01;
  const halfWidth = (up: number): number => SIDE - 0.03 - 0.17 * up;
  /** `along` 0 is the rear, 1 the front; `across` -1 right to 1 left; `up` 0 the belt, 1 the roof. */
  const at = (along: number, across: number, up: number): Local => {
    const rear = cabin[0] + (roof[0] - cabin[0]) * up;
    const front = cabin[1] + (roof[1] - cabin[1]) * up;
    return [rear + (front - rear) * along, across * halfWidth(up), low + (roofHeight - low) * up];
  };
  const pane = (left: number, from: number, to: number): Local[] => [
    at(from, left, 0.12),
    at(to, left, 0.12),
    at(to, left, 0.86),
    at(from, left, 0.86),
  ];
  const flank = (left: number): Face => {
    const points = [at(0, left, 0), at(1, left, 0), at(1, left, 1), at(0, left, 1)];
    const decals: Decal[] = [{ shapes: [pane(left, 0.08, 0.48), pane(left, 0.52, 0.93)], color: GLASS }];
    return { points: left < 0 ? points : points.reverse(), color: "paint", decals };
  };
  const screen = (along: number, color: string): Decal => ({
    shapes: [[at(along, -0.88, 0.1), at(along, 0.88, 0.1), at(along, 0.86, 0.9), at(along, -0.86, 0.9)]],
    color,
  });
  return [
    { points: [at(1, -1, 1), at(1, 1, 1), at(0, 1, 1), at(0, -1, 1)], color: "paint" },
    { points: [at(1, -1, 0), at(1, 1, 0), at(1, 1, 1), at(1, -1, 1)], color: "paint", decals: [screen(1, WINDSCREEN)] },
    { points: [at(0, 1, 0), at(0, -1, 0), at(0, -1, 1), at(0, 1, 1)], color: "paint", decals: [screen(0, GLASS)] },
    flank(-1),
    flank(1),
  ];
}

function truckBody(): VehicleBody {
  const window = (left: number): Decal => ({
    shapes: [rectangleCorners([1.85, 2.8], left, [1.35, 2.15])],
    color: GLASS,
  });
  const stripe = (left: number): Decal => ({
    shapes: [rectangleCorners([-3, 1.2], left, [1.15, 1.45])],
    color: "paint",
  });
  const lamp = (from: number): readonly Local[] => rectangleCorners(3, [from, from + 0.32], [0.66, 0.82]);
  const front: readonly Decal[] = [
    { shapes: [rectangleCorners(3, [-0.86, 0.86], [1.35, 2.2])], color: WINDSCREEN },
    { shapes: [lamp(-0.91), lamp(0.59)], color: HEADLAMP },
  ];
  return {
    length: 6,
    width: 2.2,
    parts: [
      decorated(boxFaces([1.7, 2.05, 1.95], [2.15, 0, 0.45], "paint"), {
        1: front,
        2: [window(1.025)],
        4: [window(-1.025)],
      }),
      decorated(boxFaces([4.2, 2.2, 2.3], [-0.9, 0, 0.6], "#eceae4"), { 2: [stripe(1.1)], 4: [stripe(-1.1)] }),
    ],
    wheelRadius: 0.42,
    axles: [-1.9, 2.05],
    lampHeight: 0.75,
  };
}
