// what a backend throws → a sentence that a model can act on
import type { WorkflowProblem } from "@vision-agent/protocol";
import { BackendError } from "../backends/backend.ts";

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
