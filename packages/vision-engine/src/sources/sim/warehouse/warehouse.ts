// time windows + seed → workers and the packages they bring and take

import { between, createRandom, pick, type Random } from "../../../seeded-random.ts";
import {
  fromWindows,
  type Person,
  type Route,
  randomWorker,
  secondsTo,
  turnBetween,
  type Walk,
  walkerAt,
} from "../crowd.ts";
import type { Vec3 } from "../drawing/view.ts";
import type { Actor, Scene } from "../scene.ts";
import { drawWarehouseBackdrop } from "./warehouse-backdrop.ts";
import { DOORS, LOADING_ZONE, SPOTS, WALKWAY, WAREHOUSE_CAMERA, WAREHOUSE_PROPS } from "./warehouse-layout.ts";

/** A hall with racks, dock doors and a marked loading zone. */
export const warehouse: Scene = {
  name: "warehouse",
  camera: WAREHOUSE_CAMERA,
  actorsAt: (seconds, seed) => [
    forkliftAt(seconds, seed),
    ...walkwayAt(seconds, seed),
    ...zoneVisitAt(seconds, seed),
    ...SPOTS.flatMap((_, spot) => packagesAt(spot, seconds, seed)),
  ],
  drawBackdrop: drawWarehouseBackdrop,
  props: WAREHOUSE_PROPS,
};

const WALKWAY_WINDOW = 9;

/** People who only pass, along the green walkway. */
function walkwayAt(seconds: number, seed: number): Actor[] {
  const last = Math.floor(seconds / WALKWAY_WINDOW);
  return fromWindows(last - 3, last, (window) => {
    const random = createRandom(seed, 30, window);
    if (random() > 0.8) return [];
    const goesRight = random() < 0.5;
    const y = goesRight ? between(random, 1.2, 1.8) : between(random, 2.2, 2.8);
    const points = [
      [-9, y],
      [9.5, y],
    ] as const;
    const passer: Walk = {
      id: `passer:${window}`,
      looks: randomWorker(random),
      route: { points: goesRight ? points : points.toReversed(), speed: between(random, 1.15, 1.5) },
      startsAt: (window + random()) * WALKWAY_WINDOW,
    };
    return walkerAt(passer, seconds);
  });
}

/** While the forklift is away somebody checks the loading zone, three rounds of four. */
function zoneVisitAt(seconds: number, seed: number): readonly Actor[] {
  const round = Math.floor(seconds / ROUND);
  const random = createRandom(seed, 31, round);
  if (random() > 0.75) return [];
  const { left, right, near, far } = LOADING_ZONE;
  const route: Route = {
    points: [
      [11.5, between(random, 4.6, 5.6)],
      [right - 0.9, near + 1],
      [between(random, left + 1, right - 2), between(random, near + 1.2, far - 1)],
      [between(random, left + 0.6, left + 2), near - 1.2],
      [-1, WALKWAY.far - 0.4],
      [-9, WALKWAY.far - 0.6],
    ],
    speed: 1.45,
    pauses: { 1: 1.2, 2: between(random, 1.5, 3) },
  };
  const looks = randomWorker(random);
  return walkerAt({ id: `checker:${round}`, looks, route, startsAt: round * ROUND + ZONE_FREE.from - 3 }, seconds);
}

/** Seconds from one package on a spot to the next. */
const STAY_WINDOW = 76;
const LIFT_SECONDS = 0.9;
const TURN_SECONDS = 0.5;
/** So long a worker stands at the spot. */
const WORK_SECONDS = 1.4;

/** A package is brought, stands for a while and is carried away. */
function packagesAt(spot: number, seconds: number, seed: number): Actor[] {
  const shifted = seconds - spot * (STAY_WINDOW / SPOTS.length);
  const window = Math.floor(shifted / STAY_WINDOW);
  return fromWindows(window - 1, window + 1, (index) =>
    deliveryAt(spot, index, seconds, createRandom(seed, 32, spot, index)),
  );
}

function deliveryAt(spot: number, index: number, seconds: number, random: Random): Actor[] {
  // The bringer sets out.
  const start = (index + spot / SPOTS.length) * STAY_WINDOW;
  const [x, y] = SPOTS[spot] as (typeof SPOTS)[number];
  const size: Vec3 = [between(random, 0.42, 0.62), between(random, 0.38, 0.5), between(random, 0.3, 0.46)];
  const color = pick(random, ["#c9a06c", "#bd9160", "#d2ad7c", "#b98b5c"]);
  const bring: Route = {
    points: [
      [10.5, WALKWAY.near + 1.4],
      [x + 0.62, y],
      [x + 0.5, WALKWAY.far - 0.3],
      [-9, WALKWAY.near + 1],
    ],
    speed: 1.3,
    pauses: { 1: WORK_SECONDS },
  };
  const take: Route = {
    points: [
      [-9, WALKWAY.near + 1.2],
      [x - 1.2, WALKWAY.far - 0.2],
      [x - 0.62, y],
      [x + 2, WALKWAY.far - 0.2],
      [10.5, WALKWAY.near + 1.6],
    ],
    speed: 1.3,
    pauses: { 2: WORK_SECONDS },
  };
  const putDown = start + secondsTo(bring, 1);
  const pickUp = putDown + between(random, 22, 34);
  const bringer: Walk = { id: `bringer:${spot}:${index}`, looks: randomWorker(random), route: bring, startsAt: start };
  const startsAt = pickUp - secondsTo(take, 2);
  const taker: Walk = { id: `taker:${spot}:${index}`, looks: randomWorker(random), route: take, startsAt };
  const inBringersArms = seconds < putDown + LIFT_SECONDS;
  const work = (walk: Walk, at: number, facing: number, carrying: boolean): readonly Person[] =>
    walkerAt(walk, seconds).map((walker) => atWork(walker, { facing, carrying, since: seconds - at }));
  const brings = work(bringer, putDown, Math.PI, inBringersArms);
  const takes = work(taker, pickUp, 0, seconds > pickUp);
  const floor = { x, y, z: 0, heading: Math.PI };
  /** In arms, on its way to or from the floor, or on the floor. */
  const boxes = (): readonly Required<Actor["pose"]>[] => {
    if (inBringersArms) return brings.map((by) => between3(inArms(by), floor, (seconds - putDown) / LIFT_SECONDS));
    if (seconds < pickUp) return [floor];
    return takes.map((by) => between3(floor, inArms(by), (seconds - pickUp) / LIFT_SECONDS));
  };
  const id = `package:${spot}:${index}`;
  return [...brings, ...takes, ...boxes().map((pose) => ({ kind: "package", id, pose, size, color }) as const)];
}

