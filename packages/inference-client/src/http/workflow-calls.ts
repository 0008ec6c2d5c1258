// workflow + pictures → serialised outputs; workflow → problems, interface, workload
import type { Json, WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import { z } from "zod";
import { ClientError } from "../errors.ts";
import { toWorkflowProblems } from "../wire/error-body.ts";
import { encodeImage } from "../wire/image-file.ts";
import { optional } from "../wire/parse-answer.ts";
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

const runSchema = z.object({ outputs: z.array(z.record(z.string(), z.unknown())) });
const kindsSchema = z.array(z.string());
const interfaceSchema = z.object({
  /** Input name → kinds it takes. */
  inputs: z.record(z.string(), kindsSchema),
  /** Output name → kinds it may have; a map for outputs that take a whole step. */
  outputs: z.record(z.string(), z.union([kindsSchema, z.record(z.string(), kindsSchema)])),
});
const workloadSchema = z
  .object({
    execution_engine_version: z.string(),
    summary: z.object({
      models: z.object({ items: z.array(z.object({ model_id: optional(z.string()) })), complete: z.boolean() }),
    }),
  })
  .transform(({ execution_engine_version: engineVersion, summary: { models } }) => ({
    engineVersion,
    /** Ids of the models it needs, as far as they can be known without running it. */
    modelIds: models.items.map(({ model_id }) => model_id).filter((id) => id !== undefined),
    /** False: more models may be chosen at run time. */
    complete: models.complete,
  }));
const versionsSchema = z.object({ versions: z.array(z.string()) }).transform(({ versions }) => versions);
const blockSchema = z
  .object({
    manifest_type_identifier: z.string(),
    manifest_type_identifier_aliases: z.array(z.string()).default([]),
    human_friendly_block_name: z.string().default(""),
    block_schema: z.custom<Json>(),
    outputs_manifest: z.array(z.object({ name: z.string(), kind: z.array(z.object({ name: z.string() })) })),
    execution_engine_compatibility: optional(z.string()),
  })
  .transform((block) => ({
    type: block.manifest_type_identifier,
    aliases: block.manifest_type_identifier_aliases,
    name: block.human_friendly_block_name,
    /** JSON schema of the step. */
    schema: block.block_schema,
    outputs: block.outputs_manifest.map(({ name, kind }) => ({ name, kinds: kind.map((one) => one.name) })),
    /** Range of engine versions, for example `>=1.3.0,<2.0.0`. */
    engine: block.execution_engine_compatibility,
  }));
export type ServerBlockDescription = z.output<typeof blockSchema>;
const blocksSchema = z.object({ blocks: z.array(blockSchema) }).transform(({ blocks }) => blocks);

/** Servers demand some key for a description, though they do not use it. */
const ANY_KEY = { api_key: "none" };

export type WorkflowCalls = ReturnType<typeof createWorkflowCalls>;

export function createWorkflowCalls(transport: Transport, warm: WarmModels) {
  const describe = async <Schema extends z.ZodType>(
    target: WorkflowTarget,
    { word, answer }: { readonly word: string; readonly answer: Schema },
    options?: CallOptions,
  ): Promise<z.output<Schema>> => {
    const route =
      "specification" in target ? `/workflows/${word}` : `/{workspace_name}/workflows/{workflow_id}/${word}`;
    const path = "specification" in target ? route : `${savedPath(target)}/${word}`;
    const call = { method: "POST", path, route, key: "body", timeout: "describeMs", repeats: true } as const;
    return transport.send({ ...call, body: { ...ANY_KEY, ...targetBody(target) }, answer }, options);
  };
  const read = { method: "GET", key: "query", timeout: "describeMs", repeats: true, gzip: true } as const;
  return {
    ...createRunCalls(transport, warm),
    /** Everything wrong with it; empty when it compiles. Model ids are not checked by the server. */
    validate: (specification: WorkflowSpec, options?: CallOptions) => validate(transport, specification, options),
    /** 12 MB on the wire: ask once per server version. */
    describeBlocks: (options?: CallOptions): Promise<readonly ServerBlockDescription[]> =>
      transport.send({ ...read, path: "/workflows/blocks/describe", answer: blocksSchema }, options),
    describeInterface: (target: WorkflowTarget, options?: CallOptions) =>
      describe(target, { word: "describe_interface", answer: interfaceSchema }, options),
    /** Servers since 1.8. */
    describeWorkload: (target: WorkflowTarget, options?: CallOptions) =>
      describe(target, { word: "describe_workload", answer: workloadSchema }, options),
    /** Versions of the execution engine, for example `1.17.0`. */
    versions: (options?: CallOptions): Promise<readonly string[]> =>
      transport.send({ ...read, path: "/workflows/execution_engine/versions", answer: versionsSchema }, options),
  };
}

function createRunCalls(transport: Transport, warm: WarmModels) {
  type Run = Pick<WireCall, "path" | "body" | "repeats">;
  const send = async (run: Run, keys: readonly string[], options?: CallOptions): Promise<WorkflowAnswer> => {
    const call = { method: "POST", key: "body", timeout: warm.timeoutFor(keys), isHeavy: true } as const;
    const { outputs } = await transport.send({ ...call, ...run, answer: runSchema }, options);
    warm.note(keys);
    return { outputs: outputs as WorkflowAnswer["outputs"] };
  };
  return {
    async run({ specification, ...run }: RunSpecification, options?: CallOptions): Promise<WorkflowAnswer> {
      const canonical = canonicalWorkflow(specification, run.parameters);
      const { parameters, modelIds } = canonical;
      const body = { specification: canonical.specification, ...runBody({ ...run, parameters }) };
      const repeats = run.disableSinks === true || !mayAct(specification);
      return send({ path: "/workflows/run", body, repeats }, modelIds, options);
    },
    async runSaved(
      { workspace, workflowId, versionId, useCache, ...run }: RunSavedWorkflow,
      options?: CallOptions,
    ): Promise<WorkflowAnswer> {
      const saved = { workspace, workflowId, versionId, useCache };
      const path = savedPath(saved);
      const body = { ...targetBody(saved), ...runBody(run) };
      // What it does is not known here.
      return send({ path, body, repeats: run.disableSinks === true }, [path], options);
    },
  };
}

async function validate(
  transport: Transport,
  specification: WorkflowSpec,
  options?: CallOptions,
): Promise<readonly WorkflowProblem[]> {
  const body = canonicalWorkflow(specification).specification;
  const call = { method: "POST", path: "/workflows/validate", body, key: "query", timeout: "describeMs" } as const;
  try {
    await transport.send({ ...call, repeats: true, answer: z.unknown() }, options);
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
