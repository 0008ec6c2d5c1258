// watches, pipelines, cameras, places, the mode, tasks and notes → how each is kept, and put back
import type { JobSpec, Jobs } from "@vision-agent/agent-core/jobs";
import {
  cameraPlaceSchema,
  cameraSchema,
  modeChangeSchema,
  spendingLimitSchema,
  watchSchema,
} from "@vision-agent/protocol";
import { z } from "zod";
import { FROM_OUTSIDE } from "../../memory/memory.ts";
import type { OpenMemory } from "../../memory/open-markdown-memory.ts";
import { activePipelineSchema } from "../../pipelines/active-state.ts";
import type { PipelineRegistry } from "../../pipelines/pipeline-registry.ts";
import { placesOn } from "../../watches/condition-interests.ts";
import type { Modes } from "../../watches/open-modes.ts";
import type { WatchRegistry } from "../../watches/watch-registry.ts";
import type { CameraRegistry } from "../../workspace/camera-registry.ts";
import type { CredentialStore } from "../../workspace/credential-store.ts";
import type { PlaceStore } from "../../workspace/place-store.ts";
import type { CameraAdmin } from "../camera-admin.ts";
import {
  cameraEffect,
  limitEffect,
  modeEffect,
  noteEffect,
  pipelineEffect,
  placeEffect,
  placeId,
  taskEffect,
  watchEffect,
} from "../effects.ts";
import { limitInWords, type MoneyToolParts } from "../money-tools.ts";
import { UndoError } from "./undo-journal.ts";
import type { UndoKind, UndoKinds } from "./undo-kind.ts";

export interface UndoKindsOptions {
  readonly watches: Pick<WatchRegistry, "list" | "remove" | "putBack">;
  readonly pipelines: Pick<PipelineRegistry, "actives" | "stop" | "putBack">;
  readonly cameras: CameraRegistry;
  readonly cameraAdmin: Pick<CameraAdmin, "uses" | "add" | "change" | "remove">;
  readonly credentials: Pick<CredentialStore, "complete">;
  readonly places: Pick<PlaceStore, "list" | "set" | "remove">;
  readonly modes: Modes;
  readonly jobs: Pick<Jobs, "list" | "upsert" | "remove">;
  readonly spendingLimits: MoneyToolParts["spendingLimits"];
  readonly memory: Pick<OpenMemory, "notesIn" | "removeNote" | "store">;
}

export function createUndoKinds(options: UndoKindsOptions): UndoKinds {
  return {
    watch: watchKind(options),
    pipeline: pipelineKind(options),
    camera: cameraKind(options),
    place: placeKind(options),
    mode: modeKind(options),
    task: taskKind(options),
    note: noteKind(options),
    limit: limitKind(options),
  };
}

function watchKind({ watches }: UndoKindsOptions): UndoKind {
  return {
    all: async () => new Map(watches.list().map((watch) => [watch.id, watchSchema.parse(watch)])),
    async put(from, to) {
      const isGone = to.state === undefined || from.id !== to.id;
      const removed = isGone && from.state !== undefined ? await watches.remove(from.id) : undefined;
      if (to.state === undefined) return watchEffect("removed", removed ?? watchSchema.parse(from.state));
      const watch = await watches.putBack(watchSchema.parse(to.state));
      return watchEffect(from.state === undefined ? "created" : "changed", watch);
    },
  };
}

const keptPipelineSchema = activePipelineSchema.omit({ zones_doubtful_since: true });

function pipelineKind({ pipelines }: UndoKindsOptions): UndoKind {
  return {
    all: async () => new Map(pipelines.actives().map((active) => [active.id, keptPipelineSchema.parse(active)])),
    async put(from, to) {
      if (to.state === undefined) return pipelineEffect("stopped", await pipelines.stop(from.id));
      const active = keptPipelineSchema.parse(to.state);
      const status = await pipelines.putBack(active);
      if (from.state === undefined) return pipelineEffect("started", status);
      return pipelineEffect(active.paused ? "paused" : "resumed", status);
    },
  };
}

/** Its password stays with the credentials. */
function cameraKind({ cameras, cameraAdmin, credentials }: UndoKindsOptions): UndoKind {
  const mustBeUnused = (name: string): void => {
    const { watches, pipelines } = cameraAdmin.uses(name);
    const names = [...watches.map(({ words }) => `the watch "${words}"`), ...pipelines.map((one) => one.name)];
    if (names.length === 0) return;
    throw new UndoError("changed", `${name} is used by ${names.join(", ")}. Remove these first; nothing was undone.`);
  };
  return {
    all: async () => new Map(cameras.list().map((camera) => [camera.name, cameraSchema.parse(camera)])),
    async put(from, to) {
      if (to.state === undefined) {
        mustBeUnused(from.id);
        await cameraAdmin.remove(from.id);
        return cameraEffect("removed", from.id);
      }
      const { source, masks = [], ...about } = cameraSchema.parse(to.state);
      const entry = { ...about, address: credentials.complete(source), masks };
      if (from.state === undefined) return (await cameraAdmin.add(entry)).effects[0]!;
      // The same source keeps the password that it has.
      const { address: _, ...same } = entry;
      const isSame = cameras.find(from.id)?.source === source;
      return (await cameraAdmin.change(from.id, isSame ? same : entry)).effects[0]!;
    },
  };
}

