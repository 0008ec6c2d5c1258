// seconds of a round → where the forklift is and what it carries

import { createRandom } from "../../../seeded-random.ts";
import { randomWorker } from "../crowd.ts";
import type { Actor } from "../scene.ts";
import { DOORS } from "./warehouse-layout.ts";

/** Seconds from one pallet to the next. */
export const ROUND = 44;
/** Seconds of a round in which the forklift is away from the loading zone. */
export const ZONE_FREE = { from: 13, to: 35 } as const;

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

export function forkliftAt(seconds: number, seed: number): Actor {
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
