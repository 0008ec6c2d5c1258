// tracked boxes → tracked boxes whose class no longer flickers
import { inputError } from "../../errors.ts";
import type { ColumnValue, DetectionTable } from "../../frames/detections.ts";
import { boxIou } from "../../geometry/boxes.ts";
import { type BlockInputs, block, detectionsOf, imageOf, numberWithin, trackedDetectionsOf } from "../block.ts";

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

interface Rules extends VoteRules {
  readonly voteConfidence: number;
  /** Frames after which an unseen track is forgotten. */
  readonly stateTtl: number;
  /** Frames within which a new track may inherit from a lost one, and how much they must overlap. */
  readonly reattachWindow: number;
  readonly reattachIou: number;
}

interface LockedTrack {
  readonly votes: ClassVotes;
  lastSeen: number;
  box: Float64Array;
}

interface VideoState {
  frame: number;
  readonly tracks: Map<number, LockedTrack>;
}

const MOST_VIDEOS = 256;
const MOST_TRACKS = 4096;
const MOST_HEIRLOOMS = 256;
const LONGEST_TTL = 1_000_000;

export const trackClassLock = block({
  type: "roboflow_core/track_class_lock@v1",
  description: "Decides the class of each tracked object by majority over frames, so that it does not flicker.",
  phrase: "holds each to its class",
  start: () => {
    const videos = new RecentVideos<VideoState>(MOST_VIDEOS, () => ({ frame: 0, tracks: new Map() }));
    return (inputs) => {
      const rules = rulesOf(inputs);
      const detections = detectionsOf(inputs, "detections");
      if (detections.length > 0) trackedDetectionsOf(inputs, "detections");
      const state = videos.of(imageOf(inputs, "image").videoOrDefault(0).videoIdentifier);
      state.frame += 1;
      const locked = lockClasses(state, detections, rules);
      forgetOld(state, rules.stateTtl);
      return { tracked_detections: locked };
    };
  },
});

function rulesOf(inputs: BlockInputs): Rules {
  const within = (property: string, least: number, most?: number) => numberWithin(inputs, property, least, most);
  const rules = {
    minVotes: within("min_votes", 1),
    voteConfidence: within("vote_confidence", 0, 1),
    leadMargin: within("lead_margin", 0),
    switchAfter: within("switch_after", 1),
    stateTtl: within("state_ttl", 1, LONGEST_TTL),
    reattachWindow: within("reattach_window", 0),
    reattachIou: within("reattach_iou", 0, 1),
  };
  if (rules.reattachWindow <= rules.stateTtl) return rules;
  throw inputError(`"reattach_window" must not be longer than "state_ttl": older tracks are forgotten by then.`);
}

function lockClasses(state: VideoState, detections: DetectionTable, rules: Rules): DetectionTable {
  const { length, confidence, classId, data } = detections;
  const locks = decideRows(state, detections, rules);
  const columns: Record<string, readonly ColumnValue[]> = {
    ...data,
    class_locked: locks.map((locked) => locked !== undefined),
  };
  if (data.class_name !== undefined)
    columns.class_name = locks.map((lock, row) => lock?.name ?? data.class_name![row]!);
  return detections.with({
    confidence: Float64Array.from({ length }, (_, row) => locks[row]?.confidence ?? confidence?.[row] ?? 1),
    classId: classId?.map((known, row) => locks[row]?.classId ?? known),
    data: columns,
  });
}

/** The decision on each row; none while its track is open, or when it has no track or class. */
function decideRows(state: VideoState, detections: DetectionTable, rules: Rules): readonly (LockedClass | undefined)[] {
  const { length, trackerId = new Int32Array(0), confidence, classId, data, xyxy } = detections;
  const heirlooms = inheritable(state, trackerId, rules.reattachWindow);
  return Array.from({ length }, (_, row) => {
    const id = trackerId[row]!;
    if (id < 0) return undefined;
    const track = trackOf(state, id, xyxy.slice(4 * row, 4 * row + 4), { heirlooms, ...rules });
    const name = data.class_name?.[row] ?? classId?.[row];
    if (name === undefined) return undefined;
    const score = confidence?.[row] ?? 1;
    const counts = score >= rules.voteConfidence;
    track.votes.take({ name: String(name), classId: classId?.[row], confidence: score, counts }, rules);
    return track.votes.locked;
  });
}

/** Locked tracks that were lost a short while ago. */
function inheritable({ frame, tracks }: VideoState, present: Int32Array, window: number): Map<number, LockedTrack> {
  const here = new Set(present);
  const lost = [...tracks].filter(([id, { votes, lastSeen }]) => {
    const gap = frame - lastSeen;
    return !here.has(id) && votes.isLocked && gap >= 1 && gap <= window;
  });
  if (lost.length > MOST_HEIRLOOMS) lost.sort(([, one], [, other]) => other.lastSeen - one.lastSeen);
  return new Map(lost.slice(0, MOST_HEIRLOOMS));
}

