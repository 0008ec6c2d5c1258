import { type Watch, type WatchReport, type WatchRequest, watchSchema } from "@vision-agent/protocol";
import { z } from "zod";
import type { FollowedView } from "../scene/follow-scene.ts";
import { KindedError } from "../workspace/kinded-error.ts";
import type { ConditionChange } from "./evaluate-condition.ts";

/**
 * The durable intentions of this app. Each runs on a pipeline of its camera that it shares with the other watches
 * of the same camera and model, and is there again after a restart.
 * Methods that take an id throw `WatchError` kind `not_found`, with those that exist.
 */
export interface WatchRegistry {
  /**
   * Rejects with `WatchError` kind `invalid` for an unknown camera or class, or with the backend's error when nothing
   * can run. `replaces` is the id of a watch that goes as this one comes, in one step: it stays when this one cannot be made.
   */
  create(request: WatchRequest, options?: { readonly replaces?: string }): Promise<WatchReport>;
  list(): readonly WatchReport[];
  get(id: string): WatchReport;
  /** A watch that is off keeps its place and tells nothing; its pipeline stops when nobody else needs it. */
  setEnabled(id: string, enabled: boolean): Promise<WatchReport>;
  remove(id: string): Promise<WatchReport>;
  /** Lists what was there before the restart. Changes wait for `restore`, which has to follow at once. */
  load(): Promise<void>;
  /** Starts again what was loaded, after what it is given; what cannot start is listed with its reason. */
  restore(started?: Promise<unknown>): Promise<void>;
  /** Called when a condition has come true, or what was told is over. Must not throw. Returns the way to stop. */
  onFiring(listener: (firing: WatchFiring) => void): () => void;
  /** Stops listening; pipelines belong to their registry. May be called twice. */
  close(): Promise<void>;
}

/** What became of a condition, in the view of a camera that shows it. */
export interface WatchFiring extends ConditionChange {
  readonly watch: Watch;
  readonly view: FollowedView;
}

/** Where watches are kept between runs of the program. */
export interface WatchStore {
  load(): Promise<readonly StoredWatch[]>;
  /** Whole or not at all; the last call wins. */
  save(watches: readonly StoredWatch[]): Promise<void>;
}

/** A watch with the pipelines it ran on. */
export const storedWatchSchema = z.object({ watch: watchSchema, pipeline_ids: z.record(z.string(), z.string()) });
export type StoredWatch = z.infer<typeof storedWatchSchema>;

export type WatchErrorKind = "not_found" | "invalid";

export class WatchError extends KindedError<WatchErrorKind> {}