const keptPlaceSchema = z.object({ camera: z.string(), place: cameraPlaceSchema });

function placeKind({ cameras, places, watches }: UndoKindsOptions): UndoKind {
  const mustBeUnused = (camera: string, place: string): void => {
    const used = watches.list().find((watch) => placesOn(watch, camera).some(({ name }) => name === place));
    if (used === undefined) return;
    throw new UndoError(
      "changed",
      `${place} is used by the watch "${used.words}". Remove that first; nothing was undone.`,
    );
  };
  return {
    all: async () =>
      new Map(
        cameras
          .list()
          .flatMap(({ name: camera }) =>
            places.list(camera).map((place) => [placeId(camera, place.name), { camera, place }] as const),
          ),
      ),
    async put(from, to) {
      const { camera, place } = keptPlaceSchema.parse(to.state ?? from.state);
      if (to.state === undefined) {
        mustBeUnused(camera, place.name);
        await places.remove(camera, place.name);
        return placeEffect("removed", camera, place.name);
      }
      await places.set(camera, place);
      return placeEffect(from.state === undefined ? "saved" : "changed", camera, place.name);
    },
  };
}

function modeKind({ modes }: UndoKindsOptions): UndoKind {
  return {
    all: async () => new Map([["mode", modeChangeSchema.parse(modes.current())]]),
    put: async (_from, to) => modeEffect(await modes.change(modeChangeSchema.parse(to.state))),
  };
}

function limitKind({ spendingLimits }: UndoKindsOptions): UndoKind {
  return {
    all: async () => new Map([["spending", spendingLimitSchema.parse(await spendingLimits.current())]]),
    async put(_from, to) {
      const limit = await spendingLimits.change(spendingLimitSchema.parse(to.state));
      return limitEffect(limitInWords(limit));
    },
  };
}

const keptTaskSchema = z.looseObject({
  id: z.string(),
  taskConfig: z.looseObject({ instructions: z.string() }),
});

function taskKind({ jobs }: UndoKindsOptions): UndoKind {
  const isTask = ({ kind }: JobSpec): boolean => kind !== "heartbeat";
  return {
    all: async () => new Map((await jobs.list()).filter(isTask).map((spec) => [spec.id, spec])),
    async put(from, to) {
      const spec = keptTaskSchema.parse(to.state ?? from.state);
      const task = { id: spec.id, instructions: spec.taskConfig.instructions };
      // `upsert` itself refuses what is no job.
      if (to.state !== undefined) await jobs.upsert(spec as unknown as JobSpec);
      else await jobs.remove(spec.id);
      return taskEffect(to.state === undefined ? "cancelled" : "scheduled", task);
    },
  };
}

const keptNoteSchema = z.object({
  path: z.string(),
  text: z.string(),
  category: z.enum(["observation", "knowledge", "preference"]),
  camera: z.string().optional(),
  from_outside: z.boolean(),
});

/** Lines move: a note is found again by what it says. */
function noteKind({ memory }: UndoKindsOptions): UndoKind {
  return {
    all: async () => new Map(),
    async find({ id, state }) {
      const [, path = "", line] = /^(.*):(\d+)$/.exec(id) ?? [];
      const wanted = keptNoteSchema.safeParse(state).data?.text;
      const note = (await memory.notesIn(path)).findLast((one) =>
        wanted === undefined ? one.line === Number(line) : one.text === wanted,
      );
      if (note === undefined) return undefined;
      return keptNoteSchema.parse({ ...note, from_outside: note.metadata?.[FROM_OUTSIDE] === true });
    },
    async put(from, to) {
      const { path, text, category, camera, from_outside } = keptNoteSchema.parse(to.state ?? from.state);
      if (to.state === undefined) {
        await memory.removeNote(path, text);
        return { ...noteEffect({ path, line: 0 }, text, camera), kind: "removed", text: `Removed note "${text}".` };
      }
      const place = await memory.store({
        content: text,
        category,
        ...(camera !== undefined && { camera }),
        ...(from_outside && { metadata: { [FROM_OUTSIDE]: true } }),
      });
      return noteEffect(place, text, camera);
    },
  };
}
