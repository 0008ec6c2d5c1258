import { nearestName } from "../nearest-name.ts";

/** The block type that was most likely meant, whatever its prefix and version; the latest version of several. */
export function nearestBlock(written: string, types: readonly string[]): string | undefined {
  const core = nearestName(coreName(written), types.map(coreName));
  return types.filter((type) => coreName(type) === core).at(-1);
}

function coreName(type: string): string {
  return type.replace(/^.*\//, "").replace(/@.*$/, "").replaceAll("_", "").toLowerCase();
}
