import type { ArtifactRef } from "../types/message.ts";

/**
 * Whose it is, or who asks: a user, a session, or both. An artifact belongs to every user and every session that put it.
 * Who asks finds what belongs to their user or to their session, and what was put without a scope, which anybody may
 * read. Without a scope the host itself asks and finds everything. What is forbidden looks like what does not exist.
 */
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
  /** Where the bytes come from, in the host's own words. Bytes that come again keep those of before, too. */
  readonly sources?: readonly string[] | undefined;
  /** Absent: anybody may read it. Bytes that come again belong to both. */
  readonly scope?: ArtifactScope;
}

/** All that is named must fit. */
export interface ArtifactFilter {
  readonly namespace?: string;
  /** Only what belongs to this user or this session; what anybody may read is on nobody's list. */
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
  /** Undefined when the id is unknown to who asks, or its bytes are gone. */
  get(id: string, scope?: ArtifactScope): Promise<Uint8Array | undefined>;
  ref(id: string, scope?: ArtifactScope): Promise<ArtifactRef | undefined>;
  /** Oldest first. */
  list(filter?: ArtifactFilter): Promise<readonly ArtifactRef[]>;
  /** For the host alone. Also what is pinned. False when there was nothing to remove. */
  remove(id: string): Promise<boolean>;
  /**
   * Kept by every sweep while somebody holds it. The same holder twice counts once.
   * Throws `AgentError` kind `invalid`, code `unknown_artifact` when there is nothing to keep.
   */
  pin(id: string, by: string, scope?: ArtifactScope): Promise<void>;
  /** No error where nothing was pinned. */
  unpin(id: string, by: string, scope?: ArtifactScope): Promise<void>;
  /** Removes what is older or more than the retention allows, unless it is pinned. `now`: milliseconds since 1970. */
  sweep(retention: Retention, now: number): Promise<{ readonly removed: number; readonly bytes: number }>;
}
