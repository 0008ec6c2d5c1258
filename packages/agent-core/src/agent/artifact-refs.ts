// pictures that transcripts name → what is known of them, without waiting
import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import type { TranscriptEntry } from "../session/session-store.ts";
import type { ArtifactRef, Part } from "../types/message.ts";

const MAX_KNOWN_REFS = 10_000;

/** Pictures named in transcripts, known without waiting. */
export class ArtifactRefs {
  readonly #store: Pick<ArtifactStore, "ref">;
  readonly #known = new Map<string, ArtifactRef>();

  constructor(store: Pick<ArtifactStore, "ref">) {
    this.#store = store;
  }

  /** Undefined for what was never loaded, or is gone. */
  get(id: string): ArtifactRef | undefined {
    return this.#known.get(id);
  }

  add(ref: ArtifactRef): void {
    this.#known.set(ref.id, ref);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN_REFS && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Asks the store for every picture that the lines from this place on name and nobody knows yet. */
  async load(entries: readonly TranscriptEntry[], from: number): Promise<void> {
    const ids = new Set<string>();
    for (let at = from; at < entries.length; at++) {
      const entry = entries[at];
      if (entry?.type !== "message") continue;
      for (const part of entry.message.parts) for (const id of idsOf(part)) ids.add(id);
    }
    const refs = await Promise.all([...ids].filter((id) => !this.#known.has(id)).map((id) => this.#store.ref(id)));
    for (const ref of refs) if (ref) this.add(ref);
  }
}

function idsOf(part: Part): readonly string[] {
  if (part.type === "image") return [part.artifactId];
  return part.type === "tool_result" ? part.content.flatMap(idsOf) : [];
}
