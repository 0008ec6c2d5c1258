// workspace and id → the workflow saved at Roboflow, from its API or as it was fetched last
import { join } from "node:path";
import { type WorkflowSpec, workflowSpecSchema } from "@vision-agent/protocol";
import { z } from "zod";
import type { FilePort } from "../workspace/file-port.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { parseJson } from "../workspace/parse-json.ts";
import { BackendError } from "./backend.ts";

export interface SavedWorkflow {
  readonly spec: WorkflowSpec;
  /** ISO 8601. */
  readonly fetchedAt: string;
  /** Said when Roboflow did not answer and an earlier copy is given. */
  readonly note?: string;
}

export interface SavedWorkflows {
  /**
   * Asks Roboflow each time, and gives the copy of the last time when it is not reached.
   * Throws `BackendError`: `not_found` when there is no such workflow, `unavailable` when nobody can say.
   */
  load(workspace: string, workflowId: string, signal?: AbortSignal): Promise<SavedWorkflow>;
}

export interface SavedWorkflowsOptions {
  readonly files: FilePort;
  /** Where copies are kept. */
  readonly folder: string;
  /** Roboflow's API, without a path. */
  readonly apiUrl: string;
  /** Absent gives copies only. */
  readonly apiKey?: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** So long may Roboflow take. Default 10 000. */
  readonly timeoutMs?: number;
  /** Told when a copy cannot be kept. Must not throw. */
  readonly onProblem: (message: string) => void;
}

const NAME = /^[\w-]+$/;
const TIMEOUT_MS = 10_000;

const copySchema = z.object({ fetched_at: z.iso.datetime(), specification: workflowSpecSchema });
const answerSchema = z.object({ workflow: z.object({ config: z.string() }) });
const configSchema = z.object({ specification: workflowSpecSchema });

/** Roboflow gave no answer that can be used; a copy may stand in. */
class NotReached extends Error {}

export function createSavedWorkflows(options: SavedWorkflowsOptions): SavedWorkflows {
  const { files, folder, apiKey, now, onProblem } = options;

  async function loadCopy(path: string): Promise<SavedWorkflow | undefined> {
    const { data } = copySchema.safeParse(parseJson((await files.readText(path)) ?? ""));
    return data && { spec: data.specification, fetchedAt: data.fetched_at };
  }

  async function keep(path: string, { spec, fetchedAt }: SavedWorkflow): Promise<void> {
    try {
      await files.makeFolder(join(path, ".."));
      await files.writeAtomic(path, `${JSON.stringify({ fetched_at: fetchedAt, specification: spec }, null, 2)}\n`);
    } catch (error) {
      const reason = reasonOf(error);
      onProblem(`A saved workflow could not be kept for times without a connection: ${reason}`);
    }
  }

  return {
    async load(workspace, workflowId, signal) {
      const name = `${workspace}/${workflowId}`;
      if (!NAME.test(workspace) || !NAME.test(workflowId)) {
        throw new BackendError({ kind: "not_found", message: `"${name}" does not name a workspace and a workflow.` });
      }
      const path = join(folder, workspace, `${workflowId}.json`);
      try {
        if (apiKey === undefined) throw new NotReached("there is no key: set inference.api_key or ROBOFLOW_API_KEY");
        const spec = await fetchSpec({ ...options, apiKey }, workspace, workflowId, signal);
        const fresh = { spec, fetchedAt: new Date(now()).toISOString() };
        await keep(path, fresh);
        return fresh;
      } catch (error) {
        if (!(error instanceof NotReached)) throw error;
        const copy = await loadCopy(path);
        if (copy === undefined) throw outOfReach(name, error);
        const note = `The saved workflow ${name} is used as it was on ${copy.fetchedAt}: ${error.message}.`;
        return { ...copy, note };
      }
    },
  };
}

/** The key is in the address alone, which no error repeats. */
async function fetchSpec(
  { apiUrl, apiKey, timeoutMs = TIMEOUT_MS }: { apiUrl: string; apiKey: string; timeoutMs?: number },
  workspace: string,
  workflowId: string,
  signal?: AbortSignal,
): Promise<WorkflowSpec> {
  const address = new URL(`${apiUrl.replace(/\/+$/, "")}/${workspace}/workflows/${workflowId}`);
  address.searchParams.set("api_key", apiKey);
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(address, { signal: signal ? AbortSignal.any([signal, limit]) : limit });
    if (response.ok) return readSpec(await response.text());
    await response.body?.cancel();
    throw refusal(`${workspace}/${workflowId}`, response.status);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof BackendError || error instanceof NotReached) throw error;
    const reason = limit.aborted ? `it took longer than ${timeoutMs / 1000} s` : "it is not reached";
    throw new NotReached(reason, { cause: error });
  }
}

function outOfReach(name: string, cause: NotReached): BackendError {
  const message = `The saved workflow ${name} cannot be had from Roboflow: ${cause.message}.`;
  return new BackendError({ kind: "unavailable", message, cause });
}

function readSpec(text: string): WorkflowSpec {
  const { data } = answerSchema.safeParse(parseJson(text));
  const config = configSchema.safeParse(parseJson(data?.workflow.config ?? ""));
  if (config.success) return config.data.specification;
  throw new NotReached("its answer is no workflow");
}

function refusal(name: string, status: number): Error {
  if (status === 404) {
    return new BackendError({ kind: "not_found", message: `Roboflow knows no workflow ${name}.` });
  }
  if (status === 401 || status === 403) {
    const message = `Roboflow refuses the key for the workflow ${name}: check inference.api_key.`;
    return new BackendError({ kind: "unavailable", message });
  }
  return new NotReached(`it answered ${status}`);
}
