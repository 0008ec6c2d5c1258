import { isJsonObject, type JsonObject } from "../read-document.ts";

/** The block type of a step that stands for a whole workflow. */
export const INNER_WORKFLOW = "roboflow_core/inner_workflow@v1";

/** How deep workflows may stand in each other, and how many may stand in one. */
export const INNER_LIMITS = { depth: 4, count: 32 };

/** A workflow saved under its author's name. */
export interface SavedWorkflow {
  readonly workspace: string;
  readonly id: string;
  /** Absent: the latest. */
  readonly version?: string;
}

/** Steps of a document; what is no list has none. */
export function stepsOf(document: JsonObject): readonly unknown[] {
  return Array.isArray(document.steps) ? document.steps : [];
}

/** A step whose workflow becomes part of the one it stands in. */
export function isEmbedded(step: unknown): step is JsonObject {
  return isJsonObject(step) && step.type === INNER_WORKFLOW && step.execution_mode !== "remote_dispatch";
}

export function hasDefinition(step: JsonObject): boolean {
  return isJsonObject(step.workflow_definition) && Object.keys(step.workflow_definition).length > 0;
}

/** The saved workflow that a step names; absent when it names none. */
export function savedWorkflowOf(step: JsonObject): SavedWorkflow | undefined {
  const [workspace, id, version] = [step.workflow_workspace_id, step.workflow_id, step.workflow_version_id].map(toText);
  if (workspace === undefined || id === undefined) return undefined;
  return version === undefined ? { workspace, id } : { workspace, id, version };
}

/** For people: "Step "name"". */
export function nameOf(step: JsonObject): string {
  return typeof step.name === "string" ? step.name : "inner_workflow";
}

function toText(value: unknown): string | undefined {
  const text = value === undefined || value === null ? "" : String(value).trim();
  return text === "" ? undefined : text;
}
