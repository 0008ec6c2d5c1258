// a stored artifact → whoever shows it
import { tellListener } from "../types/listener.ts";
import type { ArtifactRef } from "../types/message.ts";

/** Why an artifact is there, and for whom. */
export interface ArtifactMeta {
  readonly reason: "input" | "tool" | "spill" | "upload";
  readonly sessionId?: string;
  readonly userId?: string;
  readonly runId?: string;
}

/** What a listener hears. */
export interface RegisteredArtifact {
  readonly ref: ArtifactRef;
  readonly meta: ArtifactMeta;
}

/** VI-5, VI-19: what a UI can show. References only; it asks the store for the bytes. */
export type ArtifactRegistry = ReturnType<typeof createArtifactRegistry>;

/** Keeps the latest `keep` (default 1 000); older ones are found in the store. */
export function createArtifactRegistry(options: { readonly keep?: number } = {}) {
  const { keep = 1_000 } = options;
  const listeners = new Set<(registered: RegisteredArtifact) => void>();
  const kept = new Map<string, RegisteredArtifact>();
  return {
    register(ref: ArtifactRef, meta: ArtifactMeta): void {
      const key = `${meta.sessionId ?? ""} ${ref.id}`;
      const registered = { ref, meta };
      // Taken out first, so that it comes last again.
      kept.delete(key);
      kept.set(key, registered);
      const [oldest] = kept.keys();
      if (kept.size > keep && oldest !== undefined) kept.delete(oldest);
      const failed: unknown[] = [];
      // What one listener throws does not keep the others from hearing.
      for (const listener of [...listeners])
        tellListener(
          () => listener(registered),
          (thrown) => failed.push(thrown),
        );
      if (failed.length > 0) throw failed[0];
    },
    /** Latest last. */
    list: ({ sessionId }: { readonly sessionId?: string } = {}): readonly RegisteredArtifact[] =>
      [...kept.values()].filter(({ meta }) => sessionId === undefined || meta.sessionId === sessionId),
    /** Hears of every artifact from now on. Gives back what ends it, which may be called twice. The listener must not throw. */
    subscribe(listener: (registered: RegisteredArtifact) => void): () => void {
      // Its own function, so that the same listener may subscribe twice.
      const own = (registered: RegisteredArtifact): void => listener(registered);
      listeners.add(own);
      return () => listeners.delete(own);
    },
  };
}
