// waypoints + seconds on the way → place, heading and stride

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

/** How long the whole route takes, in seconds. */
export function routeSeconds(route: Route): number {
  const pauses = Object.values(route.pauses ?? {}).reduce((sum, pause) => sum + pause, 0);
  return secondsTo(route, route.points.length - 1) + pauses - (route.pauses?.[route.points.length - 1] ?? 0);
}

/** When the waypoint is reached, pauses before it not counted. */
function secondsTo({ points, speed }: Route, index: number): number {
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
      return {
        x,
        y,
        heading: roundedHeading(route, i, share * length),
        travelled: travelled + share * length,
        moving: true,
      };
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
  const turn = Math.atan2(Math.sin(heading - earlier), Math.cos(heading - earlier));
  return earlier + turn * (walked / 0.5);
}

function distance(from: Waypoint, to: Waypoint): number {
  return Math.hypot(to[0] - from[0], to[1] - from[1]);
}
