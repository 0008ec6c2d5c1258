// value of one run → kept by name for later runs of the same video
import type { Block, BlockContext, BlockInstance, BlockValue } from "../block.ts";
import { imageOf, textOf } from "../block-inputs.ts";
import { keptValue } from "../kept-value.ts";
import { manifestOf } from "../manifests/manifest-of.ts";

export const cacheSet: Block = {
  manifest: manifestOf("roboflow_core/cache_set@v1"),
  description: "Keeps a value under a name for later runs of the same video.",
  sharesMemory: true,
  phrase: ({ properties }) => `keeps a value as '${properties.key}'`,
  create: (context) =>
    cacheInstance(context, (kept, key, value) => {
      kept.set(key, keptValue(value));
      return value;
    }),
};

export const cacheGet: Block = {
  manifest: manifestOf("roboflow_core/cache_get@v1"),
  description: "Gives back the value that was kept under a name for this video; false when there is none.",
  sharesMemory: true,
  phrase: ({ properties }) => `reads what was kept as '${properties.key}'`,
  create: (context) => cacheInstance(context, (kept, key) => (kept.has(key) ? kept.get(key)! : false)),
};

function cacheInstance(
  { memory, now }: BlockContext,
  use: (kept: Map<string, BlockValue>, key: string, value: BlockValue) => BlockValue,
): BlockInstance {
  return {
    run(inputs) {
      const { videoIdentifier } = imageOf(inputs, "image").videoOrDefault(now());
      const kept = memory.get(videoIdentifier) ?? new Map<string, BlockValue>();
      memory.set(videoIdentifier, kept);
      return { output: use(kept, textOf(inputs, "key"), inputs.value ?? null) };
    },
  };
}
