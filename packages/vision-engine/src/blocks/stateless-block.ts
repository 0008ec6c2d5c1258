// what a step gives out depends on nothing but what it takes in

import type { Block, BlockContext, BlockInputs, BlockOutputs, BlockResult, StepText } from "./block.ts";
import { manifestOf } from "./manifests/manifest-of.ts";
import { perElement } from "./per-element.ts";

/** Takes one element where the manifest says that the block takes batches. */
export type ElementRun = (
  inputs: BlockInputs,
  context: BlockContext,
) => BlockOutputs | readonly (BlockOutputs | null)[] | Promise<BlockOutputs>;

export interface StatelessBlockOptions {
  readonly type: string;
  /** One sentence for people and models that choose a block. */
  readonly description: string;
  /** What a step does, as a verb phrase. */
  readonly phrase: string | ((step: StepText) => string);
  readonly run: ElementRun;
}

/** A block that remembers nothing from run to run. */
export function statelessBlock({ type, description, phrase, run }: StatelessBlockOptions): Block {
  const manifest = manifestOf(type);
  const takesBatches = (manifest.batchProperties ?? []).length > 0;
  return {
    manifest,
    description,
    stateless: true,
    phrase: (step) => (typeof phrase === "string" ? phrase : phrase(step)),
    create: (context) => {
      const single = (inputs: BlockInputs) => run(inputs, context);
      return { run: takesBatches ? perElement(single) : (single as (inputs: BlockInputs) => BlockResult) };
    },
  };
}
