// waypoints + seconds on the way → place, heading and stride
import { between, pick, type Random } from "../../seeded-random.ts";
import type { Looks } from "./drawing/person-figure.ts";
import type { Actor } from "./scene.ts";

export type Waypoint = readonly [x: number, y: number];

export interface Route {
  readonly points: readonly Waypoint[];
  /** Metres per second. */
  readonly speed: number;
  /** Seconds spent at a waypoint, by its index. */
  readonly pauses?: Readonly<Record<number, number>>;
}

export interface RoutePosition {
  readonly x: number;
  readonly y: number;
  readonly heading: number;
  /** Metres walked so far. */
  readonly travelled: number;
  readonly moving: boolean;
}

/** Seconds on the way to a waypoint, pauses before it not counted. */
export function secondsTo({ points, speed }: Route, index: number): number {
  let metres = 0;
  for (let i = 0; i < index; i++) metres += distance(points[i] as Waypoint, points[i + 1] as Waypoint);
  return metres / speed;
}

/** `undefined` before the start and after the end. */
export function positionOn(route: Route, age: number): RoutePosition | undefined {
  if (age < 0) return undefined;
  let left = age;
  let travelled = 0;
  for (let i = 0; i + 1 < route.points.length; i++) {
    const [from, to] = [route.points[i] as Waypoint, route.points[i + 1] as Waypoint];
    const pause = route.pauses?.[i] ?? 0;
    if (left < pause) return { x: from[0], y: from[1], heading: roundedHeading(route, i, 0), travelled, moving: false };
    left -= pause;
    const length = distance(from, to);
    const seconds = length / route.speed;
    if (left < seconds) {
      const share = left / seconds;
      const [x, y] = [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
      const walked = share * length;
      return { x, y, heading: roundedHeading(route, i, walked), travelled: travelled + walked, moving: true };
    }
    left -= seconds;
    travelled += length;
  }
  return undefined;
}

/** Turns over the first half metre of a leg instead of at once. */
function roundedHeading({ points }: Route, leg: number, walked: number): number {
  const [from, to] = [points[leg] as Waypoint, points[leg + 1] as Waypoint];
  const heading = Math.atan2(to[1] - from[1], to[0] - from[0]);
  const before = points[leg - 1];
  if (before === undefined || walked > 0.5) return heading;
  const earlier = Math.atan2(from[1] - before[1], from[0] - before[0]);
  return earlier + turnBetween(earlier, heading) * (walked / 0.5);
}

/** Radians from one heading to the other, the shorter way round. */
export function turnBetween(from: number, to: number): number {
  return Math.atan2(Math.sin(to - from), Math.cos(to - from));
}

function distance(from: Waypoint, to: Waypoint): number {
  return Math.hypot(to[0] - from[0], to[1] - from[1]);
}

const SKIN = ["#f1c9a5", "#e3b088", "#c98e66", "#a46d48", "#7b4f35"];
const HAIR = ["#2b2220", "#4a3426", "#7a5230", "#b98a4e", "#8d8a86", "#5b2f22"];
const TOPS = "#c8574b #3d6d9a #e0a642 #4f8a6a #f0ece2 #7d5a8c #2f3b4d #d98aa0 #6aa5b5 #8c8f57".split(" ");
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

export type Person = Actor & { readonly kind: "person" };

/** The person somewhere on the route; nobody before and after it. */
export function walkerAt({ id, looks, route, startsAt }: Walk, seconds: number): readonly Person[] {
  const place = positionOn(route, seconds - startsAt);
  if (place === undefined) return [];
  const { x, y, heading, travelled, moving } = place;
  // Two steps of about 0.7 m are one turn.
  const phase = (travelled / (0.82 * looks.height)) * 2 * Math.PI;
  return [{ kind: "person", id, pose: { x, y, heading }, looks, gait: { kind: "walk", phase, reach: moving ? 1 : 0 } }];
}

/** Who is there of those that come in each window of time; those of the window before may be there still. */
export function fromWindows(first: number, last: number, comers: (window: number) => readonly Actor[]): Actor[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at).flatMap(comers);
}
