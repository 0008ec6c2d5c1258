// the catalogue + a folder of weights → which models can be had, and which are here
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { CATALOGUE } from "./catalogue.data.ts";

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
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}
