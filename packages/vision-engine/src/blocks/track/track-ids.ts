// detections and what a tracker tells of them → tracked detections
import { inputError } from "../../errors.ts";
import { type DetectionTable, emptyDetections, selectRows } from "../../frames/detections.ts";
import type { TrackedRows } from "../../tracking/tracker.ts";
import { type BlockInputs, detectionsOf } from "../block.ts";

/** Detections with the ids of a tracker. */
export type TrackedDetections = DetectionTable & { readonly trackerId: Int32Array };

/** Throws when no tracker has seen the detections. */
export function trackedDetectionsOf(inputs: BlockInputs, property: string): TrackedDetections {
  const detections = detectionsOf(inputs, property);
  if (isTracked(detections)) return detections;
  throw inputError(`"${property}" has no track ids: put a tracker before this step.`);
}

function isTracked(detections: DetectionTable): detections is TrackedDetections {
  return detections.trackerId !== undefined;
}

/** The rows that have an id, in the order of the tracker. */
export function withTrackIds(detections: DetectionTable, { rows, ids, isBlank }: TrackedRows): TrackedDetections {
  if (isBlank) return emptyDetections().with({ trackerId: new Int32Array(0) }) as TrackedDetections;
  const shown = rows.map((row, at) => ({ row, id: ids[at]! })).filter(({ id }) => id >= 0);
  const tracked = selectRows(
    detections,
    shown.map(({ row }) => row),
  );
  return tracked.with({ trackerId: Int32Array.from(shown, ({ id }) => id) }) as TrackedDetections;
}

/** State of each video, for at most `capacity` videos: the one not asked for longest is forgotten. */
export class RecentVideos<State> {
  readonly #capacity: number;
  readonly #create: () => State;
  readonly #states = new Map<string, State>();

  constructor(capacity: number, create: () => State) {
    this.#capacity = capacity;
    this.#create = create;
  }

  of(videoId: string): State {
    const state = this.#states.get(videoId) ?? this.#create();
    // A map keeps the order of insertion: the newest goes to the end.
    this.#states.delete(videoId);
    this.#states.set(videoId, state);
    for (const oldest of this.#states.keys()) {
      if (this.#states.size <= this.#capacity) break;
      this.#states.delete(oldest);
    }
    return state;
  }
}
