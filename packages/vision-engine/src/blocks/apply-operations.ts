// variables of a step → the same after their operations
import { inputError } from "../errors.ts";
import type { NumberStyle } from "../query/python-text.ts";
import type { QueryCache } from "../query/query-cache.ts";
import type { BlockValue } from "./block.ts";

export type Variables = Readonly<Record<string, BlockValue>>;

/** `operations` by the name of the variable they are for. Throws a `KeyError` for one that is not there. */
export function applyOperations(query: QueryCache, data: BlockValue, operations: BlockValue): Variables {
  const variables: Record<string, BlockValue> = { ...(data as Variables) };
  for (const [name, chain] of Object.entries((operations ?? {}) as Variables)) {
    if (!Object.hasOwn(variables, name)) {
      throw inputError(`There are operations for "${name}", which is not among the data.`, "KeyError");
    }
    variables[name] = query.operations(chain)(variables[name]);
  }
  return variables;
}

/** What is known of the numbers of each variable after its operations. */
export function numberStyles(query: QueryCache, operations: BlockValue): Readonly<Record<string, NumberStyle>> {
  const chains = Object.entries((operations ?? {}) as Variables);
  return Object.fromEntries(chains.map(([name, chain]) => [name, query.operations(chain).numbers]));
}
