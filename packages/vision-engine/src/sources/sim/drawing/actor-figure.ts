import type { Actor } from "../scene.ts";
import { drawForklift } from "./forklift-figure.ts";
import type { Pen } from "./pen.ts";
import { drawPerson } from "./person-figure.ts";
import { drawBicycle, drawDog, drawPackage } from "./small-figures.ts";
import { drawVehicle } from "./vehicle-figure.ts";

/** Metres around its place that an actor and its shadow may take. */
const REACH: Readonly<Record<Actor["kind"], number>> = {
  person: 2.2,
  vehicle: 4.6,
  bicycle: 1.6,
  dog: 1.2,
  forklift: 3.6,
  package: 1.2,
};

/** Whether any of it may be in the picture. */
export function isInView(pen: Pen, { kind, pose }: Actor): boolean {
  return pen.sees([pose.x, pose.y, pose.z ?? 0], REACH[kind]);
}

/** Draws one actor with its shadow. */
export function drawActor(pen: Pen, actor: Actor): void {
  const { pose } = actor;
  if (actor.kind === "person") drawPerson(pen, pose, actor.looks, actor.gait);
  else if (actor.kind === "vehicle") drawVehicle(pen, pose, actor);
  else if (actor.kind === "bicycle") drawBicycle(pen, pose, actor.paint);
  else if (actor.kind === "dog") drawDog(pen, pose, actor);
  else if (actor.kind === "forklift") drawForklift(pen, pose, actor.state);
  else drawPackage(pen, pose, actor);
}
