// Roboflow's API → model packages and saved workflows

import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { modelError } from "../../errors.ts";
import { createFieldReader, type FieldReader } from "../model-description.ts";
import {
  downloadFile,
  type Fetch,
  type FetchOptions,
  isNetworkFailure,
  refusal,
  toStoreError,
} from "./download-file.ts";
import { installFolder } from "./install-package.ts";

export interface RoboflowApiOptions {
  /** Default: Roboflow's own. */
  readonly url?: string;
  readonly key: string;
  readonly fetch: Fetch;
}

/** An ONNX package of a model, to be fetched. */
interface RemotePackage {
  readonly architecture: string;
  readonly task: string;
  readonly files: readonly RemoteFile[];
}

interface RemoteFile {
  /** `weights.onnx`, `inference_config.json`, … */
  readonly name: string;
  readonly url: string;
  /** Hex; absent when the API gives none. */
  readonly md5: string | undefined;
}

export interface RoboflowApi {
  /** What to fetch for a model. Throws `EngineError` kind `model`. */
  modelPackage(id: string, signal?: AbortSignal): Promise<RemotePackage>;
  /** The definition of a saved workflow. Throws `EngineError` kind `model`; the cause tells whether the network failed. */
  workflow(workspace: string, id: string, signal?: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
}

/** Where Roboflow's API is. */
export const ROBOFLOW_URL = "https://api.roboflow.com";
/** The list of a model's packages comes in pages. */
const MOST_PAGES = 10;
/** Full precision first: what is smaller may need operations that the processor does not have. */
const PRECISIONS = ["fp32", "fp16"];

export function createRoboflowApi({ url = ROBOFLOW_URL, key, fetch }: RoboflowApiOptions): RoboflowApi {
  /** `what` is asked for, for people. */
  async function get(what: string, address: URL, headers: Record<string, string>, signal?: AbortSignal) {
    try {
      const response = await fetch(address, { headers, signal });
      if (!response.ok) throw refusal(what, response.status);
      return await response.json();
    } catch (error) {
      signal?.throwIfAborted();
      throw toApiError(what, error);
    }
  }

  /** All that Roboflow says about a model, page by page. */
  async function pagesOf(
    id: string,
    what: string,
    read: FieldReader,
    signal?: AbortSignal,
  ): Promise<readonly Fields[]> {
    const pages: Fields[] = [];
    let after: unknown;
    do {
      const address = new URL(`${url}/models/v1/external/weights`);
      address.searchParams.set("modelId", id);
      if (typeof after === "string") address.searchParams.set("startAfter", after);
      const answer = read.object(await get(what, address, { authorization: `Bearer ${key}` }, signal), "the answer");
      const page = read.object(answer.modelMetadata, "modelMetadata");
      pages.push(page);
      after = page.nextPage;
    } while (typeof after === "string" && pages.length < MOST_PAGES);
    return pages;
  }

  return {
    async modelPackage(id, signal) {
      const what = `The model "${id}"`;
      const read = createFieldReader(`of "${id}" from Roboflow`);
      const pages = await pagesOf(id, what, read, signal);
      const onnx = bestOnnx(pages.flatMap(({ modelPackages }) => objectsOf(modelPackages, "modelPackages", read)));
      if (onnx === undefined) throw modelError(`${what} has no ONNX weights at Roboflow: it cannot run here.`);
      const { modelArchitecture, taskType } = pages[0]!;
      return {
        architecture: read.text(modelArchitecture, "modelArchitecture"),
        task: read.text(taskType, "taskType"),
        files: objectsOf(onnx.packageFiles, "packageFiles", read).map(({ fileHandle, downloadUrl, md5Hash }) => ({
          name: read.text(fileHandle, "fileHandle"),
          url: read.text(downloadUrl, "downloadUrl"),
          md5: typeof md5Hash === "string" ? md5Hash : undefined,
        })),
      };
    },
    async workflow(workspace, id, signal) {
      const what = `The workflow "${workspace}/${id}"`;
      const read = createFieldReader(`of the workflow "${workspace}/${id}"`);
      const address = new URL(`${url}/${encodeURIComponent(workspace)}/workflows/${encodeURIComponent(id)}`);
      address.searchParams.set("api_key", key);
      const answer = read.object(await get(what, address, {}, signal), "the answer");
      const { config } = read.object(answer.workflow, "workflow");
      const { specification } = read.object(parseJson(what, read.text(config, "workflow.config")), "workflow.config");
      return read.object(specification, "specification");
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

function objectsOf(value: unknown, name: string, read: FieldReader): readonly Fields[] {
  return read.list(value, name).map((item) => read.object(item, name));
}

function bestOnnx(packages: readonly Fields[]): Fields | undefined {
  const manifestOf = ({ packageManifest }: Fields): Fields => (packageManifest ?? {}) as Fields;
  const rank = (item: Fields): number => {
    const place = PRECISIONS.indexOf(String(manifestOf(item).quantization));
    return place === -1 ? PRECISIONS.length : place;
  };
  return packages
    .filter((item) => manifestOf(item).type === "onnx-model-package-v1")
    .toSorted((a, b) => rank(a) - rank(b))[0];
}

function parseJson(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw toApiError(what, error);
  }
}

function toApiError(what: string, error: unknown): unknown {
  if (error instanceof SyntaxError) return modelError(`${what} cannot be read: Roboflow's answer is not JSON.`, error);
  if (!isNetworkFailure(error)) return error;
  return modelError(`${what} cannot be fetched: Roboflow is not reached. Check the connection and try again.`, error);
}

export interface RoboflowPackageRequest extends FetchOptions {
  readonly api: RoboflowApi;
  readonly fetch: Fetch;
  readonly id: string;
  /** Where the model's folder goes. */
  readonly target: string;
}

/** Fetches a model's ONNX package into a folder in Roboflow's own form. Throws `EngineError` kind `model`. */
export async function installRoboflowPackage(request: RoboflowPackageRequest): Promise<void> {
  const { api, fetch, id, target, ...fetching } = request;
  await installFolder(target, fetching, async (draft) => {
    const { architecture, task, files } = await api.modelPackage(id, fetching.signal);
    // Parts that broke off must outlive the draft.
    const parts = `${target}.parts`;
    await mkdir(parts, { recursive: true });
    for (const { name, url, md5 } of files) {
      // A name is a name, never a path to elsewhere.
      const file = join(draft, basename(name));
      const checksum = md5 === undefined ? undefined : ({ algorithm: "md5", encoding: "hex", value: md5 } as const);
      const part = join(parts, basename(name));
      await downloadFile({ ...fetching, fetch, url, name: `${basename(name)} of ${id}`, file, part, checksum });
    }
    const config = { model_architecture: architecture, task_type: task, backend_type: "onnx" };
    await writeFile(join(draft, "model_config.json"), JSON.stringify(config));
    await writeFile(
      join(draft, "NOTICE"),
      `The model "${id}", fetched from Roboflow. Its licence is that of its workspace.\n`,
    );
    await rm(parts, { recursive: true });
  });
}

export interface SavedWorkflowRequest {
  /** Absent: there is no key, only what was fetched before is there. */
  readonly api: RoboflowApi | undefined;
  /** Where definitions are kept. */
  readonly folder: string;
  readonly workspace: string;
  readonly id: string;
  readonly signal?: AbortSignal;
}

const NAME = /^[\w-]+$/;

/** Throws `EngineError` kind `model` when there is neither an answer nor an earlier one. */
export async function loadSavedWorkflow({ api, folder, workspace, id, signal }: SavedWorkflowRequest): Promise<Fields> {
  const name = `${workspace}/${id}`;
  if (!NAME.test(workspace) || !NAME.test(id)) throw modelError(`"${name}" does not name a workspace and a workflow.`);
  const file = join(folder, workspace, `${id}.json`);
  if (api === undefined) {
    const earlier = await loadEarlier(file);
    if (earlier !== undefined) return earlier;
    throw modelError(`The workflow "${name}" is saved at Roboflow: give an API key to fetch it.`);
  }
  try {
    const definition = await api.workflow(workspace, id, signal);
    await keep(file, join(folder, workspace), definition);
    return definition;
  } catch (error) {
    if (!isNetworkFailure(error)) throw error;
    const earlier = await loadEarlier(file);
    if (earlier === undefined) throw error;
    return earlier;
  }
}

async function keep(file: string, folder: string, definition: Fields): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(`${file}.new`, JSON.stringify(definition));
    await rename(`${file}.new`, file);
  } catch (error) {
    throw toStoreError(error, folder);
  }
}

async function loadEarlier(file: string): Promise<Fields | undefined> {
  // Nothing was kept yet.
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Fields);
}
