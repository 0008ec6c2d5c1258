// alias → the id under which a server keeps the model
import { type Json, MODEL_ALIASES, type WorkflowSpec } from "@vision-agent/protocol";

/** The id itself when it is no alias. A server answers 503 for ever to an alias whose model it has loaded by id. */
export function canonicalModelId(modelId: string): string {
  return MODEL_ALIASES.get(modelId) ?? modelId;
}

/** Replaces aliases in the steps, in the defaults of inputs that choose a model, and in the parameters given for them. */
export function canonicalWorkflow(specification: WorkflowSpec, parameters: { readonly [name: string]: Json } = {}) {
  const found = new Set<string>();
  const steps = specification.steps.map((step) => replaceModelIds(step, found) as typeof step);
  const chosenBy = new Set(
    [...found].filter((id) => id.startsWith("$inputs.")).map((selector) => selector.slice("$inputs.".length)),
  );
  const modelIds = [...found].filter((id) => !id.startsWith("$"));
  const canonical = (name: string, value: unknown): unknown => {
    if (!chosenBy.has(name) || typeof value !== "string") return value;
    modelIds.push(canonicalModelId(value));
    return canonicalModelId(value);
  };
  const inputs = specification.inputs.map((input) => {
    const given = input.default_value;
    const chosen = Object.hasOwn(parameters, input.name) ? given : canonical(input.name, given);
    return chosen === given ? input : { ...input, default_value: chosen };
  });
  const values = Object.entries(parameters).map(([name, value]) => [name, canonical(name, value)] as [string, Json]);
  return {
    specification: { ...specification, inputs, steps },
    parameters: Object.fromEntries(values),
    /** Ids of the models it names, as far as they stand in it. */
    modelIds,
  };
}

function replaceModelIds(value: unknown, found: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceModelIds(item, found));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]): [string, unknown] => {
      if (typeof held !== "string" || !key.endsWith("model_id")) return [key, replaceModelIds(held, found)];
      found.add(canonicalModelId(held));
      return [key, canonicalModelId(held)];
    }),
  );
}

/** A workflow that lies with the platform, or on the server (`local`). */
export interface SavedWorkflowRef {
  /** `local` for a workflow that lies on the server. */
  readonly workspace: string;
  readonly workflowId: string;
  readonly versionId?: string;
  /** False: fetch the definition anew. Default true. Pipelines and sessions do not read it. */
  readonly useCache?: boolean;
}

/** Which workflow a pipeline or a session runs, and with what. */
export interface WorkflowSetup {
  readonly workflow: { readonly specification: WorkflowSpec } | SavedWorkflowRef;
  /** Default `image`. */
  readonly imageInput?: string;
  readonly parameters?: { readonly [name: string]: Json };
  readonly disableSinks?: boolean;
}

export function toWorkflowConfiguration({ workflow, imageInput, parameters, disableSinks }: WorkflowSetup): object {
  const shared = {
    type: "WorkflowConfiguration",
    image_input_name: imageInput ?? "image",
    workflows_parameters: parameters,
    disable_sinks: disableSinks,
  };
  if ("specification" in workflow) {
    const canonical = canonicalWorkflow(workflow.specification, parameters);
    return {
      ...shared,
      workflow_specification: canonical.specification,
      ...(parameters && { workflows_parameters: canonical.parameters }),
    };
  }
  const { workspace, workflowId, versionId } = workflow;
  return { ...shared, workspace_name: workspace, workflow_id: workflowId, workflow_version_id: versionId };
}

/** Words in the names of blocks that send, store or switch something outside the workflow. */
const ACTS =
  /sink|notification|upload|webhook|metadata|aggregator|event|asset_library|mqtt|kafka|modbus|opc|plc|sql|writer|cache_set|inner_workflow/i;

/**
 * True when a run may leave traces, so that sending it again could do everything twice. In doubt it may:
 * code of one's own and blocks of unknown makers can do anything.
 */
export function mayAct(specification: WorkflowSpec): boolean {
  const ownCode = specification.dynamic_blocks_definitions;
  if (Array.isArray(ownCode) && ownCode.length > 0) return true;
  return specification.steps.some(({ type }) => {
    const isForeign = type.includes("/") && !type.startsWith("roboflow_core/");
    return isForeign || ACTS.test(type);
  });
}
