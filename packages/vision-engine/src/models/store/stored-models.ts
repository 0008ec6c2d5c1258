// model id → model, fetched on first use

import { join } from "node:path";
import { modelError } from "../../errors.ts";
import { createDefaultDetector } from "../embedded/default-detector.ts";
import type { DetectionModel, ModelsByTask, ModelTask, TextReadingModel } from "../model.ts";
import type { ModelDescription } from "../model-description.ts";
import type { ModelFamily } from "../model-registry.ts";
import { createClassificationModel, createDetectionModel } from "../onnx-model.ts";
import type { InferenceRuntime } from "../runtime/tensor-session.ts";
import { CATALOGUE } from "./catalogue.data.ts";
import type { FetchOptions } from "./download-file.ts";
import type { StoredModel } from "./local-model.ts";
import type { ModelStore, PreparedModel } from "./model-store.ts";

export interface StoredModelsOptions extends FetchOptions {
  readonly store: ModelStore;
  readonly runtime: InferenceRuntime;
  /** Opens the reader of texts from the folder of its weights. */
  readonly openTextReader: (folder: string, runtime: InferenceRuntime) => Promise<TextReadingModel>;
}

type BuiltInModel = Extract<PreparedModel, { kind: "built-in" }>;

/** Everything in the store, for the registry. It takes every id, so that it can say how a model could be had: put it last. */
export function createStoredModels({ store, runtime, openTextReader, ...fetching }: StoredModelsOptions): ModelFamily {
  async function openBuiltIn(model: BuiltInModel, task: ModelTask): Promise<ModelsByTask[ModelTask]> {
    const { builtIn, folders, id } = model;
    if (builtIn === "default-detector" && (task === "object-detection" || task === "embedding")) {
      return openDefaultDetector(model, runtime);
    }
    if (builtIn === "ocr" && task === "text-reading") return openTextReader(folders[0]!, runtime);
    throw modelError(`The model "${id}" is not made for ${task}. Choose another one.`);
  }

  return {
    ids: CATALOGUE.map(({ id }) => id),
    async open<T extends ModelTask>(id: string, task: T): Promise<ModelsByTask[T]> {
      const prepared = await store.prepareModel(id, fetching);
      const opened =
        prepared.kind === "built-in" ? openBuiltIn(prepared, task) : openDescribed(prepared.model, task, runtime);
      return (await opened) as ModelsByTask[T];
    },
  };
}

async function openDefaultDetector(
  { id, folders, substitutedFor }: BuiltInModel,
  runtime: InferenceRuntime,
): Promise<DetectionModel & ModelsByTask["embedding"]> {
  const [ssdlite, nanodet] = await Promise.all(folders.map((folder) => runtime.open(join(folder, "weights.onnx"))));
  return createDefaultDetector({
    id: substitutedFor ?? id,
    ssdlite: ssdlite!,
    ...(nanodet && { nanodet }),
    ...(substitutedFor !== undefined && {
      note: `The model "${substitutedFor}" cannot be had without a Roboflow API key: "${id}" stands in for it, with the same classes and other boxes.`,
    }),
  });
}

const DETECTIONS: ReadonlySet<ModelTask> = new Set(["object-detection", "instance-segmentation", "keypoint-detection"]);

async function openDescribed(
  { description, weights }: StoredModel,
  task: ModelTask,
  runtime: InferenceRuntime,
): Promise<ModelsByTask[ModelTask]> {
  if (taskOf(description) !== task) {
    throw modelError(
      `The model "${description.id}" is made for ${description.task}, not for ${task}. Choose another one.`,
    );
  }
  const session = await runtime.open(weights);
  try {
    return DETECTIONS.has(task)
      ? createDetectionModel(description, session)
      : createClassificationModel(description, session);
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** Absent for tasks that no block opens by a description. */
function taskOf({ task }: ModelDescription): ModelTask | undefined {
  if (task === "multi-label-classification" || task === "classification") return "classification";
  return DETECTIONS.has(task as ModelTask) ? (task as ModelTask) : undefined;
}
