// boxes of a frame → the ids of the objects they belong to
import { isBox } from "../geometry/boxes.ts";
import { assignWithin, type CostMatrix, overlapsOf } from "./assignment.ts";
import { type BoxFilter, CENTRE_ASPECT_HEIGHT, createBoxFilter, predictBox, updateBox } from "./kalman.ts";
import {
  boxesAt,
  framesToKeep,
  ToldRows,
  type TrackedRows,
  type Tracker,
  type TrackerBoxes,
  type TrackerOptions,
} from "./tracker.ts";

export interface ByteTrackOptions extends Omit<TrackerOptions, "highConfidence" | "minimumIou"> {
  /** Largest cost, 1 - IoU · score, of a match. Lower to follow only close matches. Default 0.8. */
  readonly matchingThreshold?: number;
}

type TrackState = "tracked" | "lost" | "removed";

interface Track {
  readonly filter: BoxFilter;
  readonly startFrame: number;
  state: TrackState;
  /** Seen often enough to be shown. */
  activated: boolean;
  sightings: number;
  lastFrame: number;
  /** -1 until the object is shown. */
  id: number;
}

/** Boxes below this score are never looked at. */
const LOWEST_SCORE = Math.fround(0.1);
const SECOND_LOOK_LIMIT = 0.5;
const UNCONFIRMED_LIMIT = Math.fround(0.7);
const OWN_BOX_LIMIT = 0.5;
/** Two tracks closer than this are one object. */
const DUPLICATE_DISTANCE = Math.fround(0.05);

const HEIGHT_VELOCITY = 7;

/** ByteTrack (Zhang et al., 2022) as supervision 0.30 has it. Ids count from 1; rows without an id are not told. */
export function createByteTrack(options: ByteTrackOptions = {}): Tracker {
  return new ByteTrack(options);
}

class ByteTrack implements Tracker {
  readonly #activation: number;
  readonly #birth: number;
  readonly #match: number;
  readonly #minimumSightings: number;
  readonly #maxLostFrames: number;
  #frame = 0;
  #lastId = 0;
  #tracked: Track[] = [];
  #lost: Track[] = [];
  #removed: Track[] = [];

  constructor(options: ByteTrackOptions) {
    const activation = options.activationThreshold ?? 0.25;
    this.#activation = Math.fround(activation);
    this.#birth = Math.fround(activation + 0.1 > 1 ? activation : activation + 0.1);
    this.#match = Math.fround(options.matchingThreshold ?? 0.8);
    this.#minimumSightings = options.minimumConsecutiveFrames ?? 1;
    this.#maxLostFrames = framesToKeep(options);
  }

