import type { Pen } from "./pen.ts";
import { drawRoundShadow, type Local, type Pose, projector } from "./solid.ts";
import { type ScreenPoint, shade } from "./view.ts";

export interface Looks {
  /** Metres. */
  readonly height: number;
  readonly skin: string;
  readonly hair: string;
  readonly hairstyle: "short" | "long" | "helmet";
  readonly top: string;
  readonly trousers: string;
  readonly shoes: string;
  readonly backpack?: string;
  /** A vest with reflecting stripes over the top. */
  readonly vest?: string;
}

/** What the limbs do. */
export type Gait =
  /** `phase` in radians, one turn is two steps; `reach` 0 stands still, 1 walks. */
  | { readonly kind: "walk"; readonly phase: number; readonly reach: number; readonly carrying?: boolean }
  /** On a bicycle; `phase` is the angle of the cranks. */
  | { readonly kind: "ride"; readonly phase: number }
  /** At a wheel; only what is above the hip is drawn. */
  | { readonly kind: "drive" };

interface Limb {
  readonly upper: Local;
  readonly middle: Local;
  readonly end: Local;
  readonly toe?: Local;
}

interface Skeleton {
  readonly hip: number;
  readonly lean: number;
  readonly legs: readonly [left: Limb, right: Limb] | undefined;
  readonly arms: readonly [left: Limb, right: Limb];
}

const THIGH = 0.43;
const SHANK = 0.42;
const SHOULDER = 0.53;

/** Draws a person about 1.75 m high, scaled to the looks. */
export function drawPerson(pen: Pen, pose: Pose, looks: Looks, gait: Gait): void {
  const size = looks.height / 1.75;
  if (gait.kind === "walk") drawRoundShadow(pen, pose, 0.34 * size);
  const skeleton = skeletonOf(gait);
  const project = projector(pen, pose);
  const at = ([forward, left, up]: Local): ScreenPoint => project([forward * size, left * size, up * size]);
  const leftIsNear = at([0, 0.3, 1]).scale > at([0, -0.3, 1]).scale;
  const [near, far] = leftIsNear ? ([0, 1] as const) : ([1, 0] as const);
  const limb = { pen, at, size };
  drawArm(limb, skeleton.arms[far], looks, 0.8);
  if (skeleton.legs !== undefined) {
    drawLeg(limb, skeleton.legs[far], looks, 0.82);
    drawLeg(limb, skeleton.legs[near], looks, 1);
  }
  const showsBack = at([-0.3, 0, 1]).scale > at([0.3, 0, 1]).scale;
  if (!showsBack) drawBackpack(limb, skeleton, looks);
  drawTorso(limb, skeleton, looks);
  if (showsBack) drawBackpack(limb, skeleton, looks);
  drawHead(limb, skeleton, looks, showsBack);
  drawArm(limb, skeleton.arms[near], looks, 1.04);
}

interface Sketch {
  readonly pen: Pen;
  readonly at: (local: Local) => ScreenPoint;
  readonly size: number;
}

function skeletonOf(gait: Gait): Skeleton {
  if (gait.kind === "ride") return ridingSkeleton(gait.phase);
  if (gait.kind === "drive") return drivingSkeleton();
  const swing = 0.44 * gait.reach;
  const legs = [legAt(0.09, gait.phase, swing), legAt(-0.09, gait.phase + Math.PI, swing)] as const;
  const hip = 0.05 - Math.min(legs[0].end[2], legs[1].end[2]);
  const lift = (limb: Limb): Limb => ({
    upper: raise(limb.upper, hip),
    middle: raise(limb.middle, hip),
    end: raise(limb.end, hip),
    ...(limb.toe && { toe: raise(limb.toe, hip) }),
  });
  const shoulder = hip + SHOULDER;
  const arm = (side: number, phase: number): Limb =>
    gait.carrying === true ? carryingArm(side, shoulder) : swingingArm(side, phase, swing, shoulder);
  return {
    hip,
    lean: 0.03 * gait.reach,
    legs: [lift(legs[0]), lift(legs[1])],
    arms: [arm(0.2, gait.phase + Math.PI), arm(-0.2, gait.phase)],
  };
}

function legAt(side: number, phase: number, swing: number): Limb {
  const thigh = swing * Math.sin(phase);
  const bend = 1.7 * swing * Math.max(0, Math.cos(phase)) + 0.06;
  const knee: Local = [THIGH * Math.sin(thigh), side, -THIGH * Math.cos(thigh)];
  const shank = thigh - bend;
  const ankle: Local = [knee[0] + SHANK * Math.sin(shank), side, knee[2] - SHANK * Math.cos(shank)];
  const pitch = 0.8 * Math.min(0, shank);
  return {
    upper: [0, side, 0],
    middle: knee,
    end: ankle,
    toe: [ankle[0] + 0.15 * Math.cos(pitch), side, ankle[2] + 0.15 * Math.sin(pitch) + 0.005],
  };
}

function swingingArm(side: number, phase: number, swing: number, shoulder: number): Limb {
  const upper = 0.85 * swing * Math.sin(phase);
  const elbow: Local = [0.3 * Math.sin(upper), side * 1.12, shoulder - 0.3 * Math.cos(upper)];
  const lower = upper + 0.2 + 0.5 * swing;
  return {
    upper: [0, side, shoulder],
    middle: elbow,
    end: [elbow[0] + 0.27 * Math.sin(lower), side * 1.1, elbow[2] - 0.27 * Math.cos(lower)],
  };
}

