// tracks and rows of a frame → pairs, told; what is left of both goes into the next round
import { overlapsOf, pairAlike, weighedBy } from "./assignment.ts";
import { type BoxFilter, createBoxFilter, type MotionModel, predictBox, updateBox } from "./kalman.ts";
import { boxesAt, type ToldRows, type TrackerBoxes } from "./tracker.ts";

/** What the filters follow of a box. */
export interface BoxForm {
  readonly model: MotionModel;
  /** Of a measured box. */
  toState(xyxy: ArrayLike<number>, row: number): readonly number[];
  /** Left, top, right, bottom of what is followed. */
  toBox(state: Float64Array): ArrayLike<number>;
  /** Puts right what a filter must not become. */
  correct?(filter: BoxFilter): void;
}

/** One followed object. */
export interface FilteredTrack {
  readonly filter: BoxFilter;
  /** Sightings that count towards its confirmation. */
  sightings: number;
  /** Frames since it was last seen; 0 when seen in this one. */
  unseen: number;
  /** -1 until it is confirmed. */
  id: number;
}

/** What takes part in one round of matching. */
export interface MatchingRound {
  readonly boxes: TrackerBoxes;
  readonly tracks: readonly FilteredTrack[];
  readonly rows: readonly number[];
  readonly told: ToldRows;
  /** Least overlap of a match. */
  readonly least: number;
  /** Overlaps count by the score of the box. Default false. */
  readonly weighed?: boolean;
}

/** The tracks of one video. Ids count from 0. */
export class TrackRounds {
  tracks: FilteredTrack[] = [];
  #nextId = 0;
  readonly #form: BoxForm;
  readonly #minimumSightings: number;

  /** An object is confirmed, and gets its id, after `minimumSightings`. */
  constructor(form: BoxForm, minimumSightings: number) {
    this.#form = form;
    this.#minimumSightings = minimumSightings;
  }

  /** Moves all tracks one frame on. */
  predict(): void {
    for (const track of this.tracks) {
      predictBox(track.filter);
      this.#form.correct?.(track.filter);
      track.unseen += 1;
    }
  }

  /** Pairs tracks with rows, tells those paired and answers what is left of both. */
  match({ boxes, tracks, rows, told, least, weighed = false }: MatchingRound) {
    const places = Float64Array.from(tracks.flatMap(({ filter }) => Array.from(this.#form.toBox(filter.mean))));
    const overlaps = overlapsOf(places, boxesAt(boxes.xyxy, rows));
    const scores = rows.map((row) => boxes.confidence?.[row] ?? 1);
    const pairing = pairAlike(weighed ? weighedBy(overlaps, scores) : overlaps, least);
    for (const [at, column] of pairing.pairs) {
      const [track, row] = [tracks[at]!, rows[column]!];
      updateBox(track.filter, this.#form.toState(boxes.xyxy, row));
      this.#form.correct?.(track.filter);
      track.sightings += 1;
      track.unseen = 0;
      if (track.id < 0 && this.isConfirmed(track)) track.id = this.nextId();
      told.tell(row, track.id);
    }
    return { tracks: pairing.rows.map((at) => tracks[at]!), rows: pairing.columns.map((column) => rows[column]!) };
  }

  begin({ xyxy }: TrackerBoxes, row: number, id = -1): FilteredTrack {
    const filter = createBoxFilter(this.#form.model, this.#form.toState(xyxy, row));
    return { filter, sightings: 1, unseen: 0, id };
  }

  isConfirmed({ sightings }: FilteredTrack): boolean {
    return sightings >= this.#minimumSightings;
  }

  nextId(): number {
    return this.#nextId++;
  }
}
