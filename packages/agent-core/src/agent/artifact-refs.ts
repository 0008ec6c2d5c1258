// pictures named in a transcript → their references, known without waiting
import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import type { TranscriptEntry } from "../session/session-store.ts";
import type { ArtifactRef } from "../types/artifact.ts";
import type { Part } from "../types/message.ts";

const MAX_KNOWN = 10_000;

export interface ArtifactRefs {
  /** Undefined for what was never loaded, or is gone. */
  get(id: string): ArtifactRef | undefined;
  add(ref: ArtifactRef): void;
  /** Asks the store for every picture that these lines name and nobody knows yet. */
  load(entries: readonly TranscriptEntry[]): Promise<void>;
}

export function createArtifactRefs(store: ArtifactStore): ArtifactRefs {
  const known = new Map<string, ArtifactRef>();
  const add = (ref: ArtifactRef): void => {
    known.set(ref.id, ref);
    const oldest = known.size > MAX_KNOWN ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
  };
  return {
    get: (id) => known.get(id),
    add,
    async load(entries) {
      const ids = new Set(
        entries.flatMap((entry) => (entry.type === "message" ? entry.message.parts.flatMap(idsOf) : [])),
      );
      const refs = await Promise.all([...ids].filter((id) => !known.has(id)).map((id) => store.ref(id)));
      for (const ref of refs) if (ref) add(ref);
    },
  };
}

function idsOf(part: Part): readonly string[] {
  if (part.type === "image") return [part.artifactId];
  return part.type === "tool_result" ? part.content.flatMap(idsOf) : [];
}
