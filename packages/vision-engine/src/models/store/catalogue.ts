// the catalogue + a folder of weights → which models can be had, and which are here

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { CATALOGUE, type CatalogueEntry, COCO_DETECTORS, OTHER_ALIASES } from "./catalogue.data.ts";

/** The entry of an id or alias. */
export function catalogueEntry(id: string): CatalogueEntry | undefined {
  return CATALOGUE.find((entry) => entry.id === id || entry.aliases.includes(id));
}

/** The id that an alias of Roboflow's stands for; any other name is an id itself. */
export function toModelId(name: string): string {
  return COCO_DETECTORS.get(name) ?? OTHER_ALIASES.get(name) ?? name;
}

const COCO_DETECTOR_IDS: ReadonlySet<string> = new Set(COCO_DETECTORS.values());

/** Whether it finds boxes of the 80 COCO classes, so that another such detector can stand in for it. */
export function isCocoDetector(id: string): boolean {
  return COCO_DETECTOR_IDS.has(id);
}

/** Everything that can be opened by name without a key, for lists and suggestions. */
export function knownModelNames(): readonly string[] {
  return [...CATALOGUE.flatMap(({ id, aliases }) => [id, ...aliases]), ...COCO_DETECTORS.keys(), ...COCO_DETECTOR_IDS];
}

/** A model that can be had without a key. */
export interface ListedModel {
  readonly id: string;
  /** What it is, in one sentence. */
  readonly summary: string;
  /** All of its weights are on this machine. */
  readonly cached: boolean;
}

/** `folder` is that of the model store; it need not be there. */
export async function listModels(folder: string): Promise<readonly ListedModel[]> {
  return Promise.all(
    CATALOGUE.map(async ({ id, summary, packages }) => {
      // A package's folder appears whole or not at all.
      const there = await Promise.all(packages.map((wanted) => isFolder(join(folder, wanted.folder))));
      return { id, summary, cached: there.every(Boolean) };
    }),
  );
}

async function isFolder(path: string): Promise<boolean> {
  // What cannot be looked at is no folder of models.
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}
