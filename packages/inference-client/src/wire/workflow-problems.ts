// a refused workflow → what is wrong with it, step by step
import type { WorkflowProblem } from "@vision-agent/protocol";
import type { ClientError } from "../errors.ts";

/** This server will never run it, though it says that the fault is its own. */
const FORBIDDEN_HERE = "WorkflowEnvironmentConfigurationError";

/** Undefined when the error is about something else than the workflow. */
export function toWorkflowProblems(error: ClientError): readonly WorkflowProblem[] | undefined {
  const { kind, status, errorType, blocks, message } = error;
  const isRefused = kind === "invalid" && (errorType !== undefined || status === 422);
  if (!isRefused && errorType !== FORBIDDEN_HERE) return undefined;
  const words = message.replace(/^(?:GET|POST) \S+: /, "");
  if (blocks.length === 0) return [{ ...placeIn(words), message: words }];
  return blocks.map((block) => ({
    step: block.step,
    property: block.property,
    message: block.message ?? words,
  }));
}

/** Some errors name step and property in their sentence only. */
function placeIn(message: string): Pick<WorkflowProblem, "step" | "property"> {
  return {
    step: /step: \$steps\.([\w-]+)/.exec(message)?.[1] ?? null,
    property: /property: ([\w-]+)/.exec(message)?.[1] ?? null,
  };
}
