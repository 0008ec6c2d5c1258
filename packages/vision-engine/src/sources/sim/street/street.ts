// time windows + seed → people on the pavements and on the crossing

import { between, createRandom, pick, type Random } from "../../../seeded-random.ts";
import {
  fromWindows,
  type Person,
  type Route,
  randomLooks,
  secondsTo,
  type Walk,
  type Waypoint,
  walkerAt,
} from "../crowd.ts";
import { VEHICLE_BODIES, type VehicleModel } from "../drawing/vehicle-figure.ts";
import type { Actor, Scene } from "../scene.ts";
import { drawStreetBackdrop } from "./street-backdrop.ts";
import { LANES, PATHS, STREET_CAMERA, STREET_PROPS, ZEBRA } from "./street-layout.ts";

/** A quiet street in daylight, seen from a first floor. */
export const street: Scene = {
  name: "street",
  camera: STREET_CAMERA,
  actorsAt: (seconds, seed) => [
    ...trafficAt(seconds, seed),
    ...FLOWS.flatMap((flow) => flowAt(flow, seconds, seed)),
    ...crossersAt(seconds, seed),
  ],
  drawBackdrop: drawStreetBackdrop,
  props: STREET_PROPS,
};

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

function flowAt(flow: Flow, seconds: number, seed: number): Actor[] {
  const longest = Math.abs(flow.to - flow.from) / 1.05;
  const last = Math.floor(seconds / flow.windowSeconds);
  const first = Math.floor((seconds - longest) / flow.windowSeconds);
  return fromWindows(first, last, (window) => {
    const random = createRandom(seed, flow.key, window);
    if (random() > flow.chance) return [];
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
    return walkerAt(walk, seconds).flatMap((walker): Actor[] =>
      random() < 0.14 ? [walker, dogOf(walker, pick(random, COATS))] : [walker],
    );
  });
}

function dogOf({ id, pose, looks, gait }: Person, coat: string): Actor {
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
  const now = Math.floor(seconds / CYCLE);
  return fromWindows(now - 2, now + 2, (cycle) => {
    const random = createRandom(seed, 5, cycle);
    const count = 1 + Math.floor(random() * 3);
    return Array.from({ length: count }, (_, index) => walkerAt(crossing(random, cycle, index), seconds)).flat();
  });
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
  const startsAt = cycle * CYCLE + index * 0.5 - wait - secondsTo(route, 2);
  return { id: `crosser:${cycle}:${index}`, looks: randomLooks(random), route, startsAt };
}

/** Seconds of one round: first people cross, then cars go. */
const CYCLE = 24;
/** From this second of the round on the crossing belongs to cars. */
const CARS_GO = 9.6;

const SPEED = 8.5;
const BRAKING = 2.6;
const STARTING = 2.2;
/** Cars are followed from here to there, x in metres. */
const SEEN = 34;

const PAINTS = "#c9453f #3f6fa8 #e9e6df #8f979e #2f3640 #d9a13b #5b8f7b #a9c3d6 #7a3f52 #f3efe6".split(" ");

interface Lane {
  readonly y: number;
  /** 1 drives to the right, -1 to the left. */
  readonly direction: 1 | -1;
  readonly key: number;
}

const NEAR: Lane = { y: LANES.near, direction: 1, key: 11 };
const FAR: Lane = { y: LANES.far, direction: -1, key: 12 };

/** Rounds between two cars that park, and the rounds in which one comes and goes. */
const PARKING = { rounds: 5, comes: 0, goes: 3, slot: -2.6 } as const;
const PARKED_SLOTS = [-17.4, -10.4, 12.1, 19.1, 26.1] as const;

function trafficAt(seconds: number, seed: number): Actor[] {
  const now = Math.floor(seconds / CYCLE);
  const period = Math.floor(now / PARKING.rounds);
  return [
    ...parkedCars(seed),
    ...fromWindows(now - 1, now + 1, (cycle) => [
      ...[NEAR, FAR].flatMap((lane) =>
        laneAt(lane, cycle, seconds - cycle * CYCLE, createRandom(seed, lane.key, cycle)),
      ),
      ...cyclistAt(cycle, seconds, seed),
    ]),
    ...fromWindows(period - 1, period + 1, (round) => visitorAt(round, seconds, seed)),
  ];
}

function parkedCars(seed: number): Actor[] {
  const random = createRandom(seed, 10);
  return PARKED_SLOTS.map((slot, index) => ({
    kind: "vehicle",
    id: `parked:${index}`,
    pose: { x: slot + between(random, -0.15, 0.15), y: LANES.parking + between(random, -0.08, 0.08), heading: Math.PI },
    ...randomCar(random),
    motion: { travelled: 0, braking: false },
  }));
}

/** `time` is seconds into the round. */
function laneAt(lane: Lane, cycle: number, time: number, random: Random): Actor[] {
  const actors: Actor[] = [];
  // A visitor of the parking strip needs the far lane to itself for a while.
  const [from, to] = lane === FAR ? farWindow(cycle) : [CARS_GO + 1, 22.5];
  const waits = from < 12 && random() < 0.65;
  let arrival = waits ? from + 5.2 : from + between(random, 0, 1.5);
  if (waits) {
    const car = { ...randomVehicle(random), id: `lane${lane.key}:${cycle}:0` };
    actors.push(...onLane(lane, car, waitingCar(time, VEHICLE_BODIES[car.model].length, between(random, 1.5, 4))));
  }
  for (let index = 1; arrival < to && index < 5; index++) {
    const car = { ...randomVehicle(random), id: `lane${lane.key}:${cycle}:${index}` };
    actors.push(...onLane(lane, car, { metres: SPEED * (time - arrival), braking: false }));
    arrival += between(random, 2.6, 6.5);
  }
  return actors;
}

