import type { ArtifactRef } from "../types/message.ts";

/** Whose it is. In a filter, an absent field fits anybody. */
export interface ArtifactScope {
  readonly sessionId?: string;
  readonly userId?: string;
}

/** What the caller says about the bytes. */
export interface PutOptions {
  readonly mimeType: string;
  /** Groups artifacts by origin, e.g. `input_image`, `tool_image`. The first put decides. */
  readonly namespace: string;
  readonly filename?: string;
  /** Absent belongs to nobody in particular. Bytes that come again belong to both. */
  readonly scope?: ArtifactScope;
}

/** All that is named must fit. */
export interface ArtifactFilter {
  readonly namespace?: string;
  /** Only what was put with a scope that fits. */
  readonly scope?: ArtifactScope;
}

/** How long things are kept; absent is without limit. Per namespace where one is named. */
export interface Retention {
  /** Milliseconds since the bytes were last put. */
  readonly maxAgeMs?: number;
  /** Pinned ones count, and stay: the oldest others go first. */
  readonly maxBytes?: number;
  readonly namespace?: string;
}

/** Where bytes live. The same bytes put twice give the same id. */
export interface ArtifactStore {
  /** False when a restart loses everything. */
  readonly durable: boolean;
  /** Throws `AgentError` kind `invalid`, code `image_type_mismatch` when the bytes are not what was declared. */
  put(bytes: Uint8Array, options: PutOptions): Promise<ArtifactRef>;
  /** Undefined when the id is unknown or its bytes are gone. */
  get(id: string): Promise<Uint8Array | undefined>;
  ref(id: string): Promise<ArtifactRef | undefined>;
  /** Oldest first. */
  list(filter?: ArtifactFilter): Promise<readonly ArtifactRef[]>;
  /** Also what is pinned. False when there was nothing to remove. */
  remove(id: string): Promise<boolean>;
  /**
   * Kept by every sweep while somebody holds it. The same holder twice counts once.
   * Throws `AgentError` kind `invalid`, code `unknown_artifact` when there is nothing to keep.
   */
  pin(id: string, by: string): Promise<void>;
  /** No error where nothing was pinned. */
  unpin(id: string, by: string): Promise<void>;
  /** Removes what is older or more than the retention allows, unless it is pinned. `now`: milliseconds since 1970. */
  sweep(retention: Retention, now: number): Promise<{ readonly removed: number; readonly bytes: number }>;
}
