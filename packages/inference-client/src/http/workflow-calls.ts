// workflow + pictures → serialised outputs; workflow → problems, interface, workload
import type { Json, WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import { z } from "zod";
import { ClientError } from "../errors.ts";
import { toWorkflowProblems } from "../wire/error-body.ts";
import { encodeImage } from "../wire/image-file.ts";
import { optional, parseAnswer } from "../wire/parse-answer.ts";
import type { SerialisedOutputs } from "../wire/to-outputs.ts";
import { canonicalWorkflow, mayAct, type SavedWorkflowRef } from "../wire/workflow-request.ts";
import type { WarmModels } from "./model-calls.ts";
import type { CallOptions, Transport, WireCall } from "./transport.ts";

export interface WorkflowRun {
  /** Input name → one picture, or several for a batch. */
  readonly images: { readonly [input: string]: Uint8Array | readonly Uint8Array[] };
  readonly parameters?: { readonly [name: string]: Json };
  /** Outputs that need not be sent back. */
  readonly excludedFields?: readonly string[];
  /** True: nothing is sent, stored or notified, and so a failed run may be repeated. */
  readonly disableSinks?: boolean;
}

export interface RunSpecification extends WorkflowRun {
  readonly specification: WorkflowSpec;
}

export interface RunSavedWorkflow extends WorkflowRun, SavedWorkflowRef {}

export interface WorkflowAnswer {
  /** One entry for each picture of the batch; one even for a single picture. */
  readonly outputs: readonly SerialisedOutputs[];
}

export type WorkflowTarget = { readonly specification: WorkflowSpec } | SavedWorkflowRef;

export interface WorkflowInterface {
  /** Input name → kinds it takes. */
  readonly inputs: { readonly [name: string]: readonly string[] };
  /** Output name → kinds it may have; a map for outputs that take a whole step. */
  readonly outputs: {
    readonly [name: string]: readonly string[] | { readonly [field: string]: readonly string[] };
  };
}

export interface WorkflowWorkload {
  readonly engineVersion: string;
  /** Ids of the models it needs, as far as they can be known without running it. */
  readonly modelIds: readonly string[];
  /** False: more models may be chosen at run time. */
  readonly complete: boolean;
}

export interface ServerBlockDescription {
  readonly type: string;
  readonly aliases: readonly string[];
  readonly name: string;
  /** JSON schema of the step. */
  readonly schema: Json;
  readonly outputs: readonly { readonly name: string; readonly kinds: readonly string[] }[];
  /** Range of engine versions, for example `>=1.3.0,<2.0.0`. */
  readonly engine: string | undefined;
}

export interface WorkflowCalls {
  run(request: RunSpecification, options?: CallOptions): Promise<WorkflowAnswer>;
  runSaved(request: RunSavedWorkflow, options?: CallOptions): Promise<WorkflowAnswer>;
  /** Everything wrong with it; empty when it compiles. Model ids are not checked by the server. */
  validate(specification: WorkflowSpec, options?: CallOptions): Promise<readonly WorkflowProblem[]>;
  /** 12 MB on the wire: ask once per server version. */
  describeBlocks(options?: CallOptions): Promise<readonly ServerBlockDescription[]>;
  describeInterface(target: WorkflowTarget, options?: CallOptions): Promise<WorkflowInterface>;
  /** Servers since 1.8. */
  describeWorkload(target: WorkflowTarget, options?: CallOptions): Promise<WorkflowWorkload>;
  /** Versions of the execution engine, for example `1.17.0`. */
  versions(options?: CallOptions): Promise<readonly string[]>;
}

const runSchema = z.object({ outputs: z.array(z.record(z.string(), z.unknown())) });
const kindsSchema = z.array(z.string());
const interfaceSchema = z.object({
  inputs: z.record(z.string(), kindsSchema),
  outputs: z.record(z.string(), z.union([kindsSchema, z.record(z.string(), kindsSchema)])),
});
const workloadSchema = z.object({
  execution_engine_version: z.string(),
  summary: z.object({
    models: z.object({ items: z.array(z.object({ model_id: optional(z.string()) })), complete: z.boolean() }),
  }),
});
const versionsSchema = z.object({ versions: z.array(z.string()) });
const blocksSchema = z.object({
  blocks: z.array(
    z.object({
      manifest_type_identifier: z.string(),
      manifest_type_identifier_aliases: z.array(z.string()).default([]),
      human_friendly_block_name: z.string().default(""),
      block_schema: z.unknown(),
      outputs_manifest: z.array(z.object({ name: z.string(), kind: z.array(z.object({ name: z.string() })) })),
      execution_engine_compatibility: optional(z.string()),
    }),
  ),
});

/** Servers demand some key for a description, though they do not use it. */
const ANY_KEY = { api_key: "none" };

export function createWorkflowCalls(transport: Transport, warm: WarmModels): WorkflowCalls {
  const describe = async (target: WorkflowTarget, word: string, options?: CallOptions): Promise<unknown> => {
    const route =
      "specification" in target ? `/workflows/${word}` : `/{workspace_name}/workflows/{workflow_id}/${word}`;
    const call = {
      method: "POST",
      path: "specification" in target ? route : `${savedPath(target)}/${word}`,
      body: { ...ANY_KEY, ...targetBody(target) },
      key: "body",
      timeout: "describeMs",
      repeat: "idempotent",
      route,
    } as const;
    return (await transport.send(call, options)).json;
  };
  const read = async (path: string, options?: CallOptions): Promise<unknown> => {
    const call = {
      method: "GET",
      path,
      key: "query",
      timeout: "describeMs",
      repeat: "idempotent",
      gzip: true,
    } as const;
    return (await transport.send(call, options)).json;
  };
  return {
    ...createRunCalls(transport, warm),
    validate: (specification, options) => validate(transport, specification, options),
    async describeBlocks(options) {
      const json = await read("/workflows/blocks/describe", options);
      return parseAnswer(blocksSchema, json, "GET /workflows/blocks/describe").blocks.map((block) => ({
        type: block.manifest_type_identifier,
        aliases: block.manifest_type_identifier_aliases,
        name: block.human_friendly_block_name,
        schema: block.block_schema as Json,
        outputs: block.outputs_manifest.map(({ name, kind }) => ({ name, kinds: kind.map((one) => one.name) })),
        engine: block.execution_engine_compatibility,
      }));
    },
    async describeInterface(target, options) {
      return parseAnswer(interfaceSchema, await describe(target, "describe_interface", options), "describe_interface");
    },
    async describeWorkload(target, options) {
      const json = await describe(target, "describe_workload", options);
      const { execution_engine_version, summary } = parseAnswer(workloadSchema, json, "describe_workload");
      const ids = summary.models.items.map(({ model_id }) => model_id).filter((id) => id !== undefined);
      return { engineVersion: execution_engine_version, modelIds: ids, complete: summary.models.complete };
    },
    async versions(options) {
      const path = "/workflows/execution_engine/versions";
      return parseAnswer(versionsSchema, await read(path, options), `GET ${path}`).versions;
    },
  };
}

function createRunCalls(transport: Transport, warm: WarmModels): Pick<WorkflowCalls, "run" | "runSaved"> {
  const send = async (call: WireCall, keys: readonly string[], options?: CallOptions): Promise<WorkflowAnswer> => {
    const { json } = await transport.send(call, options);
    warm.note(keys);
    const { outputs } = parseAnswer(runSchema, json, `POST ${call.path}`);
    return { outputs: outputs as WorkflowAnswer["outputs"] };
  };
  return {
    async run({ specification, ...run }, options) {
      const canonical = canonicalWorkflow(specification, run.parameters);
      const call: WireCall = {
        method: "POST",
        path: "/workflows/run",
        body: { specification: canonical.specification, ...runBody({ ...run, parameters: canonical.parameters }) },
        key: "body",
        timeout: warm.timeoutFor(canonical.modelIds),
        repeat: run.disableSinks === true || !mayAct(specification) ? "idempotent" : "never",
        isHeavy: true,
      };
      return await send(call, canonical.modelIds, options);
    },
    async runSaved({ workspace, workflowId, versionId, useCache, ...run }, options) {
      const saved = { workspace, workflowId, versionId, useCache };
      const path = savedPath(saved);
      const call: WireCall = {
        method: "POST",
        path,
        body: { ...targetBody(saved), ...runBody(run) },
        key: "body",
        timeout: warm.timeoutFor([path]),
        // What it does is not known here.
        repeat: run.disableSinks === true ? "idempotent" : "never",
        isHeavy: true,
      };
      return await send(call, [path], options);
    },
  };
}

async function validate(
  transport: Transport,
  specification: WorkflowSpec,
  options?: CallOptions,
): Promise<readonly WorkflowProblem[]> {
  const body = canonicalWorkflow(specification).specification;
  const call = { method: "POST", path: "/workflows/validate", body, key: "query" } as const;
  try {
    await transport.send({ ...call, timeout: "describeMs", repeat: "idempotent" }, options);
    return [];
  } catch (error) {
    const problems = error instanceof ClientError ? toWorkflowProblems(error) : undefined;
    if (problems === undefined) throw error;
    return problems;
  }
}

function savedPath({ workspace, workflowId }: SavedWorkflowRef): string {
  return `/${encodeURIComponent(workspace)}/workflows/${encodeURIComponent(workflowId)}`;
}

function targetBody(target: WorkflowTarget): object {
  if ("specification" in target) return { specification: canonicalWorkflow(target.specification).specification };
  return { use_cache: target.useCache, workflow_version_id: target.versionId };
}

function runBody({ images, parameters, excludedFields, disableSinks }: WorkflowRun): object {
  const pictures = Object.entries(images).map(([name, given]) => [
    name,
    given instanceof Uint8Array ? encodeImage(given) : given.map(encodeImage),
  ]);
  return {
    inputs: { ...parameters, ...Object.fromEntries(pictures) },
    excluded_fields: excludedFields,
    disable_sinks: disableSinks,
  };
}
