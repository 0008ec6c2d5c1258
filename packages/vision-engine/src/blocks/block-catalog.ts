import type { Block } from "./block.ts";
import type { BlockManifest } from "./manifests/block-manifest.ts";

/** A block type by any of its names; without `block` it is known but does not run here. */
export interface CatalogEntry {
  readonly manifest: BlockManifest;
  readonly block?: Block;
}

export interface BlockCatalog {
  /** By type id or alias. */
  find(type: string): CatalogEntry | undefined;
  /** Type ids and aliases of the blocks that run here. */
  readonly runnableNames: readonly string[];
}

export function createBlockCatalog(blocks: readonly Block[], manifests: readonly BlockManifest[]): BlockCatalog {
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
