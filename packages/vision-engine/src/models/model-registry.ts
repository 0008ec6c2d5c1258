// model id → model
import { EngineError } from "../errors.ts";
import type { DetectionModel, ModelRegistry } from "./detection-model.ts";
import { createSimTruthModel, SIM_TRUTH_ID } from "./sim-truth.ts";

const FACTORIES: ReadonlyMap<string, (id: string) => DetectionModel> = new Map([[SIM_TRUTH_ID, createSimTruthModel]]);

/** The models that this package can open by itself. */
export function createModelRegistry(): ModelRegistry {
  return {
    async open(id) {
      const create = FACTORIES.get(id.split("?")[0] as string);
      if (create !== undefined) return create(id);
      const known = [...FACTORIES.keys()].join(", ");
      throw new EngineError({ kind: "model", message: `There is no model "${id}". The models are: ${known}.` });
    },
  };
}
