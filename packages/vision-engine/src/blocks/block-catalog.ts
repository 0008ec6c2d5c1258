// every block there is → found by its type

import { ANNOTATE_BLOCKS } from "./annotate/annotate-blocks.ts";
import type { Block, BlockManifest } from "./block.ts";
import { COUNT_BLOCKS } from "./count/count-blocks.ts";
import { CROP_BLOCKS } from "./crop/crop-blocks.ts";
import { DETECT_BLOCKS } from "./detect/detect-blocks.ts";
import { FLOW_BLOCKS } from "./flow/flow-blocks.ts";
import { FORMAT_BLOCKS } from "./format/format-blocks.ts";
import { NOTIFY_BLOCKS } from "./notify/notify-blocks.ts";
import { REFINE_BLOCKS } from "./refine/refine-blocks.ts";
import { SEE_BLOCKS } from "./see/see-blocks.ts";
import { TRACK_BLOCKS } from "./track/track-blocks.ts";

/** A block type by any of its names; without `block` it is known but does not run here. */
export interface CatalogEntry {
  readonly manifest: BlockManifest;
  readonly block?: Block;
}

export interface BlockIndex {
  /** By type id or alias. */
  find(type: string): CatalogEntry | undefined;
  /** Type ids and aliases of the blocks that run here. */
  readonly runnableNames: readonly string[];
}

export function createBlockCatalog(blocks: readonly Block[], manifests: readonly BlockManifest[]): BlockIndex {
  const blockOfType = new Map(blocks.map((block) => [block.manifest.type, block]));
  const others = manifests.filter(({ type }) => !blockOfType.has(type)).map((manifest) => ({ manifest }));
  const entries = [...blocks.map((block) => ({ manifest: block.manifest, block })), ...others];
  const byName = new Map(entries.flatMap((entry) => namesOf(entry.manifest).map((name) => [name, entry] as const)));
  return {
    find: (type) => byName.get(type),
    runnableNames: blocks.flatMap(({ manifest }) => namesOf(manifest)),
  };
}

function namesOf({ type, aliases = [] }: BlockManifest): readonly string[] {
  return [type, ...aliases];
}

/** Every block that runs here, by family. */
export const BLOCKS: readonly Block[] = [
  ...DETECT_BLOCKS,
  ...TRACK_BLOCKS,
  ...COUNT_BLOCKS,
  ...REFINE_BLOCKS,
  ...FLOW_BLOCKS,
  ...FORMAT_BLOCKS,
  ...CROP_BLOCKS,
  ...SEE_BLOCKS,
  ...ANNOTATE_BLOCKS,
  ...NOTIFY_BLOCKS,
];
