// definitions that come with every run → functions built once
import type { QueryTools } from "./operations/operation.ts";
import { type CompiledOperations, type CompiledStatement, compileOperations, compileStatement } from "./statements.ts";

/** Builds each definition once, told apart by identity: a step hands the same object to every run. */
export interface QueryCache {
  operations(definition: unknown): CompiledOperations;
  statement(definition: unknown): CompiledStatement;
}

export function createQueryCache(tools: QueryTools): QueryCache {
  const operations = new WeakMap<object, CompiledOperations>();
  const statements = new WeakMap<object, CompiledStatement>();
  return {
    operations: (definition) => kept(operations, definition ?? [], (json) => compileOperations(json, tools)),
    statement: (definition) => kept(statements, definition ?? {}, (json) => compileStatement(json, tools)),
  };
}

function kept<T>(cache: WeakMap<object, T>, definition: unknown, build: (definition: unknown) => T): T {
  const key = definition as object;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const built = build(definition);
  cache.set(key, built);
  return built;
}
