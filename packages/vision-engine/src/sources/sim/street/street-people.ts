// time windows + seed → people on the pavements and on the crossing

import { between, createRandom, pick, type Random } from "../../../seeded-random.ts";
import { randomLooks, type Walk, walkerAt } from "../crowd.ts";
import { type Route, routeSeconds, type Waypoint } from "../route.ts";
import type { Actor } from "../scene.ts";
import { PATHS, ZEBRA } from "./street-layout.ts";
import { CYCLE } from "./street-traffic.ts";

interface Flow {
  readonly key: number;
  readonly y: number;
  readonly from: number;
  readonly to: number;
  /** One person may come in each window of so many seconds. */
  readonly windowSeconds: number;
  readonly chance: number;
}

const FLOWS: readonly Flow[] = [
  { key: 1, y: PATHS.nearEast, from: -13, to: 13, windowSeconds: 10, chance: 0.8 },
  { key: 2, y: PATHS.nearWest, from: 13, to: -13, windowSeconds: 11, chance: 0.8 },
  { key: 3, y: PATHS.farEast, from: -17, to: 22, windowSeconds: 9, chance: 0.85 },
  { key: 4, y: PATHS.farWest, from: 22, to: -17, windowSeconds: 9, chance: 0.85 },
];

const COATS = ["#8a5a34", "#d8c3a0", "#3a3330", "#b58a5a"];

export function peopleAt(seconds: number, seed: number): Actor[] {
  return [...FLOWS.flatMap((flow) => flowAt(flow, seconds, seed)), ...crossersAt(seconds, seed)];
}

function flowAt(flow: Flow, seconds: number, seed: number): Actor[] {
  const longest = Math.abs(flow.to - flow.from) / 1.05;
  const last = Math.floor(seconds / flow.windowSeconds);
  const first = Math.floor((seconds - longest) / flow.windowSeconds);
  const actors: Actor[] = [];
  for (let window = first; window <= last; window++) {
    const random = createRandom(seed, flow.key, window);
    if (random() > flow.chance) continue;
    const y = flow.y + between(random, -0.28, 0.28);
    const walk: Walk = {
      id: `walker${flow.key}:${window}`,
      looks: randomLooks(random),
      route: {
        points: [
          [flow.from, y],
          [flow.to, y],
        ],
        speed: between(random, 1.1, 1.55),
      },
      startsAt: (window + random() * 0.9) * flow.windowSeconds,
    };
    const walker = walkerAt(walk, seconds);
    if (walker === undefined) continue;
    actors.push(walker);
    if (random() < 0.14) actors.push(dogOf(walker, pick(random, COATS)));
  }
  return actors;
}

function dogOf({ id, pose, looks, gait }: Actor & { kind: "person" }, coat: string): Actor {
  const ahead = pose.heading === 0 ? 1 : -1;
  const phase = gait.kind === "walk" ? gait.phase * 1.7 : 0;
  const sway = 0.12 * Math.sin(phase / (4 * looks.height));
  return {
    kind: "dog",
    id: `dog-of-${id}`,
    pose: { ...pose, x: pose.x + ahead * (0.95 + sway), y: pose.y - 0.25 },
    coat,
    phase,
    leash: [pose.x + ahead * 0.12, pose.y - 0.24, 0.86],
  };
}

/** Up to three people per round come to the crossing, wait for their turn and go over. */
function crossersAt(seconds: number, seed: number): Actor[] {
  const actors: Actor[] = [];
  const now = Math.floor(seconds / CYCLE);
  for (let cycle = now - 2; cycle <= now + 2; cycle++) {
    const random = createRandom(seed, 5, cycle);
    const count = 1 + Math.floor(random() * 3);
    for (let index = 0; index < count; index++) {
      const walker = walkerAt(crossing(random, cycle, index), seconds);
      if (walker !== undefined) actors.push(walker);
    }
  }
  return actors;
}

function crossing(random: Random, cycle: number, index: number): Walk {
  const x = ZEBRA.middle + (index - 1) * 0.85 + between(random, -0.2, 0.2);
  const far: Waypoint[] = [
    [random() < 0.6 ? -17 : 22, PATHS.farEast + 0.5],
    [x, PATHS.farEast + 0.3],
    [x, 9.75],
  ];
  const near: Waypoint[] = [
    [x, -0.35],
    [x, PATHS.nearEast - 0.4],
    [random() < 0.6 ? -13 : 13, PATHS.nearEast - 0.5],
  ];
  const points = random() < 0.5 ? [...far, ...near] : [...near.toReversed(), ...far.toReversed()];
  const wait = between(random, 0.3, 4);
  const route: Route = { points, speed: between(random, 1.3, 1.55), pauses: { 2: wait } };
  const approach = routeSeconds({ points: points.slice(0, 3), speed: route.speed });
  const startsAt = cycle * CYCLE + index * 0.5 - wait - approach;
  return { id: `crosser:${cycle}:${index}`, looks: randomLooks(random), route, startsAt };
}
