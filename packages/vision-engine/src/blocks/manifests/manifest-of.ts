// generated file → manifest of a block type
import { readFileSync } from "node:fs";
import { EngineError } from "../../errors.ts";
import type { BlockManifest } from "./block-manifest.ts";

const FILE = new URL("./block-manifests.generated.jsonl", import.meta.url);

/** Every block type of the catalogue, whether it runs here or not. Data instead of code: a module of this size takes long to load. */
export const BLOCK_MANIFESTS: readonly BlockManifest[] = readFileSync(FILE, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));

/** The manifest of a block type that exists. */
export function manifestOf(type: string): BlockManifest {
  const manifest = BLOCK_MANIFESTS.find((candidate) => candidate.type === type);
  if (manifest === undefined) throw new EngineError({ kind: "internal", message: `No manifest of ${type}.` });
  return manifest;
}
