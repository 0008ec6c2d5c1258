// test-only blocks of the peer + our own blocks → the catalogue that recorded workflows are replayed with
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BLOCK_MANIFESTS, type Block, type BlockManifest, type PropertyManifest } from "../../src/blocks/block.ts";
import { BLOCKS, type BlockIndex, createBlockCatalog } from "../../src/blocks/block-catalog.ts";
import { vectorFolders } from "../vectors-folder.ts";
import { FAULTY_MANIFESTS } from "./faulty-manifests.data.ts";
import { BEHAVIOURS } from "./stub-behaviours.ts";

/** A block as the vectors describe it. */
interface RecordedBlock {
  readonly type: string;
  readonly properties: readonly PropertyManifest[];
  readonly outputs: readonly { readonly name: string; readonly kind: readonly string[] }[];
  readonly input_dimensionality_offsets: Readonly<Record<string, number>>;
  readonly dimensionality_reference_property: string | null;
  readonly output_dimensionality_offset: number;
  readonly batch_params: readonly string[];
  readonly batch_or_scalar_params: readonly string[];
  readonly auto_batch_cast_params: readonly string[];
  readonly accepts_empty: boolean;
}

/** Read once, from the first folder that describes the blocks. */
export function createStubCatalog(): BlockIndex {
  const file = vectorFolders()
    .map((folder) => join(folder, "stub-blocks.json"))
    .find(existsSync);
  const recorded: readonly RecordedBlock[] = file === undefined ? [] : JSON.parse(readFileSync(file, "utf8"));
  const stubs = [...recorded.map(toManifest), ...FAULTY_MANIFESTS].map(toBlock);
  return createBlockCatalog([...BLOCKS, ...stubs], BLOCK_MANIFESTS);
}

function toManifest(block: RecordedBlock): BlockManifest {
  const reference = block.dimensionality_reference_property;
  return {
    type: block.type,
    name: block.type,
    family: "test",
    properties: block.properties,
    outputs: block.outputs.map(({ name, kind }) => ({ name, kinds: kind })),
    outputDimensionalityOffset: block.output_dimensionality_offset,
    inputDimensionalityOffsets: block.input_dimensionality_offsets,
    ...(reference === null ? {} : { dimensionalityReferenceProperty: reference }),
    batchProperties: block.batch_params,
    batchOrScalarProperties: block.batch_or_scalar_params,
    autoBatchCastProperties: block.auto_batch_cast_params,
    ...(block.accepts_empty ? { acceptsEmpty: true } : {}),
  };
}

function toBlock(manifest: BlockManifest): Block {
  return {
    manifest,
    description: "A block of the peer's tests.",
    phrase: () => "tests",
    create: (context) => {
      const behaviour = BEHAVIOURS[manifest.type];
      if (behaviour === undefined) throw new Error(`Nobody wrote what ${manifest.type} does.`);
      return { run: behaviour(context) };
    },
  };
}
