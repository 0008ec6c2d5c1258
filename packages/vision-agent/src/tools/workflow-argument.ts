// workflow_spec, model_id or a saved workflow, as a model writes them → one checked workflow
import type { Json } from "@vision-agent/agent-core";
import { type WorkflowProblem, type WorkflowSpec, workflowSpecSchema } from "@vision-agent/protocol";
import { BackendError } from "../backends/backend.ts";
import { reachOf } from "./block-effects.ts";
import { type CallGrade, schemaFor, type ToolArguments } from "./graded-tool.ts";

type WorkflowParameters = { readonly [name: string]: Json };

export const WORKFLOW_PROPERTIES = {
  model_id: { type: "string", description: "Model to detect with." },
  workspace_name: { type: "string", description: "With workflow_id: a workflow saved at Roboflow." },
  workflow_id: { type: "string" },
  workflow_spec: schemaFor<unknown>({
    type: "object",
    description: "Inline workflow: version, inputs, steps, outputs.",
  }),
  parameters: schemaFor<WorkflowParameters>({
    type: "object",
    description: "Values for the workflow's parameters.",
  }),
} as const;

/** What a call says about what is to run. */
type WorkflowArguments = ToolArguments<typeof WORKFLOW_PROPERTIES>;

/** Which of the three ways a call chose. */
export type WorkflowChoice =
  | { readonly kind: "model"; readonly modelId: string }
  | { readonly kind: "saved_workflow"; readonly workspace: string; readonly workflowId: string }
  | { readonly kind: "workflow"; readonly spec: WorkflowSpec };

/** Undefined when it chose none. Throws a sentence when it chose several, or half of one. */
export function toWorkflowChoice(args: WorkflowArguments): WorkflowChoice | undefined {
  const { model_id, workspace_name: workspace, workflow_id: workflowId, workflow_spec } = args;
  const saved = workspace !== undefined || workflowId !== undefined;
  const chosen = [model_id !== undefined, saved, workflow_spec !== undefined].filter(Boolean).length;
  if (chosen > 1) throw new Error("Give one of workflow_spec, model_id, and workspace_name with workflow_id.");
  if (model_id !== undefined) return { kind: "model", modelId: model_id };
  if (workflow_spec !== undefined) return { kind: "workflow", spec: parseWorkflow(workflow_spec) };
  if (!saved) return undefined;
  if (workspace === undefined || workflowId === undefined) {
    const missing = workspace === undefined ? "workspace_name" : "workflow_id";
    throw new Error(`A saved workflow needs workspace_name and workflow_id; ${missing} is missing.`);
  }
  return { kind: "saved_workflow", workspace, workflowId };
}

/** Throws everything that is wrong with the form, one line each. */
export function parseWorkflow(value: unknown): WorkflowSpec {
  const parsed = workflowSpecSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => ({
    step: null,
    property: path.join("."),
    message: `${message}.`,
  }));
  throw new Error(rejection(problems));
}

/** Values become the defaults of the inputs, so that they hold after a restart too. */
export function withParameters(spec: WorkflowSpec, parameters: WorkflowParameters = {}): WorkflowSpec {
  const known = spec.inputs.filter(({ type }) => type === "WorkflowParameter" || type === "InferenceParameter");
  const unknown = Object.keys(parameters).filter((name) => !known.some((input) => input.name === name));
  if (unknown.length > 0) {
    const names = known.map(({ name }) => name).join(", ") || "none";
    throw new Error(`The workflow has no parameter ${unknown.join(", ")}. Its parameters: ${names}.`);
  }
  return {
    ...spec,
    inputs: spec.inputs.map((input) =>
      Object.hasOwn(parameters, input.name) ? { ...input, default_value: parameters[input.name] } : input,
    ),
  };
}

export function rejection(problems: readonly WorkflowProblem[]): string {
  return `The workflow has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}:\n${formatProblems(problems)}`;
}

/** Step, property, what is wrong, nearest name: one line each. */
export function formatProblems(problems: readonly WorkflowProblem[]): string {
  return problems
    .map(({ step, property, message, did_you_mean }) => {
      const place = [step, property].filter((word) => word !== null).join(".");
      const nearest = did_you_mean === undefined ? "" : ` Did you mean "${did_you_mean}"?`;
      return `- ${place === "" ? "" : `${place}: `}${message}${nearest}`;
    })
    .join("\n");
}

/** Adds the problems that the message does not hold; anything else passes as it is. */
export function toToolFailure(thrown: unknown): unknown {
  if (!(thrown instanceof BackendError) || thrown.problems.length === 0) return thrown;
  return new Error(`${thrown.message}\n${formatProblems(thrown.problems)}`, { cause: thrown });
}

/** How far a workflow reaches when it runs. `question`: what a person is asked about the call as a whole. */
export function gradeWorkflow(spec: WorkflowSpec, question: string): CallGrade {
  const destinations = reachOf(spec);
  if (destinations.length === 0) return { grade: "change", question };
  const isPaid = destinations.some(({ kind }) => kind === "paid");
  return { grade: isPaid ? "cost" : "tell", grave: isPaid, question, destinations };
}
