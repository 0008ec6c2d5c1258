import { EngineError } from "../errors.ts";

/** What was given for an input of a workflow is not of the kind that the input declares. */
export function runtimeInputError(message: string, cause?: unknown): EngineError {
  return new EngineError({
    kind: "input",
    type: "RuntimeInputError",
    context: "workflow_execution | runtime_input_validation",
    message,
    cause,
  });
}
