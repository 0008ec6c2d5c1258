// a watch → the pipelines it looks through, shared with other watches
import { type WatchRequest, watchSchema } from "@vision-agent/protocol";
import { z } from "zod";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { watchingWorkflow } from "../pipelines/watching-workflow.ts";
import { isWanted, USUAL_CONFIDENCE } from "../scene/scene-interest.ts";
import type { CameraRegistry, RegisteredCamera } from "../workspace/camera-registry.ts";
import { camerasOf, lookedForOn, outputsOf, type SoughtThings } from "./condition-interests.ts";
import { WatchError } from "./watch-error.ts";

/** A watch with the pipelines it ran on. */
export const storedWatchSchema = z.object({ watch: watchSchema, pipeline_ids: z.record(z.string(), z.string()) });
export type StoredWatch = z.infer<typeof storedWatchSchema>;

export interface CameraAssignmentOptions {
  readonly pipelines: Pick<PipelineRegistry, "start" | "stop" | "list">;
  readonly cameras: CameraRegistry;
  /** The detector of a camera unless the watch names another. */
  readonly modelFor: (address: string) => string;
  /** Class names that a model can find; undefined when nobody knows. */
  readonly classesOf: (modelId: string) => readonly string[] | undefined;
}

/** A detector, and the lowest score where that is below the usual one. */
interface DetectorWish {
  readonly modelId: string;
  readonly confidence?: number;
}

/** A watch on one camera: a detector that runs for it, or a pipeline of somebody else whose outputs it judges. */
export interface CameraAssignment {
  camera: string;
  readonly looks: DetectorWish | { readonly output: string };
  /** Absent while it is off or cannot run. */
  pipelineId?: string | undefined;
  /** Why it cannot run. */
  reason?: string;
}

/** Calls must come one after the other: two watches on one camera must not start two pipelines. */
export class CameraAssignments {
  readonly #options: CameraAssignmentOptions;
  readonly #attached = new Set<CameraAssignment>();

  constructor(options: CameraAssignmentOptions) {
    this.#options = options;
  }

  /** As `CAMERAS.md` spells it. Throws `WatchError` kind `invalid` for an unknown one. */
  findCamera(name: string): RegisteredCamera {
    const { cameras } = this.#options;
    const camera = cameras.find(name);
    if (camera !== undefined) return camera;
    const names = cameras.list().map((each) => each.name);
    const there = names.length > 0 ? `Cameras are: ${names.join(", ")}.` : "No camera is set up.";
    throw new WatchError("invalid", `There is no camera ${name}. ${there}`);
  }

  /** The request with its cameras as `CAMERAS.md` spells them. Throws `WatchError` kind `invalid` for an unknown one. */
  withCameraNames(request: WatchRequest): WatchRequest {
    const nameOf = (name: string): string => this.findCamera(name).name;
    const { condition } = request;
    const cameras = [...new Set(request.cameras.map(nameOf))];
    if (condition.kind !== "sequence") return { ...request, cameras };
    const steps = condition.steps.map(({ camera, ...step }) => ({
      ...step,
      ...(camera && { camera: nameOf(camera) }),
    }));
    return { ...request, cameras, condition: { ...condition, steps } };
  }

  /** Throws `WatchError` kind `invalid` for an unknown camera or pipeline, or a class that its model cannot find. */
  plan(request: WatchRequest): readonly CameraAssignment[] {
    const detectors = camerasOf(request).flatMap((name) => {
      const camera = this.findCamera(name);
      const sought = lookedForOn(request, name);
      const usual = this.#options.modelFor(camera.address);
      for (const { classes, modelId = usual } of sought) this.#mustFind(modelId, classes);
      return detectorsFor(sought, usual).map((looks) => ({ camera: camera.name, looks }));
    });
    const outputs = [...new Set(outputsOf(request))].map((output) => {
      const pipelines = this.#options.pipelines.list();
      const pipeline = pipelines.find((one) => isCalled(one, output));
      if (pipeline === undefined) {
        const names = pipelines.map(({ name }) => name).join(", ") || "none";
        throw new WatchError("invalid", `There is no pipeline ${output}. Pipelines are: ${names}.`);
      }
      const camera = pipeline.video_reference;
      if (!camerasOf(request).includes(camera)) {
        throw new WatchError("invalid", `The pipeline ${output} runs on ${camera}: name that camera for the watch.`);
      }
      return { camera, looks: { output } };
    });
    return [...detectors, ...outputs];
  }

