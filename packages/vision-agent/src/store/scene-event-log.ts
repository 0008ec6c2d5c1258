import type { SceneEvent } from "@vision-agent/protocol";

/** An event before it has an id and a picture. */
export type SceneEventDraft = Omit<SceneEvent, "id" | "picture">;

export interface EventFilter {
  readonly camera?: string;
  readonly className?: string;
  readonly kind?: string;
  /** ISO 8601, inclusive. */
  readonly from?: string;
  /** ISO 8601, exclusive. */
  readonly to?: string;
  /** Default 100, at most 1000. */
  readonly limit?: number;
  /** Which end of the time comes first. Default newest. */
  readonly order?: "newest" | "oldest";
}

/** What happened. Survives a restart. */
export interface SceneEventLog {
  list(filter?: EventFilter): readonly SceneEvent[];
  get(id: string): SceneEvent | undefined;
  /** Called for each new event once its picture is stored. Must not throw. Returns the way to stop. */
  onEvent(listener: (event: SceneEvent) => void): () => void;
}