/** Turns to the spot on arrival and away from it on leaving; `since` is seconds after the arrival. */
function atWork(
  walker: Person,
  { facing, carrying, since }: { readonly facing: number; readonly carrying: boolean; readonly since: number },
): Person {
  if (walker.gait.kind !== "walk") return walker;
  const turned = Math.min(since / TURN_SECONDS, 1 - (since - WORK_SECONDS) / TURN_SECONDS);
  const { heading } = walker.pose;
  const turn = turnBetween(heading, facing) * Math.min(1, Math.max(0, turned));
  return { ...walker, pose: { ...walker.pose, heading: heading + turn }, gait: { ...walker.gait, carrying } };
}

function inArms({ pose }: Person): Required<Actor["pose"]> {
  const reach = 0.46;
  // A little nearer to us than its bearer, so that it is drawn on top.
  return {
    x: pose.x + reach * Math.cos(pose.heading),
    y: pose.y + reach * Math.sin(pose.heading) - 0.01,
    z: 0.92,
    heading: pose.heading,
  };
}

function between3(from: Required<Actor["pose"]>, to: Required<Actor["pose"]>, share: number): Required<Actor["pose"]> {
  const part = Math.min(1, Math.max(0, share));
  const blend = (key: "x" | "y" | "z"): number => from[key] + (to[key] - from[key]) * part;
  return { x: blend("x"), y: blend("y"), z: blend("z"), heading: part < 1 ? from.heading : to.heading };
}

/** Seconds from one pallet to the next. */
const ROUND = 44;
/** Seconds of a round in which the forklift is away from the loading zone. */
const ZONE_FREE = { from: 13, to: 35 } as const;

interface Keyframe {
  readonly second: number;
  readonly x: number;
  readonly y: number;
  readonly heading: number;
  readonly fork: number;
  /** From here to the next keyframe. */
  readonly loaded: boolean;
}

const AWAY = Math.PI / 2;
const DOCK = DOORS[1];
const RACK = -5.2;
const AISLE = 8.3;

const SHIFT: readonly Keyframe[] = [
  { second: 0, x: DOCK, y: 11.9, heading: AWAY, fork: 0.1, loaded: true },
  { second: 2, x: DOCK, y: 11.9, heading: AWAY, fork: 0.35, loaded: true },
  { second: 6.5, x: DOCK, y: AISLE, heading: AWAY, fork: 0.35, loaded: true },
  { second: 9, x: DOCK - 0.6, y: AISLE, heading: Math.PI, fork: 0.25, loaded: true },
  { second: 17, x: RACK + 0.5, y: AISLE, heading: Math.PI, fork: 0.25, loaded: true },
  { second: 19.5, x: RACK, y: AISLE, heading: AWAY, fork: 0.25, loaded: true },
  { second: 22, x: RACK, y: 8.9, heading: AWAY, fork: 1.75, loaded: true },
  { second: 25, x: RACK, y: 11, heading: AWAY, fork: 1.75, loaded: true },
  { second: 27, x: RACK, y: 11, heading: AWAY, fork: 1.62, loaded: false },
  { second: 30, x: RACK, y: AISLE, heading: AWAY, fork: 0.6, loaded: false },
  { second: 32, x: RACK + 0.5, y: AISLE, heading: 0, fork: 0.1, loaded: false },
  { second: 38.5, x: DOCK - 0.5, y: AISLE, heading: 0, fork: 0.1, loaded: false },
  { second: 40.5, x: DOCK, y: AISLE, heading: AWAY, fork: 0.1, loaded: false },
  { second: 44, x: DOCK, y: 11.9, heading: AWAY, fork: 0.1, loaded: false },
];

function forkliftAt(seconds: number, seed: number): Actor {
  const round = Math.floor(seconds / ROUND);
  const second = seconds - round * ROUND;
  const next = SHIFT.findIndex((frame) => frame.second > second);
  const [from, to] = [SHIFT[next - 1] as Keyframe, SHIFT[next] as Keyframe];
  const share = (second - from.second) / (to.second - from.second);
  const eased = share * share * (3 - 2 * share);
  const blend = (key: "x" | "y" | "heading" | "fork"): number => from[key] + (to[key] - from[key]) * eased;
  // Drivers change every hour or so.
  const driver = randomWorker(createRandom(seed, 40, Math.floor(round / 80)));
  return {
    kind: "forklift",
    id: "forklift",
    pose: { x: blend("x"), y: blend("y"), heading: blend("heading") },
    state: { driver, forkHeight: blend("fork"), loaded: from.loaded },
  };
}
