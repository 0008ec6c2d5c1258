// What the agent knows of its world, built and read by hand

export {
  createEnvironment,
  createEnvironmentBuilder,
  type EnvChange,
  type Environment,
  type EnvironmentBuilder,
  type EnvNote,
  environmentFromJson,
  replayEnvironment,
} from "./context/environment.ts";
export { createReducerRegistry, type Reducer, type ReducerRegistry } from "./context/reducers.ts";
