// scene time + seed → actors
import type { ForkliftState } from "./drawing/forklift-figure.ts";
import type { Pen } from "./drawing/pen.ts";
import type { Gait, Looks } from "./drawing/person-figure.ts";
import type { Pose } from "./drawing/solid.ts";
import type { VehicleModel, VehicleMotion } from "./drawing/vehicle-figure.ts";
import type { CameraPose, Vec3 } from "./drawing/view.ts";

/** Ids as in COCO where the class exists there, then on from 80. */
export const SCENE_CLASS_IDS = {
  person: 0,
  bicycle: 1,
  car: 2,
  truck: 7,
  dog: 16,
  forklift: 80,
  package: 81,
} as const;
export type SceneClass = keyof typeof SCENE_CLASS_IDS;

/** Something that moves, or may be taken away. */
export type Actor = { readonly id: string; readonly pose: Pose } & (
  | { readonly kind: "person"; readonly looks: Looks; readonly gait: Gait }
  | { readonly kind: "vehicle"; readonly model: VehicleModel; readonly paint: string; readonly motion: VehicleMotion }
  | { readonly kind: "bicycle"; readonly paint: string }
  | { readonly kind: "dog"; readonly coat: string; readonly phase: number; readonly leash: Vec3 }
  | { readonly kind: "forklift"; readonly state: ForkliftState }
  | { readonly kind: "package"; readonly size: Vec3; readonly color: string }
);

/** Something that stands still and may hide actors. */
export interface SceneProp {
  /** Metres away, which decides what hides what. */
  readonly y: number;
  draw(pen: Pen): void;
}

/** The same thing at several places. */
export function placed(
  draw: (pen: Pen, x: number, y: number) => void,
  ...places: readonly (readonly [x: number, y: number])[]
): SceneProp[] {
  return places.map(([x, y]) => ({ y, draw: (pen) => draw(pen, x, y) }));
}

/** A little world. Everything in it is a pure function of time and seed. */
export interface Scene {
  readonly name: string;
  readonly camera: CameraPose;
  /** Who is where; seconds may be any number, the world never repeats. */
  actorsAt(seconds: number, seed: number): readonly Actor[];
  /** All that never changes and hides nobody. Drawn once per view. */
  drawBackdrop(pen: Pen, seed: number): void;
  readonly props: readonly SceneProp[];
}

export function classOf(actor: Actor): SceneClass {
  if (actor.kind !== "vehicle") return actor.kind;
  return actor.model === "truck" ? "truck" : "car";
}
