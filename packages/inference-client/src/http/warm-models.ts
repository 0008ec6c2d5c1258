import type { InferenceTask } from "../wire/inference-answer.ts";

/** What was learnt about the models of one server while using it. */
export interface WarmModels {
  /** The class of time limit: the first call of a model may download it. */
  timeoutFor(keys: readonly string[]): "inferMs" | "modelLoadMs";
  /** These have answered. */
  note(keys: readonly string[]): void;
  task(modelId: string): InferenceTask | undefined;
  learnTask(modelId: string, task: InferenceTask): void;
  /** They were unloaded. */
  forget(modelId?: string): void;
}

export function createWarmModels(): WarmModels {
  const warm = new Set<string>();
  const tasks = new Map<string, InferenceTask>();
  return {
    timeoutFor: (keys) => (keys.every((key) => warm.has(key)) ? "inferMs" : "modelLoadMs"),
    note(keys) {
      for (const key of keys) warm.add(key);
    },
    task: (modelId) => tasks.get(modelId),
    learnTask: (modelId, task) => void tasks.set(modelId, task),
    forget(modelId) {
      if (modelId === undefined) warm.clear();
      else warm.delete(modelId);
    },
  };
}
