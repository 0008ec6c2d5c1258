import type { Clock } from "../types/clock.ts";
import { systemClock } from "../types/system-clock.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import { describeArtifact } from "./describe-artifact.ts";

/**
 * VI-11: names bytes and keeps none, as if all had expired at once. Whoever asks for them must do without.
 * For tests of that case, and for hosts that may not keep pictures. `clock` defaults to the system's.
 */
export function createNoopArtifactStore(options: { readonly clock?: Clock } = {}): ArtifactStore {
  const { clock = systemClock } = options;
  return {
    durable: false,
    put: async (bytes, putOptions) => describeArtifact(bytes, putOptions, clock.now()),
    get: async () => undefined,
    ref: async () => undefined,
    list: async () => [],
    remove: async () => false,
    pin: async () => undefined,
    unpin: async () => undefined,
    sweep: async () => ({ removed: 0, bytes: 0 }),
  };
}
