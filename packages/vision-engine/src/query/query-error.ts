import { EngineError } from "../errors.ts";

/** How an operation or a statement fails, as a Roboflow server names it. */
export type QueryErrorType =
  | "InvalidInputTypeError"
  | "OperationError"
  | "UndeclaredSymbolError"
  | "EvaluationEngineError"
  | "OperationTypeNotRecognisedError";

const EVALUATION = "step_execution | roboflow_query_language_evaluation";

/** `place` is the way to the operation: `<root>[0]`, `<root>.statements[1]`; absent where the peer tells none. */
export function queryError(type: QueryErrorType, message: string, place?: string, cause?: unknown): EngineError {
  const context = place === undefined ? EVALUATION : `${EVALUATION} | ${place}`;
  return new EngineError({ kind: "input", type, context, message, cause });
}

const TYPES: ReadonlySet<string> = new Set<QueryErrorType>([
  "InvalidInputTypeError",
  "OperationError",
  "UndeclaredSymbolError",
  "EvaluationEngineError",
  "OperationTypeNotRecognisedError",
]);

export function isQueryError(error: unknown): error is EngineError {
  return error instanceof EngineError && error.type !== undefined && TYPES.has(error.type);
}

/** Runs `work`; what fails inside becomes an error of `type` that tells the place. */
export function failingAs<T>(type: QueryErrorType, place: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isQueryError(error)) throw error;
    throw queryError(type, error instanceof Error ? error.message : String(error), place, error);
  }
}
