// recorded arguments of a call → context and inputs of a block

import {
  BlockBatch,
  type BlockContext,
  type BlockInputs,
  type BlockManifest,
  type BlockValue,
} from "../src/blocks/block.ts";
import { modelRegistryOf } from "../src/testing/index.ts";
import { decodeObject } from "./decode-value.ts";
import type { RecordedObject } from "./vector-record.ts";

export function contextOf(clock: { readonly now: number }, context: Partial<BlockContext> = {}): BlockContext {
  let ids = 0;
  return {
    step: { name: "step", properties: {} },
    models: modelRegistryOf([]),
    newId: () => {
      ids += 1;
      return `00000000-0000-4000-8000-${String(ids).padStart(12, "0")}`;
    },
    now: () => clock.now,
    random: () => 0.5,
    effects: {},
    memory: new Map(),
    ...context,
  };
}

/** Arguments of the peer's `run` → inputs of ours: defaults filled in, lists made batches where the manifest says so. */
export async function inputsOf(manifest: BlockManifest, call: RecordedObject): Promise<BlockInputs> {
  const given = (await decodeObject(call)) as Record<string, BlockValue>;
  const inputs: Record<string, BlockValue> = {};
  for (const { name, default: value = null } of manifest.properties) inputs[name] = value as BlockValue;
  for (const name in given) {
    const value = given[name]!;
    const isBatch = manifest.batchProperties?.includes(name) || (manifest.inputDimensionalityOffsets?.[name] ?? 0) > 0;
    inputs[name] = isBatch && Array.isArray(value) ? new BlockBatch(value) : value;
  }
  return inputs;
}
