/** What is going on while a model is made ready. `fetching` has bytes; the others are short. */
export type FetchPhase = "waiting" | "fetching" | "checking" | "converting";

/** One report on the way to a model. */
export interface FetchProgress {
  readonly phase: FetchPhase;
  /** What is being fetched, for people. */
  readonly name: string;
  readonly bytesDone: number;
  /** Absent while nobody knows. */
  readonly bytesTotal?: number;
}

/** How to follow and stop a fetch. */
export interface FetchOptions {
  /** Called often; must not throw. */
  readonly onProgress?: (progress: FetchProgress) => void;
  readonly signal?: AbortSignal;
}
