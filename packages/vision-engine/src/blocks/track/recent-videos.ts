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
