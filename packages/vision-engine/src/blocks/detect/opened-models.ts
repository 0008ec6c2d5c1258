// model ids of a step → models, each opened once
import type { ModelRegistry, ModelsByTask, ModelTask } from "../../models/model.ts";
import type { StepText } from "../block.ts";

/** The models that one step uses. */
export interface OpenedModels<T extends ModelTask> {
  /** Throws `EngineError` kind `model` when it cannot be had; it may be asked for again. */
  get(id: string): Promise<ModelsByTask[T]>;
  /** May be called twice. */
  close(): Promise<void>;
}

export function createOpenedModels<T extends ModelTask>(models: ModelRegistry, task: T): OpenedModels<T> {
  const opened = new Map<string, Promise<ModelsByTask[T]>>();
  return {
    get(id) {
      const known = opened.get(id);
      if (known !== undefined) return known;
      const opening = models.open(id, task);
      opened.set(id, opening);
      // A model that does not open may be asked for again.
      opening.catch(() => opened.delete(id));
      return opening;
    },
    async close() {
      const all = await Promise.allSettled(opened.values());
      opened.clear();
      for (const model of all) if (model.status === "fulfilled") await model.value.close();
    },
  };
}

/** The model that a step names itself, if it does. `property`: where it does so. */
export function literalModel({ properties }: StepText, property = "model_id"): string | undefined {
  const id = properties[property];
  return typeof id === "string" && !id.startsWith("$") ? id : undefined;
}
