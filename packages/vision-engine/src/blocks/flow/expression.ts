// values → the result of the first case that holds
import { inputError } from "../../errors.ts";
import { createQueryCache, type QueryCache } from "../../query/query-cache.ts";
import { applyOperations, type Variables } from "../apply-operations.ts";
import type { Block, BlockValue } from "../block.ts";
import { manifestOf } from "../manifests/manifest-of.ts";

/** The cases as a step holds them. */
interface CasesDefinition {
  readonly cases: readonly { readonly condition: unknown; readonly result: CaseResult }[];
  readonly default: CaseResult;
}

type CaseResult =
  | { readonly type: "StaticCaseResult"; readonly value: BlockValue }
  | { readonly type: "DynamicCaseResult"; readonly parameter_name: string; readonly operations?: unknown };

export const expression: Block = {
  manifest: manifestOf("roboflow_core/expression@v1"),
  description: "Gives the result of the first case whose condition holds, else the default.",
  stateless: true,
  phrase: () => "chooses a result by its conditions",
  create: (context) => {
    const query = createQueryCache(context);
    return {
      run({ data = {}, data_operations = {}, switch: switchDefinition = null }) {
        const variables = applyOperations(query, data, data_operations);
        const { cases, default: fallback } = switchDefinition as unknown as CasesDefinition;
        const found = cases.find(({ condition }) => query.statement(condition)(variables));
        return { output: resultOf(found?.result ?? fallback, variables, query) };
      },
    };
  },
};

function resultOf(result: CaseResult, variables: Variables, query: QueryCache): BlockValue {
  if (result.type === "StaticCaseResult") return result.value ?? null;
  const { parameter_name: name, operations } = result;
  if (!Object.hasOwn(variables, name)) throw inputError(`The expression has no variable "${name}".`, "KeyError");
  return query.operations(operations ?? null)(variables[name], variables);
}
