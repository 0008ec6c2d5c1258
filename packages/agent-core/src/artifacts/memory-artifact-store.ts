import type { ArtifactRef } from "../types/artifact.ts";
import type { Clock } from "../types/clock.ts";
import { systemClock } from "../types/system-clock.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import { describeArtifact } from "./describe-artifact.ts";

/** Keeps bytes until the process ends. */
export function createMemoryArtifactStore(options: { readonly clock?: Clock } = {}): ArtifactStore {
  const { clock = systemClock } = options;
  const kept = new Map<string, { readonly ref: ArtifactRef; readonly bytes: Uint8Array }>();
  return {
    durable: false,
    async put(bytes, putOptions) {
      const ref = describeArtifact(bytes, putOptions, clock.now());
      const before = kept.get(ref.id);
      if (before) return before.ref;
      kept.set(ref.id, { ref, bytes: bytes.slice() });
      return ref;
    },
    get: async (id) => kept.get(id)?.bytes.slice(),
    ref: async (id) => kept.get(id)?.ref,
    list: async (filter = {}) =>
      [...kept.values()]
        .map(({ ref }) => ref)
        .filter((ref) => filter.namespace === undefined || ref.namespace === filter.namespace),
    remove: async (id) => kept.delete(id),
  };
}