function carryingArm(side: number, shoulder: number): Limb {
  return {
    upper: [0, side, shoulder],
    middle: [0.08, side * 1.1, shoulder - 0.28],
    end: [0.36, side * 0.85, shoulder - 0.3],
  };
}

function ridingSkeleton(phase: number): Skeleton {
  const hip = 0.98;
  const leg = (side: number, angle: number): Limb => {
    const foot: Local = [0.22 + 0.17 * Math.cos(angle), side, 0.34 + 0.17 * Math.sin(angle)];
    const knee: Local = [foot[0] / 2 + 0.22, side, (foot[2] + hip) / 2 + 0.06];
    return { upper: [0, side, hip], middle: knee, end: foot, toe: [foot[0] + 0.13, side, foot[2] - 0.02] };
  };
  const arm = (side: number): Limb => ({
    upper: [0.2, side, hip + SHOULDER - 0.05],
    middle: [0.4, side * 1.15, hip + 0.24],
    end: [0.6, side * 1.1, hip + 0.12],
  });
  return { hip, lean: 0.2, legs: [leg(0.08, phase), leg(-0.08, phase + Math.PI)], arms: [arm(0.2), arm(-0.2)] };
}

function drivingSkeleton(): Skeleton {
  const arm = (side: number): Limb => ({
    upper: [0, side, SHOULDER],
    middle: [0.14, side * 1.15, SHOULDER - 0.26],
    end: [0.38, side * 0.7, SHOULDER - 0.26],
  });
  return { hip: 0, lean: 0, legs: undefined, arms: [arm(0.2), arm(-0.2)] };
}

function drawLeg({ pen, at, size }: Sketch, leg: Limb, looks: Looks, light: number): void {
  const color = shade(looks.trousers, light);
  const [hip, knee, ankle] = [at(leg.upper), at(leg.middle), at(leg.end)];
  if (leg.toe !== undefined) pen.capsule(ankle, at(leg.toe), 0.048 * size, shade(looks.shoes, light));
  pen.capsule(hip, knee, 0.09 * size, color);
  pen.capsule(knee, ankle, 0.066 * size, color);
}

function drawArm({ pen, at, size }: Sketch, arm: Limb, looks: Looks, light: number): void {
  const sleeve = shade(looks.top, light * 0.94);
  const [shoulder, elbow, hand] = [at(arm.upper), at(arm.middle), at(arm.end)];
  pen.disc(hand, 0.05 * size, shade(looks.skin, light));
  pen.capsule(shoulder, elbow, 0.06 * size, sleeve);
  pen.capsule(elbow, hand, 0.048 * size, sleeve);
}

function drawTorso({ pen, at, size }: Sketch, { hip, lean }: Skeleton, looks: Looks): void {
  const rounding = 0.105 * size;
  const outline: readonly Local[] = [
    [0, 0.075, hip + 0.02],
    [lean, 0.115, hip + SHOULDER - 0.06],
    [lean, -0.115, hip + SHOULDER - 0.06],
    [0, -0.075, hip + 0.02],
  ];
  const points = outline.map(at);
  const scale = (points[0] as ScreenPoint).scale;
  pen.polygon(points, shade(looks.vest ?? looks.top, 1), rounding * scale);
  if (looks.vest !== undefined) drawStripes({ pen, at, size }, hip);
}

function drawStripes({ pen, at, size }: Sketch, hip: number): void {
  const stripes = [0.14, 0.28].map((height) => {
    const [left, right] = [at([0.02, 0.1, hip + height]), at([0.02, -0.1, hip + height])];
    const half = 0.085 * size * left.scale;
    const [from, to] = left.x < right.x ? [left, right] : [right, left];
    const thick = 0.025 * size * left.scale;
    const corner = (point: ScreenPoint, dx: number, dy: number): ScreenPoint => ({
      ...point,
      x: point.x + dx,
      y: point.y + dy,
    });
    return [corner(from, -half, -thick), corner(to, half, -thick), corner(to, half, thick), corner(from, -half, thick)];
  });
  pen.paint(stripes, "#eef1ea");
}

function drawBackpack({ pen, at, size }: Sketch, { hip, lean }: Skeleton, looks: Looks): void {
  if (looks.backpack === undefined) return;
  const back = lean - 0.17;
  pen.capsule(at([back, 0, hip + 0.16]), at([back, 0, hip + 0.4]), 0.12 * size, shade(looks.backpack, 0.95));
}

function drawHead({ pen, at, size }: Sketch, { hip, lean }: Skeleton, looks: Looks, showsBack: boolean): void {
  const height = hip + SHOULDER + 0.2;
  const forward = lean * 1.25;
  pen.capsule(at([lean, 0, hip + SHOULDER]), at([forward, 0, height]), 0.05 * size, shade(looks.skin, 0.88));
  const hair = shade(looks.hair, 1);
  if (looks.hairstyle === "long") {
    pen.capsule(at([forward - 0.05, 0, height + 0.02]), at([forward - 0.08, 0, height - 0.14]), 0.1 * size, hair);
  }
  pen.disc(at([forward - 0.01, 0, height + 0.025]), 0.118 * size, hair);
  if (!showsBack) pen.disc(at([forward + 0.045, 0, height - 0.02]), 0.094 * size, shade(looks.skin, 1));
  if (looks.hairstyle === "helmet") {
    pen.capsule(at([forward - 0.06, 0, height + 0.07]), at([forward + 0.06, 0, height + 0.07]), 0.085 * size, hair);
  }
}

function raise([forward, left, up]: Local, by: number): Local {
  return [forward, left, up + by];
}