  update(given: TrackerBoxes): TrackedRows {
    this.#frame += 1;
    const boxes = toSingles(given);
    const valid = rowsWhere(boxes, () => true);
    const high = rowsWhere(boxes, (score) => score >= this.#activation);
    const low = rowsWhere(boxes, (score) => score > LOWEST_SCORE && score < this.#activation);
    const confirmed = this.#tracked.filter((track) => track.activated);
    const unconfirmed = this.#tracked.filter((track) => !track.activated);

    const pool = union(confirmed, this.#lost);
    for (const track of pool) {
      // The height neither grows nor shrinks while nothing is measured.
      if (track.state !== "tracked") track.filter.mean[HEIGHT_VELOCITY] = 0;
      predictBox(track.filter);
    }
    const first = this.#matchAndUpdate(boxes, pool, high, { limit: this.#match, scored: true });
    const stillTracked = first.tracks.filter((track) => track.state === "tracked");
    const second = this.#matchAndUpdate(boxes, stillTracked, low, { limit: SECOND_LOOK_LIMIT, scored: false });
    for (const track of second.tracks) track.state = "lost";
    const third = this.#matchAndUpdate(boxes, unconfirmed, first.rows, { limit: UNCONFIRMED_LIMIT, scored: true });

    const removed = third.tracks;
    for (const track of removed) track.state = "removed";
    const born = third.rows.filter((row) => boxes.confidence[row]! >= this.#birth);
    const fresh = born.map((row) => this.#begin(boxes, row));
    for (const track of this.#lost) {
      if (this.#frame - track.lastFrame <= this.#maxLostFrames) continue;
      track.state = "removed";
      removed.push(track);
    }
    const seen = [...first.updated, ...second.updated, ...third.updated, ...fresh];
    // Tracks that were lost and came back go behind the others: the order decides ties.
    const found = [...seen.filter(isSteady), ...seen.filter((track) => !isSteady(track))];
    this.#sortOut(found, second.tracks, removed);
    return this.#idsOf(boxes, valid);
  }

  /** Pairs tracks with rows, updates the paired tracks, and answers what is left of both. */
  #matchAndUpdate(
    boxes: Singles,
    tracks: readonly Track[],
    rows: readonly number[],
    { limit, scored }: { limit: number; scored: boolean },
  ): { updated: Track[]; tracks: Track[]; rows: readonly number[] } {
    const costs = distances(toXyxy(tracks), boxesAt(boxes.xyxy, rows));
    if (scored) weighByScore(costs, boxes, rows);
    const { columnOfRow, rowOfColumn } = assignWithin(costs, limit);
    const updated: Track[] = [];
    for (const [i, track] of tracks.entries()) {
      const column = columnOfRow[i]!;
      if (column < 0) continue;
      this.#see(track, boxes, rows[column]!);
      updated.push(track);
    }
    return {
      updated,
      tracks: tracks.filter((_, i) => columnOfRow[i] === -1),
      rows: rows.filter((_, i) => rowOfColumn[i] === -1),
    };
  }

  #see(track: Track, boxes: Singles, row: number): void {
    updateBox(track.filter, toXyah(boxes.xyxy, row));
    track.lastFrame = this.#frame;
    if (track.state === "tracked") {
      track.sightings += 1;
      if (track.sightings >= this.#minimumSightings) this.#activate(track);
    } else {
      track.sightings = 0;
    }
    track.state = "tracked";
  }

  #begin(boxes: Singles, row: number): Track {
    const track: Track = {
      filter: createBoxFilter(CENTRE_ASPECT_HEIGHT, toXyah(boxes.xyxy, row)),
      startFrame: this.#frame,
      state: "tracked",
      activated: false,
      sightings: 1,
      lastFrame: this.#frame,
      id: -1,
    };
    if (this.#frame === 1 && this.#minimumSightings <= 1) this.#activate(track);
    return track;
  }

  #activate(track: Track): void {
    track.activated = true;
    if (track.id >= 0) return;
    this.#lastId += 1;
    track.id = this.#lastId;
  }

  #sortOut(found: readonly Track[], newlyLost: readonly Track[], removed: Track[]): void {
    const tracked = union(
      this.#tracked.filter((track) => track.state === "tracked"),
      found,
    );
    // The list removed in the frame before: an expired track can come back for one frame more.
    const lost = [...this.#lost.filter((track) => !tracked.includes(track)), ...newlyLost].filter(
      (track) => !this.#removed.includes(track),
    );
    this.#removed = removed;
    const duplicates = findDuplicates(tracked, lost);
    this.#tracked = tracked.filter((track) => !duplicates.has(track));
    this.#lost = lost.filter((track) => !duplicates.has(track));
  }

  #idsOf(boxes: Singles, rows: readonly number[]): TrackedRows {
    const told = new ToldRows();
    const shown = this.#tracked.filter((track) => track.activated);
    const costs = distances(boxesAt(boxes.xyxy, rows), toXyxy(shown));
    const { columnOfRow } = assignWithin(costs, OWN_BOX_LIMIT);
    for (const [i, row] of rows.entries()) {
      const column = columnOfRow[i]!;
      if (column >= 0) told.tell(row, shown[column]!.id);
    }
    return { rows: told.rows, ids: told.ids, isBlank: shown.length === 0 };
  }
}

/** Boxes and scores in 32 bits, as the original has them. */
interface Singles extends TrackerBoxes {
  readonly confidence: Float32Array;
}

function toSingles({ length, xyxy, confidence }: TrackerBoxes): Singles {
  const scores = confidence === undefined ? new Float32Array(length).fill(1) : Float32Array.from(confidence);
  return { length, xyxy: Float32Array.from(xyxy), confidence: scores };
}

function rowsWhere({ length, xyxy, confidence }: Singles, wanted: (score: number) => boolean): number[] {
  const rows: number[] = [];
  for (let row = 0; row < length; row++) {
    if (wanted(confidence[row]!) && Number.isFinite(confidence[row]!) && isBox(xyxy, row)) rows.push(row);
  }
  return rows;
}

function toXyxy(tracks: readonly Track[]): Float64Array {
  const boxes = new Float64Array(4 * tracks.length);
  for (let i = 0; i < tracks.length; i++) {
    const { mean } = tracks[i]!.filter;
    const height = mean[3]!;
    const width = mean[2]! * height;
    const left = mean[0]! - width / 2;
    const top = mean[1]! - height / 2;
    boxes[4 * i] = left;
    boxes[4 * i + 1] = top;
    boxes[4 * i + 2] = left + width;
    boxes[4 * i + 3] = top + height;
  }
  return boxes;
}

function toXyah(xyxy: ArrayLike<number>, row: number): readonly [number, number, number, number] {
  const left = xyxy[4 * row]!;
  const top = xyxy[4 * row + 1]!;
  const width = xyxy[4 * row + 2]! - left;
  const height = xyxy[4 * row + 3]! - top;
  return [left + width / 2, top + height / 2, width / height, height];
}

/** 1 - IoU of each pair, in 32 bits so that ties fall as in the original. */
function distances(first: Float64Array, second: Float64Array): CostMatrix {
  const { values, rows, columns } = overlapsOf(first, second);
  return { cost: values.map((overlap) => Math.fround(1 - overlap)), rows, columns };
}

/** Turns 1 - IoU into 1 - IoU · score, so that sure boxes are preferred. */
function weighByScore({ cost, columns }: CostMatrix, { confidence }: Singles, rows: readonly number[]): void {
  for (let i = 0; i < cost.length; i++) {
    const similarity = Math.fround(Math.fround(1 - cost[i]!) * confidence[rows[i % columns]!]!);
    cost[i] = Math.fround(1 - similarity);
  }
}

function union(first: readonly Track[], second: readonly Track[]): Track[] {
  return [...first, ...second.filter((track) => !first.includes(track))];
}

/** Of two tracks on the same place the younger goes; the tracked one when both are as old. */
function findDuplicates(tracked: readonly Track[], lost: readonly Track[]): ReadonlySet<Track> {
  const duplicates = new Set<Track>();
  const { cost, columns } = distances(toXyxy(tracked), toXyxy(lost));
  for (const [i, distance] of cost.entries()) {
    if (distance >= DUPLICATE_DISTANCE) continue;
    const one = tracked[Math.trunc(i / columns)]!;
    const other = lost[i % columns]!;
    duplicates.add(ageOf(one) > ageOf(other) ? other : one);
  }
  return duplicates;
}

function isSteady({ sightings }: Track): boolean {
  return sightings > 0;
}

function ageOf(track: Track): number {
  return track.lastFrame - track.startFrame;
}
