// What the agent knows of its world, built and read by hand

export {
  createEnvironment,
  type EnvChange,
  type Environment,
  type EnvNote,
  environmentFromJson,
  replayEnvironment,
} from "./context/environment.ts";
export { createEnvironmentBuilder, type EnvironmentBuilder } from "./context/environment-builder.ts";
export { createReducerRegistry, type Reducer, type ReducerRegistry } from "./context/reducers.ts";
