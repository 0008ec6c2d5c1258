import type { Scene } from "../scene.ts";
import { drawStreetBackdrop } from "./street-backdrop.ts";
import { STREET_CAMERA } from "./street-layout.ts";
import { peopleAt } from "./street-people.ts";
import { drawProp, STREET_PROPS } from "./street-props.ts";
import { trafficAt } from "./street-traffic.ts";

/** A quiet street in daylight, seen from a first floor. */
export const street: Scene = {
  name: "street",
  camera: STREET_CAMERA,
  actorsAt: (seconds, seed) => [...trafficAt(seconds, seed), ...peopleAt(seconds, seed)],
  drawBackdrop: drawStreetBackdrop,
  props: STREET_PROPS.map((prop) => ({ y: prop.y, draw: (pen) => drawProp(pen, prop) })),
};
