// values → values of other steps
import { inputError } from "../../errors.ts";
import { createQueryCache, type QueryCache } from "../../query/statements.ts";
import { applyOperations, type BlockInputs, type BlockValue, block, type StepText, textsOf } from "../block.ts";

/** The cases as a step holds them. */
interface CasesDefinition {
  readonly cases: readonly { readonly condition: unknown; readonly result: CaseResult }[];
  readonly default: CaseResult;
}

type CaseResult =
  | { readonly type: "StaticCaseResult"; readonly value: BlockValue }
  | { readonly type: "DynamicCaseResult"; readonly parameter_name: string; readonly operations?: unknown };

export const expression = block({
  type: "roboflow_core/expression@v1",
  description: "Gives the result of the first case whose condition holds, else the default.",
  stateless: true,
  phrase: "chooses a result by its conditions",
  start: (context) => {
    const query = createQueryCache(context);
    return ({ data = {}, data_operations = {}, switch: switchDefinition = null }) => {
      const variables = applyOperations(query, data, data_operations);
      const { cases, default: fallback } = switchDefinition as unknown as CasesDefinition;
      const found = cases.find(({ condition }) => query.statement(condition)(variables));
      return { output: resultOf(found?.result ?? fallback, variables, query) };
    };
  },
});

function resultOf(result: CaseResult, variables: BlockInputs, query: QueryCache): BlockValue {
  if (result.type === "StaticCaseResult") return result.value ?? null;
  const { parameter_name: name, operations } = result;
  if (!Object.hasOwn(variables, name)) throw inputError(`The expression has no variable "${name}".`, "KeyError");
  return query.operations(operations ?? null)(variables[name], variables);
}

export const propertyDefinition = block({
  type: "roboflow_core/property_definition@v1",
  description: "Takes a property out of a value by a chain of operations: a count, class names, a rounded number.",
  stateless: true,
  phrase: "takes a property out of the data",
  start: (context) => {
    const query = createQueryCache(context);
    return ({ data = null, operations = null }) => ({ output: query.operations(operations)(data) });
  },
});

export const environmentSecretsStore = block({
  type: "roboflow_core/environment_secrets_store@v1",
  description: "Hands secrets that the host keeps to other steps, by name.",
  phrase: "hands out secrets",
  outputs: (step) => namesIn(step).map((name) => ({ name: name.toLowerCase(), kinds: ["secret"] })),
  start:
    ({ effects }) =>
    (inputs) => {
      const { secrets } = effects;
      if (secrets === undefined)
        throw inputError("Secrets of the host are not open to workflows here.", "RuntimeError");
      const names = textsOf(inputs, "variables_storing_secrets") ?? [];
      return Object.fromEntries(names.map((name) => [name.toLowerCase(), secrets(name) ?? null]));
    },
});

function namesIn({ properties: { variables_storing_secrets: names } }: StepText): readonly string[] {
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}
