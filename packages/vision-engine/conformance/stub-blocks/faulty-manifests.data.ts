import type { BlockManifest } from "../../src/blocks/block.ts";

const IMAGES_AND_CROPS: BlockManifest["properties"] = [
  { name: "images", type: "sel<image>", required: true },
  { name: "crops", type: "sel<*>", required: true },
];

function faulty(type: string, fields: Partial<BlockManifest>): BlockManifest {
  const outputs = [{ name: "output", kinds: ["*"] }];
  return { type, name: type, family: "test", properties: IMAGES_AND_CROPS, outputs, ...fields };
}

/** Blocks whose declarations are wrong, or easily wired wrong: they are compiled only. */
export const FAULTY_MANIFESTS: readonly BlockManifest[] = [
  faulty("BlockRequestingDifferentDims", {
    inputDimensionalityOffsets: { images: 0, crops: 1 },
    dimensionalityReferenceProperty: "images",
  }),
  faulty("ExpectsTheSameDimensionality", {}),
  faulty("BlockOffsetsNotInProperRange", { inputDimensionalityOffsets: { images: 0, crops: 2 } }),
  faulty("BlockWithNegativeOffset", { inputDimensionalityOffsets: { images: -1, crops: 0 } }),
  faulty("DimensionalityReferencePropertyIsNotBatch", {
    properties: [{ name: "dim_reference", type: "str", required: true }],
    dimensionalityReferenceProperty: "dim_reference",
  }),
  faulty("OutputDimensionalityInInvalidRange", { outputDimensionalityOffset: 2 }),
  faulty("LackOfZeroGroundOffset", { inputDimensionalityOffsets: { images: 1, crops: 2 } }),
  faulty("LackOfRequiredReferenceProperty", { inputDimensionalityOffsets: { images: 0, crops: 1 } }),
];
