// a camera added, renamed, changed or removed, with everything that belongs to it
import type { Effect, PipelineStatus, WatchReport } from "@vision-agent/protocol";
import PQueue from "p-queue";
import type { Accounts } from "../access/accounts.ts";
import type { EgressRules } from "../egress/egress-rules.ts";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import type { OpenSceneEventLog } from "../store/open-scene-event-log.ts";
import { camerasOf } from "../watches/condition-interests.ts";
import type { WatchRegistry } from "../watches/watch-registry.ts";
import type { CameraRenames } from "../workspace/camera-names.ts";
import type { RegisteredCamera } from "../workspace/camera-registry.ts";
import type { CameraEntry, CameraStore } from "../workspace/camera-store.ts";
import type { CredentialStore } from "../workspace/credential-store.ts";
import type { PlaceStore } from "../workspace/place-store.ts";
import { cameraEffect, pipelineEffect, watchEffect } from "./effects.ts";
import { PartialFailure } from "./graded-tool.ts";

export interface CameraAdminOptions {
  readonly cameras: Pick<CameraStore, "find" | "add" | "change" | "remove">;
  readonly pipelines: Pick<PipelineRegistry, "list" | "stop" | "renameCamera">;
  readonly watches: Pick<WatchRegistry, "list" | "update" | "remove" | "renameCamera">;
  readonly places: Pick<PlaceStore, "renameCamera">;
  readonly rules: Pick<EgressRules, "moveCamera">;
  readonly accounts: Pick<Accounts, "list" | "change">;
  readonly names: Pick<CameraRenames, "begin" | "settle" | "finish" | "underWay">;
  readonly recordings: { renameCamera(from: string, to: string): Promise<void> };
  readonly events: Pick<OpenSceneEventLog, "renameCamera">;
  /** Keeps the password of a camera that goes, so that it can come back. */
  readonly credentials: Pick<CredentialStore, "take">;
}

/** What looks at a camera. */
export interface CameraUses {
  readonly watches: readonly WatchReport[];
  /** Those that no watch started. */
  readonly pipelines: readonly PipelineStatus[];
}

/** What was changed, in the order of the changes. */
export interface CameraChange {
  readonly camera: RegisteredCamera;
  readonly effects: readonly Effect[];
}

/** The one way to change cameras, for tools, pages and `undo` alike. Rejects with `CameraStoreError` or `StoreError`. */
export type CameraAdmin = Pick<Admin, keyof Admin>;

export function createCameraAdmin(options: CameraAdminOptions): CameraAdmin {
  return new Admin(options);
}

class Admin {
  readonly #options: CameraAdminOptions;
  /** One rename at a time. */
  readonly #renaming = new PQueue({ concurrency: 1 });

  constructor(options: CameraAdminOptions) {
    this.#options = options;
  }

  uses(name: string): CameraUses {
    const watches = this.#options.watches.list().filter((watch) => camerasOf(watch).some((one) => isSame(one, name)));
    const owned = new Set(watches.flatMap((watch) => watch.pipelines.map(({ pipeline_id }) => pipeline_id)));
    const pipelines = this.#options.pipelines
      .list()
      .filter(({ video_reference, pipeline_id }) => isSame(video_reference, name) && !owned.has(pipeline_id));
    return { watches, pipelines };
  }

  async add(entry: CameraEntry): Promise<CameraChange> {
    const camera = await this.#options.cameras.add(entry);
    return { camera, effects: [cameraEffect("saved", camera.name)] };
  }

  /** Under a new name it keeps its watches, pipelines, places, masks and what people decided about it. */
  async change(name: string, changes: Partial<CameraEntry>): Promise<CameraChange> {
    const { cameras, credentials } = this.#options;
    const before = cameras.find(name);
    if (before && changes.address !== undefined && changes.address !== before.address) {
      await credentials.take(before.address);
    }
    const was = before?.name ?? name;
    const wanted = changes.name?.trim() ?? was;
    if (wanted === was) {
      return { camera: await cameras.change(name, changes), effects: [cameraEffect("changed", was)] };
    }
    return this.#renaming.add(async () => {
      const camera = await this.#renameRow(was, { ...changes, name: wanted });
      await this.#rename(was, camera.name);
      return { camera, effects: [cameraEffect("renamed", camera.name, was)] };
    });
  }

  /** Goes on with a rename that a crash cut off. Call it once pipelines and watches are loaded. */
  async resume(): Promise<void> {
    const cut = this.#options.names.underWay();
    if (cut) await this.#renaming.add(() => this.#rename(cut.from, cut.to));
  }

  async #renameRow(was: string, changes: Partial<CameraEntry> & { readonly name: string }): Promise<RegisteredCamera> {
    const { cameras, names } = this.#options;
    await names.begin(was, changes.name);
    try {
      return await cameras.change(was, changes);
    } finally {
      await names.settle((name) => cameras.find(name)?.name === name);
    }
  }

  /** Everything but its row in `CAMERAS.md`. Each part may be done again, so that a crash can come anywhere. */
  async #rename(from: string, to: string): Promise<void> {
    const { names, recordings, pipelines, places, watches, events } = this.#options;
    await this.#moveDecisions(from, to);
    await recordings.renameCamera(from, to);
    await pipelines.renameCamera(from, to);
    await places.renameCamera(from, to);
    await watches.renameCamera(from, to);
    await events.renameCamera(from, to);
    await names.finish();
  }

  /** Its watches and pipelines go first; a watch that has other cameras keeps those. Places and masks stay written down. */
  async remove(name: string): Promise<CameraChange> {
    const { cameras, pipelines, watches, credentials } = this.#options;
    const effects: Effect[] = [];
    const { watches: affected } = this.uses(name);
    try {
      for (const watch of affected) {
        const rest = watch.cameras.filter((one) => !isSame(one, name));
        const isLeft = rest.length > 0 && camerasOf({ ...watch, cameras: rest }).every((one) => !isSame(one, name));
        effects.push(
          isLeft
            ? watchEffect("changed", await watches.update(watch.id, { cameras: rest }))
            : watchEffect("removed", await watches.remove(watch.id)),
        );
      }
      for (const { pipeline_id } of this.uses(name).pipelines) {
        effects.push(pipelineEffect("stopped", await pipelines.stop(pipeline_id)));
      }
      const known = cameras.find(name);
      if (known) await credentials.take(known.address);
      const camera = await cameras.remove(name);
      await this.#moveDecisions(camera.name, undefined);
      return { camera, effects: [...effects, cameraEffect("removed", camera.name)] };
    } catch (thrown) {
      throw effects.length === 0 ? thrown : new PartialFailure(thrown, effects);
    }
  }

  /** What people decided about a camera goes with its name; a new camera under an old name gets none of it. */
  async #moveDecisions(from: string, to: string | undefined): Promise<void> {
    const { accounts, rules } = this.#options;
    for (const { name, cameras: seen } of accounts.list()) {
      if (!seen?.some((one) => isSame(one, from))) continue;
      const left = seen.filter((one) => !isSame(one, from));
      await accounts.change(name, { cameras: to === undefined ? left : [...left, to] });
    }
    await rules.moveCamera(from, to);
  }
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