  #mustFind(modelId: string, classes: readonly string[]): void {
    const known = this.#options.classesOf(modelId);
    const unknown = known ? classes.filter((wanted) => !isWanted(known, wanted)) : [];
    if (known === undefined || unknown.length === 0) return;
    const message = `The model ${modelId} cannot find ${unknown.join(", ")}. It finds: ${known.join(", ")}. Name a model that knows it (model_id).`;
    throw new WatchError("invalid", message);
  }

  /** As they were before a restart, not attached yet; a camera that is gone keeps its name. */
  recall({ watch, pipeline_ids }: StoredWatch): readonly CameraAssignment[] {
    const assignments = camerasOf(watch).flatMap((name) => {
      const camera = this.#options.cameras.find(name);
      const detectors = detectorsFor(lookedForOn(watch, name), this.#options.modelFor(camera?.address ?? ""));
      return detectors.map((looks) => ({ camera: camera?.name ?? name, looks }));
    });
    const outputs = [...new Set(outputsOf(watch))].map((output) => ({
      camera: watch.cameras[0] ?? "",
      looks: { output },
    }));
    return withKeys([...assignments, ...outputs]).map(([key, one]) => ({ ...one, pipelineId: pipeline_ids[key] }));
  }

  /** Looks through its own pipeline when that still runs, another watch's, or a new one. */
  async attach(assignment: CameraAssignment): Promise<void> {
    const { pipelines } = this.#options;
    const { camera, looks } = assignment;
    delete assignment.reason;
    if ("output" in looks) {
      assignment.pipelineId = pipelines.list().find((one) => isCalled(one, looks.output))?.pipeline_id;
      return;
    }
    const alive = new Set(
      pipelines.list().flatMap(({ pipeline_id, status }) => (OVER.includes(status) ? [] : pipeline_id)),
    );
    const isSame = (other: CameraAssignment): boolean =>
      other.camera === camera &&
      "modelId" in other.looks &&
      other.looks.modelId === looks.modelId &&
      other.looks.confidence === looks.confidence;
    const shared = [assignment, ...this.#attached].find((other) => isSame(other) && alive.has(other.pipelineId ?? ""));
    this.#attached.add(assignment);
    const before = assignment.pipelineId;
    assignment.pipelineId = shared?.pipelineId;
    if (shared) return;
    const request = { videoReference: camera, spec: watchingWorkflow(looks), name: `${camera}-watch` };
    assignment.pipelineId = (await pipelines.start(request)).pipeline_id;
    // The other watches of the camera saw nothing either.
    for (const other of this.#attached) {
      if (isSame(other) && !alive.has(other.pipelineId ?? "")) other.pipelineId = assignment.pipelineId;
    }
    if (before !== undefined && pipelines.list().some(({ pipeline_id }) => pipeline_id === before)) {
      await pipelines.stop(before);
    }
  }

  /** A pipeline goes when no other watch needs it. */
  async detach(assignments: readonly CameraAssignment[]): Promise<void> {
    const { pipelines } = this.#options;
    for (const assignment of assignments) {
      const { pipelineId, looks } = assignment;
      assignment.pipelineId = undefined;
      this.#attached.delete(assignment);
      if ("output" in looks) continue;
      const isNeeded = [...this.#attached].some((other) => other.pipelineId === pipelineId);
      const runs = pipelines.list().some(({ pipeline_id }) => pipeline_id === pipelineId);
      if (runs && !isNeeded && pipelineId !== undefined) await pipelines.stop(pipelineId);
    }
  }
}

/** One for each model: it asks for the lowest score that any of them wants. */
export function detectorsFor(sought: readonly SoughtThings[], usual: string): readonly DetectorWish[] {
  return [...Map.groupBy(sought, ({ modelId = usual }) => modelId)].map(([modelId, things]) => {
    const confidence = Math.min(...things.map((one) => one.confidence ?? USUAL_CONFIDENCE));
    return { modelId, ...(confidence < USUAL_CONFIDENCE && { confidence }) };
  });
}

/** These see nothing any more, and do not begin again by themselves. */
const OVER: readonly string[] = ["ended", "stopped"];

function isCalled(
  { name, pipeline_id }: { readonly name: string; readonly pipeline_id: string },
  wanted: string,
): boolean {
  return pipeline_id === wanted || name.toLowerCase() === wanted.toLowerCase();
}

/** Under which name the pipeline of each is stored: its camera, and for a second one also what it looks for. */
export function withKeys<T extends CameraAssignment>(assignments: readonly T[]): readonly (readonly [string, T])[] {
  return assignments.map((one, at) => {
    const isFirst = assignments.findIndex(({ camera }) => camera === one.camera) === at;
    const looks = "output" in one.looks ? one.looks.output : one.looks.modelId;
    return [isFirst ? one.camera : `${one.camera} ${looks}`, one] as const;
  });
}