/** The track of an id; a new id takes over the lost track that it lies on. */
function trackOf(
  { frame, tracks }: VideoState,
  id: number,
  box: Float64Array,
  { heirlooms, reattachIou }: { readonly heirlooms: Map<number, LockedTrack>; readonly reattachIou: number },
): LockedTrack {
  let track = tracks.get(id);
  if (track === undefined) {
    const heir = nearest(heirlooms, box, reattachIou);
    if (heir !== undefined) {
      track = heirlooms.get(heir)!;
      heirlooms.delete(heir);
      tracks.delete(heir);
    }
  }
  track ??= { votes: new ClassVotes(), lastSeen: frame, box };
  track.lastSeen = frame;
  track.box = box;
  tracks.set(id, track);
  return track;
}

function nearest(heirlooms: ReadonlyMap<number, LockedTrack>, box: Float64Array, least: number): number | undefined {
  let best: number | undefined;
  let most = 0;
  for (const [id, lost] of heirlooms) {
    const overlap = boxIou(box, 0, lost.box, 0);
    if (overlap >= least && overlap > most) [best, most] = [id, overlap];
  }
  return best;
}

function forgetOld({ frame, tracks }: VideoState, ttl: number): void {
  for (const [id, { lastSeen }] of tracks) if (frame - lastSeen > ttl) tracks.delete(id);
  if (tracks.size <= MOST_TRACKS) return;
  const oldestFirst = [...tracks].sort(([, one], [, other]) => one.lastSeen - other.lastSeen);
  for (const [id] of oldestFirst.slice(0, tracks.size - MOST_TRACKS)) tracks.delete(id);
}

/** When votes decide. */
export interface VoteRules {
  /** Votes that a class needs. */
  readonly minVotes: number;
  /** Votes by which it must lead the second. */
  readonly leadMargin: number;
  /** Frames in a row of another class that overthrow a decision. */
  readonly switchAfter: number;
}

/** One sighting of a track. */
export interface ClassSighting {
  readonly name: string;
  readonly classId: number | undefined;
  readonly confidence: number;
  /** Sure enough to count. */
  readonly counts: boolean;
}

/** The class that a track is held to be. */
export interface LockedClass {
  readonly name: string;
  readonly classId: number | undefined;
  /** Mean confidence of its votes, at most 1. */
  readonly confidence: number;
}

interface Tally {
  votes: number;
  confidence: number;
}

/** Further classes of one track are not counted: names come from outside. */
const MOST_CLASSES = 256;

/** The votes of one track. */
export class ClassVotes {
  #locked: string | undefined;
  #tallies = new Map<string, Tally>();
  readonly #classIds = new Map<string, number>();
  #challenger: (Tally & { readonly name: string }) | undefined;

  get isLocked(): boolean {
    return this.#locked !== undefined;
  }

  get locked(): LockedClass | undefined {
    if (this.#locked === undefined) return undefined;
    const { votes, confidence } = this.#tallies.get(this.#locked) ?? { votes: 0, confidence: 0 };
    return {
      name: this.#locked,
      classId: this.#classIds.get(this.#locked),
      confidence: Math.min(1, confidence / Math.max(votes, 1)),
    };
  }

  take(sighting: ClassSighting, rules: VoteRules): void {
    if (this.#locked === undefined) this.#vote(sighting, rules);
    else this.#challenge(sighting, rules);
  }

  #vote(sighting: ClassSighting, { minVotes, leadMargin }: VoteRules): void {
    const { name, confidence, counts } = sighting;
    if (counts && (this.#tallies.has(name) || this.#tallies.size < MOST_CLASSES)) {
      const tally = this.#tallies.get(name) ?? { votes: 0, confidence: 0 };
      this.#tallies.set(name, { votes: tally.votes + 1, confidence: tally.confidence + confidence });
      this.#noteClassId(sighting);
    }
    let [leader, most, second] = ["", 0, 0];
    for (const [candidate, { votes }] of this.#tallies) {
      if (votes > most) [leader, most, second] = [candidate, votes, most];
      else second = Math.max(second, votes);
    }
    if (most >= minVotes && most - second >= leadMargin) this.#locked = leader;
  }

  #challenge(sighting: ClassSighting, { switchAfter }: VoteRules): void {
    const { name, confidence, counts } = sighting;
    if (!counts || name === this.#locked) {
      this.#challenger = undefined;
      return;
    }
    if (this.#challenger?.name !== name) {
      this.#challenger = { name, votes: 0, confidence: 0 };
      this.#noteClassId(sighting);
    }
    this.#challenger.votes += 1;
    this.#challenger.confidence += confidence;
    if (this.#challenger.votes < switchAfter) return;
    this.#locked = name;
    this.#tallies = new Map([[name, this.#challenger]]);
    this.#challenger = undefined;
  }

  #noteClassId({ name, classId }: ClassSighting): void {
    if (classId === undefined) return;
    if (!this.#classIds.has(name) && this.#classIds.size >= MOST_CLASSES) this.#forgetUnusedIds();
    this.#classIds.set(name, classId);
  }

  #forgetUnusedIds(): void {
    for (const known of this.#classIds.keys()) {
      const isUsed = this.#tallies.has(known) || known === this.#locked || known === this.#challenger?.name;
      if (!isUsed) this.#classIds.delete(known);
    }
  }
}
