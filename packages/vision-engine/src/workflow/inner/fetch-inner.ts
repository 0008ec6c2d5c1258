// document that names saved workflows → document that holds them
import { Refusal } from "../findings.ts";
import { isJsonObject, type JsonObject } from "../read-document.ts";
import { hasDefinition, INNER_LIMITS, isEmbedded, nameOf, savedWorkflowOf, stepsOf } from "./inner-step.ts";

/** Gets the definition of a saved workflow; without a version the latest. */
export type FetchWorkflow = (workspace: string, id: string, version?: string) => Promise<unknown>;

/** Whether a document cannot be read without fetching. */
export function namesSavedWorkflow(document: JsonObject, depth = 0): boolean {
  if (depth > INNER_LIMITS.depth) return false;
  return stepsOf(document).some((step) => {
    if (!isEmbedded(step)) return false;
    if (savedWorkflowOf(step) !== undefined) return true;
    return isJsonObject(step.workflow_definition) && namesSavedWorkflow(step.workflow_definition, depth + 1);
  });
}

/** Throws `Refusal` when saved workflows stand in each other without end, too deep, or are too many. */
export async function fetchInner(document: JsonObject, fetchWorkflow: FetchWorkflow): Promise<JsonObject> {
  const fetched = new Map<string, Promise<unknown>>();
  let count = 0;
  const expand = async (parent: JsonObject, path: readonly string[], depth: number): Promise<JsonObject> => {
    const steps: unknown[] = [];
    for (const step of stepsOf(parent)) {
      if (!isEmbedded(step)) {
        steps.push(step);
        continue;
      }
      count += 1;
      checkLimits(nameOf(step), depth + 1, count);
      steps.push(await expandStep(step, path, depth + 1));
    }
    return Array.isArray(parent.steps) ? { ...parent, steps } : parent;
  };
  const expandStep = async (step: JsonObject, path: readonly string[], depth: number): Promise<JsonObject> => {
    const saved = savedWorkflowOf(step);
    const place = { step: nameOf(step), property: "workflow_id" };
    if (saved === undefined) {
      if (!isJsonObject(step.workflow_definition)) return step;
      return { ...step, workflow_definition: await expand(step.workflow_definition, path, depth) };
    }
    checkSource(step);
    const key = JSON.stringify([saved.workspace, saved.id, saved.version]);
    if (path.includes(key)) {
      throw new Refusal("innerCycle", `The saved workflow "${saved.id}" stands in itself.`, place);
    }
    if (!fetched.has(key)) fetched.set(key, fetchWorkflow(saved.workspace, saved.id, saved.version));
    const child = await fetched.get(key);
    if (!isJsonObject(child)) {
      throw new Refusal("innerSource", `The saved workflow "${saved.id}" is no workflow definition.`, place);
    }
    const { workflow_workspace_id, workflow_id, workflow_version_id, ...rest } = step;
    return { ...rest, workflow_definition: await expand(child, [...path, key], depth) };
  };
  return expand(document, [], 0);
}

/** A step holds a workflow or names one, not both. */
export function checkSource(step: JsonObject): void {
  const isNamed = savedWorkflowOf(step) !== undefined;
  if (isNamed !== hasDefinition(step)) return;
  const message = isNamed
    ? "A step with workflow_definition names no saved workflow besides."
    : "The step needs a workflow_definition, or workflow_workspace_id and workflow_id.";
  throw new Refusal("innerSource", message, { step: nameOf(step), property: "workflow_definition" });
}

export function checkLimits(step: string, depth: number, count: number): void {
  const place = { step, property: "workflow_definition" };
  if (depth > INNER_LIMITS.depth) {
    throw new Refusal("innerDepth", `Workflows stand in each other at most ${INNER_LIMITS.depth} deep.`, place);
  }
  if (count > INNER_LIMITS.count) {
    throw new Refusal("innerCount", `At most ${INNER_LIMITS.count} inner workflows may stand in one.`, place);
  }
}
