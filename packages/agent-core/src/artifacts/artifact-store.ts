import type { ArtifactRef } from "../types/artifact.ts";

export interface PutOptions {
  readonly mimeType: string;
  /** Groups artifacts by origin, e.g. `input_image`, `tool_image`. */
  readonly namespace: string;
  readonly filename?: string;
}

/** Where bytes live. The same bytes put twice give the same id. */
export interface ArtifactStore {
  /** False when a restart loses everything. */
  readonly durable: boolean;
  put(bytes: Uint8Array, options: PutOptions): Promise<ArtifactRef>;
  /** Undefined when the id is unknown or its bytes are gone. */
  get(id: string): Promise<Uint8Array | undefined>;
  ref(id: string): Promise<ArtifactRef | undefined>;
  list(filter?: { readonly namespace?: string }): Promise<readonly ArtifactRef[]>;
  /** False when there was nothing to remove. */
  remove(id: string): Promise<boolean>;
}
