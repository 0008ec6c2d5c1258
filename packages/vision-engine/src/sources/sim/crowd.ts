import { between, pick, type Random } from "../../seeded-random.ts";
import type { Looks } from "./drawing/person-figure.ts";
import { positionOn, type Route } from "./route.ts";
import type { Actor } from "./scene.ts";

const SKIN = ["#f1c9a5", "#e3b088", "#c98e66", "#a46d48", "#7b4f35"];
const HAIR = ["#2b2220", "#4a3426", "#7a5230", "#b98a4e", "#8d8a86", "#5b2f22"];
const TOPS = [
  "#c8574b",
  "#3d6d9a",
  "#e0a642",
  "#4f8a6a",
  "#f0ece2",
  "#7d5a8c",
  "#2f3b4d",
  "#d98aa0",
  "#6aa5b5",
  "#8c8f57",
];
const TROUSERS = ["#2f3a4f", "#4a4f59", "#6b5b4b", "#27292e", "#7c8794", "#3f5446"];
const SHOES = ["#26272b", "#ece8df", "#6a4a36", "#8c3b35"];
const BAGS = ["#344f6b", "#8a3f3a", "#5d6b4a", "#2d2f35"];

export function randomLooks(random: Random): Looks {
  const looks: Looks = {
    height: between(random, 1.58, 1.88),
    skin: pick(random, SKIN),
    hair: pick(random, HAIR),
    hairstyle: random() < 0.4 ? "long" : "short",
    top: pick(random, TOPS),
    trousers: pick(random, TROUSERS),
    shoes: pick(random, SHOES),
  };
  return random() < 0.3 ? { ...looks, backpack: pick(random, BAGS) } : looks;
}

export function randomWorker(random: Random): Looks {
  return {
    height: between(random, 1.64, 1.88),
    skin: pick(random, SKIN),
    hair: pick(random, ["#f4f1e8", "#e9b93a", "#3d74b8"]),
    hairstyle: "helmet",
    top: pick(random, ["#44505e", "#5a5f52", "#6b4c44", "#38506b"]),
    trousers: pick(random, ["#2f3a4f", "#3b3f45", "#4d4a42"]),
    shoes: "#26272b",
    vest: pick(random, ["#d9ea3c", "#d9ea3c", "#ff8b2e"]),
  };
}

export interface Walk {
  readonly id: string;
  readonly looks: Looks;
  readonly route: Route;
  /** Scene second at which the route begins. */
  readonly startsAt: number;
}

/** The person somewhere on the route, or `undefined` before and after it. */
export function walkerAt(
  { id, looks, route, startsAt }: Walk,
  seconds: number,
): (Actor & { kind: "person" }) | undefined {
  const place = positionOn(route, seconds - startsAt);
  if (place === undefined) return undefined;
  const { x, y, heading, travelled, moving } = place;
  return {
    kind: "person",
    id,
    pose: { x, y, heading },
    looks,
    gait: { kind: "walk", phase: strideOf(travelled, looks.height), reach: moving ? 1 : 0 },
  };
}

/** Radians of the walk after so many metres: two steps of about 0.7 m are one turn. */
function strideOf(travelled: number, height: number): number {
  return (travelled / (0.82 * height)) * 2 * Math.PI;
}
