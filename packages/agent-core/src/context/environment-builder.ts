// sections one by one → an environment
import type { EnvironmentState } from "../types/environment.ts";
import type { Json, JsonSchema } from "../types/json.ts";
import { createEnvironment, type Environment, type InitialState } from "./environment.ts";
import { createReducerRegistry, type Reducer } from "./reducers.ts";
import type { TokenCounter } from "./token-counter.ts";

/** AF-16: an environment step by step. Each step gives the builder back; fields given twice are those given last. */
export interface EnvironmentBuilder {
  system(fields: Partial<EnvironmentState["system"]>): EnvironmentBuilder;
  task(fields: Partial<EnvironmentState["task"]>): EnvironmentBuilder;
  knowledge(fields: Partial<EnvironmentState["knowledge"]>): EnvironmentBuilder;
  workspace(fields: Partial<EnvironmentState["workspace"]>): EnvironmentBuilder;
  extension(name: string, value: Json): EnvironmentBuilder;
  schema(schema: JsonSchema): EnvironmentBuilder;
  reducer(toolName: string, reducer: Reducer): EnvironmentBuilder;
  counter(counter: TokenCounter): EnvironmentBuilder;
  /** Throws as `createEnvironment` does. */
  build(): Environment;
}

type Recipe = {
  readonly initial: InitialState;
  readonly reducers: { readonly [toolName: string]: Reducer };
  readonly schema?: JsonSchema;
  readonly counter?: TokenCounter;
};

/** Starts empty. */
export function createEnvironmentBuilder(): EnvironmentBuilder {
  return builderOf({ initial: {}, reducers: {} });
}

function builderOf(recipe: Recipe): EnvironmentBuilder {
  const section =
    <K extends keyof EnvironmentState>(name: K) =>
    (fields: Partial<EnvironmentState[K]>): EnvironmentBuilder =>
      builderOf({ ...recipe, initial: { ...recipe.initial, [name]: { ...recipe.initial[name], ...fields } } });
  return {
    system: section("system"),
    task: section("task"),
    knowledge: section("knowledge"),
    workspace: section("workspace"),
    extension: (name, value) => section("extensions")({ [name]: value }),
    schema: (schema) => builderOf({ ...recipe, schema }),
    reducer: (toolName, reducer) => builderOf({ ...recipe, reducers: { ...recipe.reducers, [toolName]: reducer } }),
    counter: (counter) => builderOf({ ...recipe, counter }),
    build() {
      const { reducers, ...options } = recipe;
      return createEnvironment({ ...options, reducers: createReducerRegistry(reducers) });
    },
  };
}
