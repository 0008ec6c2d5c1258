// model id → model
import { EngineError } from "../errors.ts";
import type { ModelRegistry, ModelsByTask, ModelTask } from "./model.ts";
import { createSimTruthModel, SIM_TRUTH_ID } from "./sim-truth.ts";

/** Opens the models of one family; absent when the id is none of its own. */
export interface ModelFamily {
  readonly ids: readonly string[];
  open<T extends ModelTask>(id: string, task: T): Promise<ModelsByTask[T]> | undefined;
}

/** Models of these families, and `sim/truth` for simulated cameras. */
export function createModelRegistry(families: readonly ModelFamily[] = []): ModelRegistry {
  return {
    async open<T extends ModelTask>(id: string, task: T): Promise<ModelsByTask[T]> {
      if (id.split("?")[0] === SIM_TRUTH_ID && task === "object-detection") {
        return createSimTruthModel(id) as ModelsByTask[T];
      }
      for (const family of families) {
        const opening = family.open(id, task);
        if (opening !== undefined) return opening;
      }
      const known = [SIM_TRUTH_ID, ...families.flatMap(({ ids }) => ids)].join(", ");
      throw new EngineError({ kind: "model", message: `There is no model "${id}". The models are: ${known}.` });
    },
  };
}
