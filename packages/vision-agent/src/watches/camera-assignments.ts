// a watch on one camera → the pipeline it looks through, shared with other watches, and what is followed for it
import { type Watch, type WatchRequest, watchSchema } from "@vision-agent/protocol";
import { z } from "zod";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { watchingWorkflow } from "../pipelines/watching-workflow.ts";
import type { SceneFollower } from "../scene/open-scene.ts";
import { isWanted } from "../scene/scene-interest.ts";
import type { CameraRegistry } from "../workspace/camera-registry.ts";
import { type HeldCondition, interestOf } from "./evaluate-condition.ts";
import { WatchError } from "./watch-error.ts";

/** A watch with the pipelines it ran on. */
export const storedWatchSchema = z.object({ watch: watchSchema, pipeline_ids: z.record(z.string(), z.string()) });
export type StoredWatch = z.infer<typeof storedWatchSchema>;

export interface CameraAssignmentOptions {
  readonly pipelines: Pick<PipelineRegistry, "start" | "stop" | "list">;
  readonly scene: Pick<SceneFollower, "follow" | "onView">;
  readonly cameras: CameraRegistry;
  /** The detector of a camera unless the watch names another. */
  readonly modelFor: (address: string) => string;
  /** Class names that a model can find; undefined when nobody knows. */
  readonly classesOf: (modelId: string) => readonly string[] | undefined;
}

/** A watch on one of its cameras. */
export interface CameraAssignment {
  readonly camera: string;
  readonly modelId: string;
  /** Absent while it is off or cannot run. */
  pipelineId?: string | undefined;
  /** Why it cannot run. */
  reason?: string;
  held?: HeldCondition;
  unfollow?: (() => void) | undefined;
}

/** Calls must come one after the other: two watches on one camera must not start two pipelines. */
export class CameraAssignments {
  readonly #options: CameraAssignmentOptions;
  readonly #attached = new Set<CameraAssignment>();

  constructor(options: CameraAssignmentOptions) {
    this.#options = options;
  }

  /** Throws `WatchError` kind `invalid` for an unknown camera, or a class that its model cannot find. */
  plan({ cameras, classes, model_id }: WatchRequest): readonly CameraAssignment[] {
    return [...new Set(cameras)].map((name) => {
      const camera = this.#options.cameras.find(name);
      if (camera === undefined) {
        const names = this.#options.cameras.list().map((each) => each.name);
        const there = names.length > 0 ? `Cameras are: ${names.join(", ")}.` : "No camera is set up.";
        throw new WatchError("invalid", `There is no camera ${name}. ${there}`);
      }
      const modelId = model_id ?? this.#options.modelFor(camera.address);
      const known = this.#options.classesOf(modelId);
      const unknown = known ? classes.filter((wanted) => !isWanted(known, wanted)) : [];
      if (known && unknown.length > 0) {
        const message = `The model ${modelId} cannot find ${unknown.join(", ")}. It finds: ${known.join(", ")}. Name a model that knows it (model_id).`;
        throw new WatchError("invalid", message);
      }
      return { camera: camera.name, modelId };
    });
  }

  /** As they were before a restart, not attached yet; a camera that is gone keeps its name. */
  recall({ watch, pipeline_ids }: StoredWatch): readonly CameraAssignment[] {
    return watch.cameras.map((name) => {
      const camera = this.#options.cameras.find(name);
      const modelId = watch.model_id ?? this.#options.modelFor(camera?.address ?? "");
      return { camera: camera?.name ?? name, modelId, pipelineId: pipeline_ids[name] };
    });
  }

  /** Looks through its own pipeline when that still runs, another watch's, or a new one. */
  async attach(assignment: CameraAssignment, watch: Pick<Watch, "condition" | "classes">): Promise<void> {
    const { pipelines, scene } = this.#options;
    const { camera, modelId } = assignment;
    const interest = interestOf(watch);
    assignment.unfollow ??= interest && scene.follow(camera, interest);
    const running = new Set(pipelines.list().map(({ pipeline_id }) => pipeline_id));
    const shared = [assignment, ...this.#attached].find(
      (other) => other.camera === camera && other.modelId === modelId && running.has(other.pipelineId ?? ""),
    );
    this.#attached.add(assignment);
    assignment.pipelineId = shared?.pipelineId;
    delete assignment.reason;
    if (shared) return;
    const request = { videoReference: camera, spec: watchingWorkflow({ modelId }), name: `${camera}-watch` };
    assignment.pipelineId = (await pipelines.start(request)).pipeline_id;
  }

  /** A pipeline goes when no other watch needs it. */
  async detach(assignments: readonly CameraAssignment[]): Promise<void> {
    const { pipelines } = this.#options;
    for (const assignment of assignments) {
      const { pipelineId, unfollow } = assignment;
      unfollow?.();
      Object.assign(assignment, { pipelineId: undefined, unfollow: undefined, held: undefined });
      this.#attached.delete(assignment);
      const isNeeded = [...this.#attached].some((other) => other.pipelineId === pipelineId);
      const runs = pipelines.list().some(({ pipeline_id }) => pipeline_id === pipelineId);
      if (runs && !isNeeded && pipelineId !== undefined) await pipelines.stop(pipelineId);
    }
  }
}
