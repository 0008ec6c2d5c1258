// values of several branches or elements → one value or one list
import { Batch } from "../batch.ts";
import type { Block, BlockValue } from "../block.ts";
import { manifestOf } from "../manifests/manifest-of.ts";

export const firstNonEmptyOrDefault: Block = {
  manifest: manifestOf("roboflow_core/first_non_empty_or_default@v1"),
  description: "Gives the first of several values that is there, else a default: joins branches again.",
  stateless: true,
  phrase: () => "takes the first value that is there",
  create: () => ({
    run: ({ data = null, default: fallback = null }) => ({
      output: itemsOf(data).find((item) => (item ?? null) !== null) ?? fallback,
    }),
  }),
};

export const dimensionCollapse: Block = {
  manifest: manifestOf("roboflow_core/dimension_collapse@v1"),
  description: "Gathers the values of all crops of a picture in one list.",
  stateless: true,
  phrase: () => "gathers the values of all parts",
  create: () => ({ run: ({ data = null }) => ({ output: itemsOf(data) }) }),
};

function itemsOf(data: BlockValue): readonly BlockValue[] {
  if (data instanceof Batch) return data.items;
  return Array.isArray(data) ? data : [data];
}
