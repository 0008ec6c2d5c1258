import { EngineError } from "../../errors.ts";
import type { BlockManifest } from "./block-manifest.ts";
import { BLOCK_MANIFESTS } from "./block-manifests.generated.ts";

/** The manifest of a block type that exists. */
export function manifestOf(type: string): BlockManifest {
  const manifest = BLOCK_MANIFESTS.find((candidate) => candidate.type === type);
  if (manifest === undefined) throw new EngineError({ kind: "internal", message: `No manifest of ${type}.` });
  return manifest;
}
