// tracked boxes → tracked boxes that move smoothly and bridge short gaps
import { type DetectionTable, mergeDetections, selectRows } from "../../frames/detections.ts";
import { block, detectionsOf, imageOf, numberOr, trackedDetectionsOf } from "../block.ts";

/** What is known of the tracks of one video. */
interface SteadyVideo {
  readonly window: number;
  /** The last sighting of each track, or where it was carried on to. */
  readonly last: Map<number, DetectionTable>;
  /** How tracks move that have been seen twice. */
  readonly velocities: Map<number, VelocityFilter>;
}

export const stabilizeDetections = block({
  type: "roboflow_core/stabilize_detections@v1",
  description:
    "Smooths the boxes of tracked objects and carries an object on for a few frames when it is not detected.",
  phrase: "steadies them",
  start: () => {
    const videos = new Map<string, SteadyVideo>();
    return (inputs) => {
      const detections = detectionsOf(inputs, "detections");
      if (detections.length > 0) trackedDetectionsOf(inputs, "detections");
      const { videoIdentifier } = imageOf(inputs, "image").videoOrDefault(0);
      const window = numberOr(inputs, "smoothing_window_size", 3);
      const video = videos.get(videoIdentifier) ?? { window, last: new Map(), velocities: new Map() };
      videos.set(videoIdentifier, video);
      const weight = numberOr(inputs, "bbox_smoothing_coefficient", 0.2);
      const shown = new Map<number, DetectionTable>();
      for (let row = 0; row < detections.length; row++) {
        const id = detections.trackerId![row]!;
        shown.set(id, see(video, id, selectRows(detections, [row]).with({ metadata: {} }), weight));
      }
      carryOn(video, shown, weight);
      const steady = mergeDetections([...shown.values()]);
      const trackerId = steady.trackerId ?? new Int32Array(steady.length);
      return { tracked_detections: steady.with({ trackerId, metadata: detections.metadata }) };
    };
  },
});

/** Takes a sighting and answers the smoothed one. */
function see(
  { window, last, velocities }: SteadyVideo,
  id: number,
  current: DetectionTable,
  weight: number,
): DetectionTable {
  const before = last.get(id)?.xyxy;
  last.set(id, current);
  if (before === undefined) return current;
  const moved = [current.xyxy[2]! - before[2]!, current.xyxy[3]! - before[3]!] as const;
  const known = velocities.get(id);
  known?.measure(moved);
  const velocity = known ?? new VelocityFilter(moved, window);
  velocity.predict();
  velocities.set(id, velocity);
  return current.with({ xyxy: current.xyxy.map((side, at) => weight * side + (1 - weight) * before[at]!) });
}

/** Moves the tracks that were not seen on, and forgets those that have been gone too long. */
function carryOn({ last, velocities }: SteadyVideo, shown: Map<number, DetectionTable>, weight: number): void {
  for (const [id, velocity] of velocities) {
    if (shown.has(id)) continue;
    velocity.predict();
    const before = last.get(id)!;
    const carried = before.with({ xyxy: before.xyxy.map((side, at) => side + weight * velocity.value[at % 2]!) });
    last.set(id, carried);
    shown.set(id, carried);
    if (!velocity.fade()) velocities.delete(id);
  }
  for (const id of last.keys()) if (!shown.has(id)) last.delete(id);
}

type Velocity = readonly [x: number, y: number];

const STEP_NOISE = 0.001;
const MEASURED_NOISE = 0.01;

/** Kalman filter over a velocity that is thought to stay; what it is given is averaged over the last few frames. */
export class VelocityFilter {
  readonly #window: number;
  #value: Velocity;
  #variance = 1;
  /** Newest first. */
  readonly #recent: Velocity[];

  constructor(first: Velocity, window: number) {
    this.#window = window;
    this.#value = first;
    this.#recent = [first];
  }

  /** Pixels per frame. */
  get value(): Velocity {
    return this.#value;
  }

  measure(velocity: Velocity): void {
    this.#recent.unshift(velocity);
    this.#recent.splice(this.#window);
    const gain = this.#variance / (this.#variance + MEASURED_NOISE);
    const [x, y] = this.#value;
    this.#value = [x + gain * (this.#mean(0) - x), y + gain * (this.#mean(1) - y)];
    this.#variance *= 1 - gain;
  }

  predict(): void {
    this.#variance += STEP_NOISE;
  }

  /** Forgets the newest measurement; false when none is left. */
  fade(): boolean {
    this.#recent.shift();
    return this.#recent.length > 0;
  }

  #mean(axis: 0 | 1): number {
    return this.#recent.reduce((sum, velocity) => sum + velocity[axis], 0) / this.#recent.length;
  }
}
