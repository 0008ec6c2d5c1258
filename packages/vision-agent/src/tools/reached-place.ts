import type { PlaceReached } from "../store/destination-store.ts";

/** Where a call sends, writes, connects or reads beyond the cameras that are set up. `target` has no credentials. */
export interface ReachedPlace extends PlaceReached {
  /** For a person: what happens, and with whom. Made from data. */
  readonly sentence: string;
  /** False where it is decided only while it runs: then no earlier yes holds. */
  readonly isFixed: boolean;
}
