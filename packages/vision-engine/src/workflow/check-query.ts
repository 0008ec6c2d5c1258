// operations and statements in a property → what is wrong with them
import { EngineError } from "../errors.ts";
import { compileOperations, compileStatement } from "../query/statements.ts";

/** Nothing runs here. */
const TOOLS = { now: () => 0, random: () => 0 };

/** A sentence on the first mistake; absent when there is none, or when the property holds no query. */
export function queryMistake(type: string, value: unknown): string | undefined {
  try {
    if (type.startsWith("list[StringToLowerCase")) compileOperations(value, TOOLS);
    if (type.startsWith("dict[list[StringToLowerCase")) {
      for (const operations of Object.values(value ?? {})) compileOperations(operations, TOOLS);
    }
    if (type === "StatementGroup") compileStatement(value, TOOLS);
    if (type === "CasesDefinition") checkCases(value as CasesDefinition);
    return undefined;
  } catch (error) {
    // What is no query at all trips over its shape.
    return error instanceof EngineError ? error.message : "these are no operations or statements.";
  }
}

interface CasesDefinition {
  readonly cases: readonly { readonly condition: unknown; readonly result: CaseResult }[];
  readonly default: CaseResult;
}

interface CaseResult {
  readonly operations?: unknown;
}

function checkCases({ cases, default: otherwise }: CasesDefinition): void {
  for (const { condition, result } of cases) {
    compileStatement(condition, TOOLS);
    compileOperations(result.operations, TOOLS);
  }
  compileOperations(otherwise.operations, TOOLS);
}
