// classes seen on one track → the class it is held to be

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
