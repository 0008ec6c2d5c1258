// workflow → everything wrong with it, or what it does
import type { WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import { describeWorkflow, workflowWarnings } from "@vision-agent/vision-engine";
import { type GradedTool, lookOnly } from "./autonomy.ts";
import { formatProblems } from "./tool-failure.ts";
import { parseWorkflow, rejection } from "./workflow-argument.ts";

export interface ValidateWorkflowOptions {
  /** Everything wrong with a workflow; empty when it can run on the backend in use. */
  readonly validate: (spec: WorkflowSpec) => Promise<readonly WorkflowProblem[]>;
}

export function createValidateWorkflowTool(options: ValidateWorkflowOptions): GradedTool<{
  readonly workflow_spec: unknown;
}> {
  return lookOnly<{ readonly workflow_spec: unknown }>({
    name: "validate_workflow",
    description: "Check a workflow without running it: every problem with its step, property and nearest valid name.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["workflow_spec"],
      properties: { workflow_spec: { type: "object" } },
    },
    annotations: { readOnly: true },
    async execute({ workflow_spec }) {
      const spec = parseWorkflow(workflow_spec);
      const problems = await options.validate(spec);
      if (problems.length > 0) return rejection(problems);
      const warnings = workflowWarnings(spec);
      const valid = `Valid. ${describeWorkflow(spec)}`;
      return warnings.length === 0 ? valid : `${valid}\nHardly meant so:\n${formatProblems(warnings)}`;
    },
  });
}