function farWindow(cycle: number): readonly [number, number] {
  const { rounds } = PARKING;
  const round = ((cycle % rounds) + rounds) % rounds;
  if (round === PARKING.comes) return [CARS_GO + 1, 13];
  if (round === PARKING.goes) return [17, 22.5];
  return [CARS_GO + 1, 22.5];
}

interface LaneProgress {
  /** From the middle of the crossing, in driving direction. */
  readonly metres: number;
  readonly braking: boolean;
}

/** Comes before its turn, stops at the line, goes on when people have crossed. `time` is seconds into the round. */
function waitingCar(time: number, length: number, arrives: number): LaneProgress {
  const line = ZEBRA.left - ZEBRA.middle - 1 - length / 2;
  const untilStop = arrives - time;
  const going = time - CARS_GO;
  if (untilStop > 0) return { metres: line - metresWithin(untilStop, BRAKING), braking: untilStop <= SPEED / BRAKING };
  return going <= 0
    ? { metres: line, braking: true }
    : { metres: line + metresWithin(going, STARTING), braking: false };
}

/** The way from a stop on, or up to it: speeding up or slowing down evenly, and at full speed before or after. */
function metresWithin(seconds: number, acceleration: number): number {
  const ramp = SPEED / acceleration;
  return seconds < ramp ? (acceleration * seconds * seconds) / 2 : (SPEED * ramp) / 2 + SPEED * (seconds - ramp);
}

interface Car {
  readonly id: string;
  readonly model: VehicleModel;
  readonly paint: string;
}

function onLane(lane: Lane, car: Car, { metres, braking }: LaneProgress): Actor[] {
  if (Math.abs(metres) > SEEN) return [];
  const heading = lane.direction === 1 ? 0 : Math.PI;
  const pose = { x: ZEBRA.middle + lane.direction * metres, y: lane.y, heading };
  return [{ kind: "vehicle", ...car, pose, motion: { travelled: metres, braking } }];
}

/** Once in a while a car comes, parks for a minute or so and leaves. */
function visitorAt(period: number, seconds: number, seed: number): Actor[] {
  const random = createRandom(seed, 13, period);
  const car: Car = { ...randomCar(random), id: `visitor:${period}` };
  const first = period * PARKING.rounds;
  const stops = (first + PARKING.comes) * CYCLE + 21;
  const leaves = (first + PARKING.goes) * CYCLE + CARS_GO + 0.8;
  const deceleration = 1.7;
  if (seconds > leaves) return visitorPose(car, PARKING.slot - metresWithin(seconds - leaves, STARTING), false);
  const until = Math.max(0, stops - seconds);
  const braking = until > 0 && until < SPEED / deceleration;
  return visitorPose(car, PARKING.slot + metresWithin(until, deceleration), braking);
}

function visitorPose(car: Car, x: number, braking: boolean): Actor[] {
  if (Math.abs(x - ZEBRA.middle) > SEEN) return [];
  const reach = 5.6;
  const share = Math.min(1, Math.abs(x - PARKING.slot) / reach);
  const y = LANES.parking + (LANES.far - LANES.parking) * share * share * (3 - 2 * share);
  const slope = ((LANES.far - LANES.parking) * 6 * share * (1 - share)) / reach;
  const heading = Math.atan2(x > PARKING.slot ? -slope : slope, -1);
  return [{ kind: "vehicle", ...car, pose: { x, y, heading }, motion: { travelled: -x, braking } }];
}

function cyclistAt(cycle: number, seconds: number, seed: number): Actor[] {
  const random = createRandom(seed, 14, cycle);
  if (random() > 0.45) return [];
  const speed = between(random, 4.2, 5.4);
  const metres = speed * (seconds - cycle * CYCLE - between(random, 13, 20));
  if (Math.abs(metres) > SEEN) return [];
  const pose = { x: ZEBRA.middle + metres, y: LANES.bicycle, heading: 0 };
  const paint = pick(random, PAINTS);
  const rider = { looks: randomLooks(random), gait: { kind: "ride", phase: -metres * 1.6 } } as const;
  return [
    { kind: "bicycle", id: `bicycle:${cycle}`, pose, paint },
    { kind: "person", id: `cyclist:${cycle}`, pose, ...rider },
  ];
}

function randomVehicle(random: Random): Omit<Car, "id"> {
  if (random() < 0.12) return { model: "truck", paint: pick(random, ["#3f6fa8", "#c9453f", "#4d8a6c", "#d9a13b"]) };
  return randomCar(random);
}

function randomCar(random: Random): Omit<Car, "id"> {
  return {
    model: pick(random, ["hatchback", "hatchback", "sedan", "sedan", "van"] as const),
    paint: pick(random, PAINTS),
  };
}
