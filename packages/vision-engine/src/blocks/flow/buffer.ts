// values of runs → the last few of them, the newest first
import type { Block, BlockValue } from "../block.ts";
import { numberOf } from "../block-inputs.ts";
import { keptValue } from "../kept-value.ts";
import { manifestOf } from "../manifests/manifest-of.ts";

export const buffer: Block = {
  manifest: manifestOf("roboflow_core/buffer@v1"),
  description: "Gives the values of the last runs as a list, the newest first.",
  phrase: ({ properties }) => `keeps the last ${properties.length} values`,
  create: () => {
    let kept: readonly BlockValue[] = [];
    return {
      run(inputs) {
        const length = numberOf(inputs, "length");
        kept = [keptValue(inputs.data ?? null), ...kept].slice(0, length);
        const missing = inputs.pad === true ? Math.max(0, length - kept.length) : 0;
        kept = [...kept, ...new Array<null>(missing).fill(null)];
        return { output: kept };
      },
    };
  },
};
