// a workflow and its parameters → the part of a request that pipelines and WebRTC sessions share
import type { Json, WorkflowSpec } from "@vision-agent/protocol";
import { canonicalWorkflow } from "./canonical-model-id.ts";

/** A workflow that lies with the platform, or on the server (`local`). */
export interface SavedWorkflow {
  /** `local` for a workflow that lies on the server. */
  readonly workspace: string;
  readonly workflowId: string;
  readonly versionId?: string;
  /** False: fetch the definition anew. Default true. Pipelines and sessions do not read it. */
  readonly useCache?: boolean;
}

/** Which workflow a pipeline or a session runs, and with what. */
export interface WorkflowSetup {
  readonly workflow: { readonly specification: WorkflowSpec } | SavedWorkflow;
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
