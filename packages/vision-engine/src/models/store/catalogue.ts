// the catalogue + a folder of weights → which models can be had, and which are here

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { MODEL_ALIASES } from "@vision-agent/protocol";
import { CATALOGUE, type CatalogueEntry } from "./catalogue.data.ts";

/** The entry of an id or alias. */
export function catalogueEntry(id: string): CatalogueEntry | undefined {
  return CATALOGUE.find((entry) => entry.id === id || entry.aliases.includes(id));
}

/** Roboflow's models that can run here; its other aliases stand for models of servers. */
const ALIASES = [...MODEL_ALIASES].filter(([, id]) => /^(?:coco|classifiers|microsoft)\b/.test(id));
const ID_OF_ALIAS: ReadonlyMap<string, string> = new Map(ALIASES);
/** Alias, id. */
const COCO_DETECTORS = ALIASES.filter(([, id]) => id.startsWith("coco/"));
const COCO_DETECTOR_IDS: ReadonlySet<string> = new Set(COCO_DETECTORS.map(([, id]) => id));

/** The id that an alias of Roboflow's stands for; any other name is an id itself. */
export function toModelId(name: string): string {
  return ID_OF_ALIAS.get(name) ?? name;
}

/** Whether it finds boxes of the 80 COCO classes, so that another such detector can stand in for it. */
export function isCocoDetector(id: string): boolean {
  return COCO_DETECTOR_IDS.has(id);
}

/** Everything that can be opened by name without a key, for lists and suggestions. */
export function knownModelNames(): readonly string[] {
  const aliases = COCO_DETECTORS.map(([alias]) => alias);
  return [...CATALOGUE.flatMap((entry) => [entry.id, ...entry.aliases]), ...aliases, ...COCO_DETECTOR_IDS];
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
