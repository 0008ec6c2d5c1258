// workspace and id → workflow definition, from Roboflow or as it was fetched last
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { modelError } from "../model-error.ts";
import type { RoboflowApi } from "./roboflow-api.ts";
import { isNetworkFailure, toStoreError } from "./store-errors.ts";

export interface SavedWorkflowRequest {
  /** Absent: there is no key, only what was fetched before is there. */
  readonly api: RoboflowApi | undefined;
  /** Where definitions are kept. */
  readonly folder: string;
  readonly workspace: string;
  readonly id: string;
  readonly signal?: AbortSignal;
}

type Definition = Readonly<Record<string, unknown>>;

const NAME = /^[\w-]+$/;

/** Throws `EngineError` kind `model` when there is neither an answer nor an earlier one. */
export async function loadSavedWorkflow({
  api,
  folder,
  workspace,
  id,
  signal,
}: SavedWorkflowRequest): Promise<Definition> {
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

async function keep(file: string, folder: string, definition: Definition): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(`${file}.new`, JSON.stringify(definition));
    await rename(`${file}.new`, file);
  } catch (error) {
    throw toStoreError(error, folder);
  }
}

async function loadEarlier(file: string): Promise<Definition | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Definition);
}
