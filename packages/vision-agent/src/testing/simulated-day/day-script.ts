// a day at home of which the truth is known: who is in front of which camera, and what somebody wants to be told
import type { Colour, WatchRequest } from "@vision-agent/protocol";

/** Somebody or something on its way through the picture. Places are fractions; between two of them it goes straight. */
export interface DayActor {
  readonly camera: string;
  readonly className: string;
  /** Width and height of its box. */
  readonly size: readonly [number, number];
  /** Times are seconds of the day. */
  readonly path: readonly (readonly [at: number, x: number, y: number])[];
  /** How far the middle of its box trembles. */
  readonly sway?: number;
  /** What the detector gives it. Default 0.9. */
  readonly score?: number;
  /** Default: nobody tells. */
  readonly colour?: Colour;
}

/** Something is wrong with a camera. */
export interface CameraFault {
  readonly camera: string;
  readonly state: "down" | "moved" | "frozen" | "covered" | "dark" | "paused";
  readonly from: number;
  readonly to: number;
}

/** What must be told once, and by when. */
export interface Truth {
  readonly camera: string;
  /** In the text of the alert. */
  readonly says: string;
  readonly from: number;
  readonly to: number;
}

export interface DayScript {
  readonly cameras: readonly string[];
  readonly actors: readonly DayActor[];
  readonly faults: readonly CameraFault[];
  readonly watches: readonly WatchRequest[];
  readonly truth: readonly Truth[];
  /** The detector misses everybody in one of so many results, at different times. Default: it misses nobody. */
  readonly missedOneIn?: number;
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;

function at(hours: number, minutes = 0, seconds = 0): number {
  return hours * HOUR + minutes * MINUTE + seconds;
}

const CAR: DayActor["size"] = [0.2, 0.15];
const PERSON: DayActor["size"] = [0.06, 0.25];

/** Every few minutes a car goes by, there and back by turns. */
const TRAFFIC: readonly DayActor[] = Array.from({ length: 96 }, (_, n): DayActor => {
  const start = n * 15 * MINUTE + 100;
  const [x1, x2] = n % 2 === 0 ? [0.1, 0.9] : [0.9, 0.1];
  return {
    camera: "drive",
    className: "car",
    size: CAR,
    path: [
      [start, x1, 0.2],
      [start + 9, x2, 0.2],
    ],
  };
});

const CATS: readonly DayActor[] = Array.from({ length: 12 }, (_, n): DayActor => {
  const start = at(2 * n, 40);
  return {
    camera: "garden",
    className: "cat",
    size: [0.05, 0.05],
    path: [
      [start, 0.2, 0.8],
      [start + 30, 0.7, 0.6],
    ],
  };
});

/** Friends in the garden, who come one after the other and stay. */
const PARTY: readonly DayActor[] = Array.from({ length: 8 }, (_, n): DayActor => {
  const start = at(16, 0, n * 40);
  const x = 0.1 + n * 0.1;
  const path: DayActor["path"] = [
    [start, x, 0.6],
    [at(17), x, 0.65],
  ];
  return { camera: "garden", className: "person", size: PERSON, path, sway: 0.004 };
});

/** What a household sees in a day, and three watches. */
export const HOME: DayScript = {
  cameras: ["drive", "porch", "garden", "gate"],
  actors: [
    // Parked all day, and away for work.
    {
      camera: "drive",
      className: "car",
      size: CAR,
      path: [
        [0, 0.3, 0.7],
        [DAY, 0.3, 0.7],
      ],
      sway: 0.002,
    },
    {
      camera: "drive",
      className: "car",
      size: CAR,
      path: [
        [0, 0.7, 0.7],
        [at(8, 10), 0.7, 0.7],
        [at(8, 10, 9), 0.95, 0.4],
      ],
    },
    {
      camera: "drive",
      className: "car",
      size: CAR,
      path: [
        [at(17, 45), 0.95, 0.4],
        [at(17, 45, 9), 0.7, 0.7],
        [DAY, 0.7, 0.7],
      ],
    },
    ...TRAFFIC,
    ...CATS,
    ...PARTY,
    // A parcel.
    {
      camera: "porch",
      className: "person",
      size: PERSON,
      path: [
        [at(10, 32), 0.1, 0.6],
        [at(10, 32, 8), 0.5, 0.6],
        [at(10, 33), 0.5, 0.6],
        [at(10, 33, 8), 0.9, 0.6],
      ],
    },
    // The postman only walks past.
    {
      camera: "porch",
      className: "person",
      size: PERSON,
      path: [
        [at(9, 5), 0.1, 0.6],
        [at(9, 5, 6), 0.9, 0.6],
      ],
    },
    // Stands on the line for minutes, and goes in.
    {
      camera: "gate",
      className: "person",
      size: PERSON,
      path: [
        [at(12), 0.2, 0.5],
        [at(12, 0, 8), 0.5, 0.5],
        [at(12, 6), 0.5, 0.5],
        [at(12, 6, 8), 0.9, 0.5],
      ],
      sway: 0.005,
    },
    // At night in the garden.
    {
      camera: "garden",
      className: "person",
      size: PERSON,
      path: [
        [at(2, 13), 0.1, 0.7],
        [at(2, 14, 30), 0.8, 0.7],
      ],
    },
  ],
  faults: [
    { camera: "porch", state: "down", from: at(11), to: at(11, 4) },
    { camera: "gate", state: "moved", from: at(13), to: at(13, 2) },
  ],
  watches: [
    watch("somebody waits at the door", "porch", { kind: "stays", seconds: 10 }),
    watch("somebody comes in through the gate", "gate", {
      kind: "crosses",
      line: [
        [0.5, 0],
        [0.5, 1],
      ],
      direction: "in",
    }),
    {
      ...watch("somebody is in the garden at night", "garden", { kind: "appears" }),
      active_hours: { from: "22:00", to: "06:00" },
    },
  ],
  truth: [
    { camera: "garden", says: "appeared", from: at(2, 13), to: at(2, 13, 10) },
    { camera: "porch", says: "stayed", from: at(10, 32, 8), to: at(10, 32, 30) },
    { camera: "porch", says: "no pictures", from: at(11), to: at(11, 0, 30) },
    { camera: "porch", says: "again", from: at(11, 4), to: at(11, 4, 30) },
    { camera: "gate", says: "crossed", from: at(12), to: at(12, 6, 10) },
    { camera: "gate", says: "somewhere else", from: at(13), to: at(13, 2) },
  ],
};

function watch(words: string, camera: string, condition: WatchRequest["condition"]): WatchRequest {
  return { words, cameras: [camera], classes: ["person"], condition, cooldown_seconds: 600, severity: "warning" };
}
